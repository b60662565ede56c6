//! A value of the file with its place, and the walk over tables and lists.
//!
//! A reader gives `None` when it has told a fault. Tables read all their fields before they look at any result, so
//! that one run tells every fault; keys that no reader asked for are unknown.

use core::fmt::Display;
use std::collections::BTreeMap;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::LIST_LEN_MAX;
use crate::fault::{Faults, Rule};

/// A value of the file.
#[derive(Clone, Copy)]
pub(crate) struct Field<'d> {
    pub(crate) key: &'d str,
    at: usize,
    value: &'d DeValue<'d>,
    faults: &'d Faults,
}

impl<'d> Field<'d> {
    /// Tells a fault at this value.
    pub(crate) fn fault<T>(&self, rule: Rule, message: impl Display) -> Option<T> {
        self.faults.add(self.at, rule, format!("{}: {message}", self.key))
    }

    /// The value, which is never a float.
    pub(crate) fn value(&self) -> Option<&'d DeValue<'d>> {
        if self.value.is_float() {
            return self.fault(
                Rule::Float,
                "a book holds no floats; write a whole number, or text where the key takes fractions",
            );
        }
        Some(self.value)
    }

    /// Tells that the value is of another type.
    pub(crate) fn wrong_type<T>(&self, expected: &str) -> Option<T> {
        let found = self.value()?.type_str();
        self.fault(Rule::WrongType, format_args!("expected {expected}, found {found}"))
    }

    pub(crate) fn text(&self) -> Option<&'d str> {
        match self.value()?.as_str() {
            Some(text) => Some(text),
            None => self.wrong_type("text"),
        }
    }

    pub(crate) fn flag(&self) -> Option<bool> {
        match self.value()?.as_bool() {
            Some(flag) => Some(flag),
            None => self.wrong_type("true or false"),
        }
    }

    /// One of the words a key takes.
    pub(crate) fn choice<T: Copy>(&self, choices: &[(&str, T)]) -> Option<T> {
        let text = self.text()?;
        match choices.iter().find(|(word, _)| *word == text) {
            Some((_, value)) => Some(*value),
            None => {
                let words: Vec<_> = choices.iter().map(|(word, _)| *word).collect();
                let expected = words.join("\", \"");
                self.fault(Rule::UnknownValue, format_args!("{text:?} is not one of \"{expected}\""))
            }
        }
    }

    pub(crate) fn table<T>(&self, read: impl FnOnce(&mut Table<'d>) -> Option<T>) -> Option<T> {
        match self.value()?.as_table() {
            Some(entries) => Table::read(entries, self.at, self.faults, read),
            None => self.wrong_type("a table"),
        }
    }

    /// Reads each element of a list; all of them, even after a fault.
    pub(crate) fn list<T>(&self, mut read: impl FnMut(Field<'d>) -> Option<T>) -> Option<Vec<T>> {
        let Some(elements) = self.value()?.as_array() else {
            return self.wrong_type("a list");
        };
        if elements.len() > LIST_LEN_MAX {
            return self.fault(
                Rule::ListTooLong,
                format_args!("{} entries; at most {LIST_LEN_MAX}", elements.len()),
            );
        }
        let read: Vec<Option<T>> = elements.iter().map(|element| read(self.element(element))).collect();
        read.into_iter().collect()
    }

    /// A list that must not be empty.
    pub(crate) fn some_list<T>(&self, read: impl FnMut(Field<'d>) -> Option<T>) -> Option<Vec<T>> {
        let list = self.list(read)?;
        if list.is_empty() {
            return self.fault(Rule::EmptyList, "an empty list allows nothing");
        }
        Some(list)
    }

    /// A list of scalars, each at most once.
    pub(crate) fn set<T: Copy + PartialEq>(
        &self,
        mut read: impl FnMut(Field<'d>) -> Option<T>,
    ) -> Option<Vec<T>> {
        let mut seen = Seen::default();
        self.list(|element| seen.once(&element, read(element)?))
    }

    /// A list of scalars, each at most once and at least one.
    pub(crate) fn some_set<T: Copy + PartialEq>(
        &self,
        mut read: impl FnMut(Field<'d>) -> Option<T>,
    ) -> Option<Vec<T>> {
        let mut seen = Seen::default();
        self.some_list(|element| seen.once(&element, read(element)?))
    }

    fn element(&self, element: &'d Spanned<DeValue<'d>>) -> Field<'d> {
        Field { key: self.key, at: element.span().start, value: element.get_ref(), faults: self.faults }
    }
}

/// What a list has already said, bounded by [`LIST_LEN_MAX`].
pub(crate) struct Seen<T>(Vec<T>);

impl<T> Default for Seen<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T: Copy + PartialEq> Seen<T> {
    /// The value, or a fault at `field` where it was there before.
    pub(crate) fn once(&mut self, field: &Field<'_>, value: T) -> Option<T> {
        if self.0.contains(&value) {
            return field.fault(Rule::Duplicate, "is there twice");
        }
        self.0.push(value);
        Some(value)
    }
}

/// A table of the file, of which keys are taken until none may be left.
pub(crate) struct Table<'d> {
    at: usize,
    entries: BTreeMap<&'d str, (usize, &'d Spanned<DeValue<'d>>)>,
    known: Vec<&'static str>,
    faults: &'d Faults,
}

impl<'d> Table<'d> {
    /// Reads a table that stands at `at`; afterwards every key that was not asked for is a fault.
    pub(crate) fn read<T>(
        entries: &'d DeTable<'d>,
        at: usize,
        faults: &'d Faults,
        read: impl FnOnce(&mut Self) -> Option<T>,
    ) -> Option<T> {
        let entries =
            entries.iter().map(|(key, value)| (key.get_ref().as_ref(), (key.span().start, value))).collect();
        let mut table = Table { at, entries, known: Vec::new(), faults };
        let read = read(&mut table);
        let known = table.known.join(", ");
        for (key, (at, _)) in &table.entries {
            let message = format!("{key}: no such key here; there are {known}");
            faults.add::<()>(*at, Rule::UnknownKey, message);
        }
        if table.entries.is_empty() { read } else { None }
    }

    /// Tells a fault at the table itself.
    pub(crate) fn fault<T>(&self, rule: Rule, message: impl Display) -> Option<T> {
        self.faults.add(self.at, rule, message.to_string())
    }

    /// The field, if it is there.
    pub(crate) fn take(&mut self, key: &'static str) -> Option<Field<'d>> {
        self.known.push(key);
        let (_, value) = self.entries.remove(key)?;
        Some(Field { key, at: value.span().start, value: value.get_ref(), faults: self.faults })
    }

    /// A mandatory key.
    pub(crate) fn required<T>(
        &mut self,
        key: &'static str,
        read: impl FnOnce(Field<'d>) -> Option<T>,
    ) -> Option<T> {
        match self.take(key) {
            Some(field) => read(field),
            None => self.fault(Rule::MissingKey, format_args!("{key} is missing")),
        }
    }

    /// A key that may be left out.
    pub(crate) fn optional<T>(
        &mut self,
        key: &'static str,
        read: impl FnOnce(Field<'d>) -> Option<T>,
    ) -> Option<Option<T>> {
        self.take(key).map_or(Some(None), |field| read(field).map(Some))
    }

    /// A list that is empty when it is left out.
    pub(crate) fn list<T>(
        &mut self,
        key: &'static str,
        read: impl FnOnce(Field<'d>) -> Option<Vec<T>>,
    ) -> Option<Vec<T>> {
        self.take(key).map_or(Some(Vec::new()), read)
    }

    /// A grant that is not given when it is left out.
    pub(crate) fn flag(&mut self, key: &'static str) -> Option<bool> {
        self.take(key).map_or(Some(false), |field| field.flag())
    }
}
