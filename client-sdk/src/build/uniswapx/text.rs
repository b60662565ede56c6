//! Writing the JSON text of typed data.

use std::fmt::{Display, Write as _};

use venues::Address;

use super::StructType;

/// An object that is being written.
#[derive(Debug)]
pub(super) struct Object(String);

impl Object {
    pub(super) fn new() -> Self {
        Self("{".into())
    }

    /// A member whose value is JSON already.
    pub(super) fn value(mut self, name: &str, json: impl AsRef<str>) -> Self {
        if self.0.len() > 1 {
            self.0.push(',');
        }
        self.0.extend(["\"", name, "\":", json.as_ref()]);
        self
    }

    /// Text without anything to escape.
    pub(super) fn text(self, name: &str, text: &str) -> Self {
        self.value(name, format!("\"{text}\""))
    }

    pub(super) fn uint(self, name: &str, value: impl Display) -> Self {
        self.value(name, format!("\"{value}\""))
    }

    pub(super) fn address(self, name: &str, address: &Address) -> Self {
        self.bytes(name, address)
    }

    pub(super) fn bytes(self, name: &str, bytes: &[u8]) -> Self {
        let mut digits = String::with_capacity(2 * bytes.len());
        for byte in bytes {
            // Writing to a String does not fail.
            let _ = write!(digits, "{byte:02x}");
        }
        self.value(name, format!("\"0x{digits}\""))
    }

    pub(super) fn close(mut self) -> String {
        self.0.push('}');
        self.0
    }
}

/// A list of JSON values.
pub(super) fn list(elements: impl Iterator<Item = String>) -> String {
    format!("[{}]", elements.collect::<Vec<_>>().join(","))
}

/// The `types` member.
pub(super) fn types(types: &[StructType<'_>]) -> String {
    types.iter().fold(Object::new(), |object, (name, fields)| object.value(name, fields_of(fields))).close()
}

fn fields_of(fields: &str) -> String {
    let field = |field: &str| {
        let (field_type, name) = field.split_once(' ').unwrap_or_default();
        Object::new().text("name", name).text("type", field_type).close()
    };
    list(fields.split(',').map(field))
}
