//! The book of this build and `approve`.
