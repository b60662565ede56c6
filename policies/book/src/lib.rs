//! The types of a desk's book.
