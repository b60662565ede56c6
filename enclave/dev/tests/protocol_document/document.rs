//! The document: sections, rows of tables, blocks of bytes, lists that are written by the test.
//!
//! ```text
//! block   "```hex LABEL", lines of "hex bytes   # a note", "```"
//! list    "<!-- list NAME -->", the list, "<!-- end NAME -->"
//! ```

use std::collections::BTreeSet;
use std::path::PathBuf;

const FENCE: &str = "```hex ";

/// The document's text, and whether it is to be written anew.
pub(crate) struct Document {
    lines: Vec<String>,
    is_update: bool,
}

impl Document {
    pub(crate) fn read() -> Self {
        let text = std::fs::read_to_string(path()).unwrap();
        let is_update = std::env::var_os("UPDATE_PROTOCOL").is_some();
        Self { lines: text.lines().map(str::to_owned).collect(), is_update }
    }

    /// Labels of all blocks of bytes.
    pub(crate) fn labels(&self) -> BTreeSet<String> {
        self.lines.iter().filter_map(|line| line.strip_prefix(FENCE)).map(str::to_owned).collect()
    }

    /// The lines of a section that start like this.
    pub(crate) fn rows(&self, section: &str, start: &str) -> Vec<String> {
        let is_head = |line: &&String| line.starts_with('#');
        let mut lines = self.lines.iter();
        lines.find(|line| is_head(line) && line.trim_start_matches('#').trim() == section).expect(section);
        lines.take_while(|line| !is_head(line)).filter(|line| line.starts_with(start)).cloned().collect()
    }

    /// The first cells of a section's rows that start like this.
    pub(crate) fn first_cells(&self, section: &str, start: &str) -> Vec<String> {
        let cell = |row: &String| row.split('|').nth(1).unwrap().trim().to_owned();
        self.rows(section, "| ").iter().map(cell).filter(|cell| cell.starts_with(start)).collect()
    }

    /// Compares a block's bytes with `bytes`, or writes these into its lines, as many bytes in each as before.
    pub(crate) fn check_bytes(&mut self, label: &str, bytes: &[u8]) {
        let fence = format!("{FENCE}{label}");
        let start = self.lines.iter().position(|line| *line == fence).unwrap() + 1;
        let size = self.lines[start..].iter().position(|line| line == "```").unwrap();
        let block = &mut self.lines[start..start + size];
        let written: Vec<u8> = block.iter().flat_map(|line| hex_of(line)).collect();
        if written == bytes {
            return;
        }
        let all: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        assert!(self.is_update, "the block {label:?} is not what the code gives, which is\n{all}");
        assert_eq!(
            written.len(),
            bytes.len(),
            "the block {label:?} has another size now; change its lines by hand, then update again:\n{all}"
        );
        let mut rest = bytes;
        for line in block {
            let (part, after) = rest.split_at(hex_of(line).len());
            rest = after;
            *line = with_bytes(line, part);
        }
    }

    /// Compares a list with `text`, or writes it.
    pub(crate) fn check_list(&mut self, name: &str, text: &str) {
        let at = |mark: String| self.lines.iter().position(|line| *line == mark).expect(name);
        let (start, end) = (at(format!("<!-- list {name} -->")) + 1, at(format!("<!-- end {name} -->")));
        let expected: Vec<_> = text.lines().map(str::to_owned).collect();
        assert!(
            self.is_update || self.lines[start..end] == expected,
            "the list {name:?} is not that of the code; UPDATE_PROTOCOL=1 writes it"
        );
        self.lines.splice(start..end, expected);
    }

    /// Writes the document if that was asked for.
    pub(crate) fn finish(self) {
        if self.is_update {
            std::fs::write(path(), self.lines.join("\n") + "\n").unwrap();
        }
    }
}

fn path() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/PROTOCOL.md"))
}

/// The bytes of a block's line, up to its note.
fn hex_of(line: &str) -> Vec<u8> {
    let digits: String = line.split('#').next().unwrap().split_whitespace().collect();
    assert!(digits.len().is_multiple_of(2), "an odd number of digits in {line:?}");
    (0..digits.len()).step_by(2).map(|at| u8::from_str_radix(&digits[at..at + 2], 16).expect(line)).collect()
}

/// The line with other bytes of the same number in it; spaces and note stay where they are.
fn with_bytes(line: &str, bytes: &[u8]) -> String {
    let mut digits = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    let (hex, note) = line.split_at(line.find('#').unwrap_or(line.len()));
    let digit = |old: char| match old {
        ' ' => ' ',
        _ => char::from_digit(digits.next().unwrap().into(), 16).unwrap(),
    };
    hex.chars().map(digit).collect::<String>() + note
}
