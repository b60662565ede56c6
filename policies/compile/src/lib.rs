//! TOML to Book.
