//! Walking a book: one visitor writes the canonical bytes behind the policy hash, another the const source,
//! a third prints what a reader sees. A value tells its fields in the order they are declared.

use crate::{PublicKey, U256};

/// Hears a book value field by field.
pub trait BookVisitor {
    /// A struct begins; `path` is its full Rust path.
    fn open_struct(&mut self, path: &'static str);
    /// A named field of the innermost struct follows.
    fn field(&mut self, name: &'static str);
    /// The innermost struct ends.
    fn close_struct(&mut self);
    /// A list of `len` elements begins.
    fn open_list(&mut self, len: usize);
    /// The innermost list ends.
    fn close_list(&mut self);
    /// An option that is there; its value follows, then [`BookVisitor::close_some`].
    fn open_some(&mut self);
    /// The option's value ends.
    fn close_some(&mut self);
    /// An option that is not there.
    fn none(&mut self);
    /// A yes or no.
    fn flag(&mut self, value: bool);
    /// An integer of at most 128 bits.
    fn uint(&mut self, value: u128);
    /// A 256-bit integer.
    fn uint256(&mut self, value: &U256);
    /// A fixed-size byte string.
    fn bytes(&mut self, value: &[u8]);
    /// Text.
    fn text(&mut self, value: &str);
    /// A list left open by the word "any".
    fn any(&mut self);
    /// A list that could have been left open and is not; its elements follow as a list.
    fn open_listed(&mut self);
    /// The list that could have been left open ends.
    fn close_listed(&mut self);
    /// A fieldless enum's value; `path` is its full Rust path, `number` its stable number.
    fn variant(&mut self, path: &'static str, number: u8);
}

/// A value that can stand in a book.
pub trait BookValue {
    /// Tells itself to `visitor`.
    fn visit(&self, visitor: &mut dyn BookVisitor);

    /// Tells which types stand in it, the outer one first, so that a document of the rules cannot differ from them.
    fn describe(_tell: &mut dyn FnMut(&'static Described))
    where
        Self: Sized,
    {
    }
}

/// A type of the book as its source documents it.
#[derive(Debug, PartialEq, Eq)]
pub struct Described {
    /// The full Rust path.
    pub path: &'static str,
    /// What it is.
    pub doc: &'static str,
    /// Fields of a struct or variants of an enum: name and what it is.
    pub members: &'static [(&'static str, &'static str)],
}

macro_rules! uint_value {
    ($($type:ty),+) => {
        $(impl BookValue for $type {
            fn visit(&self, visitor: &mut dyn BookVisitor) {
                visitor.uint(u128::from(*self));
            }
        })+
    };
}

uint_value!(u8, u16, u32, u64, u128);

impl BookValue for bool {
    fn visit(&self, visitor: &mut dyn BookVisitor) {
        visitor.flag(*self);
    }
}

impl BookValue for U256 {
    fn visit(&self, visitor: &mut dyn BookVisitor) {
        visitor.uint256(self);
    }
}

impl BookValue for &str {
    fn visit(&self, visitor: &mut dyn BookVisitor) {
        visitor.text(self);
    }
}

impl<const N: usize> BookValue for [u8; N] {
    fn visit(&self, visitor: &mut dyn BookVisitor) {
        visitor.bytes(self);
    }
}

impl<T: BookValue> BookValue for Option<T> {
    fn visit(&self, visitor: &mut dyn BookVisitor) {
        match self {
            Some(value) => {
                visitor.open_some();
                value.visit(visitor);
                visitor.close_some();
            }
            None => visitor.none(),
        }
    }

    fn describe(tell: &mut dyn FnMut(&'static Described)) {
        T::describe(tell);
    }
}

impl<T: BookValue> BookValue for &[T] {
    fn visit(&self, visitor: &mut dyn BookVisitor) {
        visitor.open_list(self.len());
        for value in *self {
            value.visit(visitor);
        }
        visitor.close_list();
    }

    fn describe(tell: &mut dyn FnMut(&'static Described)) {
        T::describe(tell);
    }
}

/// A list that a book may leave open by the word "any". An empty one allows nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnyOr<'b, T> {
    /// "any"
    Any,
    /// These.
    Listed(&'b [T]),
}

impl<T: PartialEq> AnyOr<'_, T> {
    /// Whether `value` is allowed.
    pub fn allows(&self, value: &T) -> bool {
        match self {
            Self::Any => true,
            Self::Listed(listed) => listed.contains(value),
        }
    }
}

impl<T: BookValue> BookValue for AnyOr<'_, T> {
    fn visit(&self, visitor: &mut dyn BookVisitor) {
        match self {
            Self::Any => visitor.any(),
            Self::Listed(listed) => {
                visitor.open_listed();
                listed.visit(visitor);
                visitor.close_listed();
            }
        }
    }

    fn describe(tell: &mut dyn FnMut(&'static Described)) {
        T::describe(tell);
    }
}

impl BookValue for PublicKey {
    fn visit(&self, visitor: &mut dyn BookVisitor) {
        match self {
            Self::Secp256k1 { compressed, address } => {
                visitor.open_struct("::venues::PublicKey::Secp256k1");
                visitor.field("compressed");
                visitor.bytes(compressed);
                visitor.field("address");
                visitor.bytes(address);
            }
            Self::Ed25519 { key } => {
                visitor.open_struct("::venues::PublicKey::Ed25519");
                visitor.field("key");
                visitor.bytes(key);
            }
        }
        visitor.close_struct();
    }
}

/// Declares a struct of the book and the walk over its fields. The module it stands in must be public.
#[macro_export]
macro_rules! book_struct {
    (
        $(#[doc = $doc:literal])+
        pub struct $name:ident $(<$life:lifetime>)? {
            $($(#[doc = $field_doc:literal])+ pub $field:ident: $type:ty,)+
        }
    ) => {
        $(#[doc = $doc])+
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct $name $(<$life>)? {
            $($(#[doc = $field_doc])+ pub $field: $type,)+
        }

        impl $(<$life>)? $crate::book_value::BookValue for $name $(<$life>)? {
            fn visit(&self, visitor: &mut dyn $crate::book_value::BookVisitor) {
                visitor.open_struct(concat!("::", module_path!(), "::", stringify!($name)));
                $(
                    visitor.field(stringify!($field));
                    $crate::book_value::BookValue::visit(&self.$field, visitor);
                )+
                visitor.close_struct();
            }

            fn describe(tell: &mut dyn FnMut(&'static $crate::book_value::Described)) {
                tell(&$crate::book_value::Described {
                    path: concat!("::", module_path!(), "::", stringify!($name)),
                    doc: concat!($($doc),+),
                    members: &[$((stringify!($field), concat!($($field_doc),+))),+],
                });
                $(<$type as $crate::book_value::BookValue>::describe(tell);)+
            }
        }
    };
}

/// Declares a fieldless enum of the book with stable numbers.
#[macro_export]
macro_rules! book_enum {
    (
        $(#[doc = $doc:literal])+
        pub enum $name:ident {
            $($(#[doc = $variant_doc:literal])+ $variant:ident = $number:literal,)+
        }
    ) => {
        $(#[doc = $doc])+
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u8)]
        pub enum $name {
            $($(#[doc = $variant_doc])+ $variant = $number,)+
        }

        impl $crate::book_value::BookValue for $name {
            fn visit(&self, visitor: &mut dyn $crate::book_value::BookVisitor) {
                match self {
                    $(Self::$variant => visitor.variant(
                        concat!("::", module_path!(), "::", stringify!($name), "::", stringify!($variant)),
                        $number,
                    ),)+
                }
            }

            fn describe(tell: &mut dyn FnMut(&'static $crate::book_value::Described)) {
                tell(&$crate::book_value::Described {
                    path: concat!("::", module_path!(), "::", stringify!($name)),
                    doc: concat!($($doc),+),
                    members: &[$((stringify!($variant), concat!($($variant_doc),+))),+],
                });
            }
        }
    };
}

pub use crate::{book_enum, book_struct};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_list_allows_nothing_and_only_the_word_allows_everything() {
        assert!(AnyOr::Any.allows(&7));
        assert!(!AnyOr::Listed(&[]).allows(&7));
        assert!(AnyOr::Listed(&[6, 7]).allows(&7));
    }
}
