//! The compiler as the one to ask: books with one thing changed, and the faults they give.

use std::collections::BTreeMap;

use compile::{Fault, Rule};
use toml::de::{DeTable, DeValue};
use toml::{Table, Value};

/// A key that no table has.
const NO_KEY: &str = "zzz";

/// Keys that the compiler knows in order to refuse them by name: an operator does not sign so.
const REFUSED: [(&str, &str); 1] = [("operators.public_key", "secp256k1")];

/// Most places of a table that are looked at.
const PLACES_MAX: usize = 24;

/// A step into a book file.
#[derive(Clone)]
enum Step {
    Key(String),
    Index(usize),
}

/// Where a table stands.
#[derive(Clone)]
pub(crate) struct Place {
    book: usize,
    steps: Vec<Step>,
}

pub(crate) struct Compiler {
    books: Vec<Table>,
    /// The places of each table, by its path.
    tables: BTreeMap<String, Vec<Place>>,
}

impl Compiler {
    pub(crate) fn new(texts: &[&str]) -> Self {
        let books: Vec<Table> =
            texts.iter().map(|text| table(DeTable::parse(text).unwrap().get_ref())).collect();
        let mut tables = BTreeMap::new();
        for (book, table) in books.iter().enumerate() {
            assert_eq!(faults(table), [], "book {book}");
            find(table, "", &Place { book, steps: Vec::new() }, &mut tables);
        }
        Self { books, tables }
    }

    /// The keys of a table in the order in which the compiler knows them.
    pub(crate) fn keys(&self, table: &str) -> Vec<String> {
        let mut keys: Vec<String> = Vec::new();
        for place in &self.tables[table] {
            let found = self.with(place, NO_KEY, Some(Value::Boolean(true)));
            let told = found.iter().find(|fault| fault.rule == Rule::UnknownKey).unwrap();
            let (_, known) = told.message.split_once("; there are ").unwrap();
            for key in known.split(", ") {
                if !REFUSED.contains(&(table, key)) && !keys.iter().any(|known| known == key) {
                    keys.push(key.to_owned());
                }
            }
        }
        keys
    }

    /// Whether a table is one of a list.
    pub(crate) fn is_list(&self, table: &str) -> bool {
        self.tables[table].iter().all(|place| matches!(place.steps.last(), Some(Step::Index(_))))
    }

    /// Where the table has the key, and the value there.
    pub(crate) fn places(&self, table: &str, key: &str) -> Vec<(&Place, &Value)> {
        let places = self.tables[table].iter();
        let found: Vec<_> = places.filter_map(|place| Some((place, self.table(place).get(key)?))).collect();
        assert!(
            !found.is_empty(),
            "no book has {key} in {table:?}: use it in tests/reference/every_key.toml"
        );
        found
    }

    /// Whether a table is there without the key.
    pub(crate) fn has_without(&self, table: &str, key: &str) -> bool {
        self.tables[table].iter().any(|place| !self.table(place).contains_key(key))
    }

    /// What the compiler says when the key has another value there, or is not there.
    pub(crate) fn with(&self, place: &Place, key: &str, value: Option<Value>) -> Vec<Fault> {
        let mut book = self.books[place.book].clone();
        let mut table = &mut book;
        let mut steps = place.steps.iter().peekable();
        while let Some(Step::Key(name)) = steps.next() {
            let mut inner = table.get_mut(name).unwrap();
            if let Some(Step::Index(index)) = steps.peek() {
                inner = &mut inner.as_array_mut().unwrap()[*index];
                steps.next();
            }
            table = inner.as_table_mut().unwrap();
        }
        match value {
            Some(value) => table.insert(key.to_owned(), value),
            None => table.remove(key),
        };
        faults(&book)
    }

    fn table(&self, place: &Place) -> &Table {
        let mut steps = place.steps.iter().peekable();
        let mut table = &self.books[place.book];
        while let Some(Step::Key(name)) = steps.next() {
            let mut inner = &table[name];
            if let Some(Step::Index(index)) = steps.peek() {
                inner = &inner[*index];
                steps.next();
            }
            table = inner.as_table().unwrap();
        }
        table
    }
}

/// Every table of a table, and itself.
fn find(table: &Table, path: &str, place: &Place, tables: &mut BTreeMap<String, Vec<Place>>) {
    let places = tables.entry(path.to_owned()).or_default();
    if places.len() < PLACES_MAX {
        places.push(place.clone());
    }
    for (key, value) in table {
        let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
        let step = |step: &[Step]| Place { book: place.book, steps: [&place.steps[..], step].concat() };
        let key = Step::Key(key.clone());
        match value {
            Value::Table(inner) => find(inner, &path, &step(&[key]), tables),
            Value::Array(elements) => {
                for (index, element) in elements.iter().enumerate() {
                    if let Value::Table(inner) = element {
                        find(inner, &path, &step(&[key.clone(), Step::Index(index)]), tables);
                    }
                }
            }
            Value::String(_)
            | Value::Integer(_)
            | Value::Float(_)
            | Value::Boolean(_)
            | Value::Datetime(_) => {}
        }
    }
}

/// The table as values. [`Value`] has no whole number beyond 64 bits: these become text, which means the same.
fn table(entries: &DeTable<'_>) -> Table {
    entries.iter().map(|(key, entry)| (key.get_ref().to_string(), value(entry.get_ref()))).collect()
}

fn value(entry: &DeValue<'_>) -> Value {
    match entry {
        DeValue::Table(entries) => Value::Table(table(entries)),
        DeValue::Array(elements) => {
            Value::Array(elements.iter().map(|element| value(element.get_ref())).collect())
        }
        DeValue::String(text) => Value::from(text.as_ref()),
        DeValue::Boolean(flag) => Value::Boolean(*flag),
        DeValue::Integer(integer) => {
            let number = i128::from_str_radix(&integer.as_str().replace('_', ""), integer.radix()).unwrap();
            i64::try_from(number).map_or_else(|_| Value::from(number.to_string()), Value::Integer)
        }
        DeValue::Float(_) | DeValue::Datetime(_) => panic!("no book has {entry:?}"),
    }
}

fn faults(book: &Table) -> Vec<Fault> {
    let lines: Vec<_> = book.iter().map(|(key, value)| format!("{key} = {}\n", text(value))).collect();
    compile::compile("book", &lines.concat()).err().unwrap_or_default()
}

/// A value on one line.
fn text(value: &Value) -> String {
    match value {
        Value::Table(table) => {
            let entries: Vec<_> =
                table.iter().map(|(key, value)| format!("{key} = {}", text(value))).collect();
            format!("{{ {} }}", entries.join(", "))
        }
        Value::Array(elements) => {
            format!("[{}]", elements.iter().map(text).collect::<Vec<_>>().join(", "))
        }
        Value::String(text) => format!("{text:?}"),
        Value::Integer(number) => number.to_string(),
        Value::Boolean(flag) => flag.to_string(),
        Value::Float(_) | Value::Datetime(_) => panic!("no book has {value:?}"),
    }
}
