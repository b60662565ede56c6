//! Receipts for people: one line each.

use std::collections::VecDeque;
use std::fmt::Write as _;
use std::io;
use std::path::{Path, PathBuf};

use wire::Shown;
use wire::facts;
use wire::facts_json::JsonFacts;
use wire::receipt::{Receipt, RecordKind};

use super::segment::{self, Name, Records, Step};

/// Lines that may be asked for.
const LINES_MAX: usize = 10_000;

/// The last records of the boot whose segment was written last, and those that come after them.
#[derive(Debug)]
pub struct Tail {
    folder: PathBuf,
    /// The segment that was read last, and how far.
    at: Option<(Name, u64)>,
}

/// The last `count` records of the boot whose segment was written last, oldest first; the value goes on from there.
///
/// # Errors
/// When a file cannot be read.
pub fn tail(folder: &Path, count: usize) -> io::Result<(Vec<Vec<u8>>, Tail)> {
    let mut tail = Tail { folder: folder.to_owned(), at: None };
    let newest = newest(&segment::list(folder)?)?;
    let mut last = VecDeque::new();
    for (name, path) in segment::list(folder)? {
        if newest == Some(name.boot_id) {
            let offset = read(&mut Records::open(&path)?, |record| {
                last.push_back(record);
                if last.len() > count.min(LINES_MAX) {
                    last.pop_front();
                }
            })?;
            tail.at = Some((name, offset));
        }
    }
    Ok((last.into(), tail))
}

impl Tail {
    /// What was written since: to the segment that was read last, to those behind it, and to those of a newer boot.
    ///
    /// # Errors
    /// When a file cannot be read.
    pub fn more(&mut self) -> io::Result<Vec<Vec<u8>>> {
        let mut records = Vec::new();
        let segments = segment::list(&self.folder)?;
        let newest = newest(&segments)?;
        if let Some((at, _)) = self.at {
            self.go_on(&segments, at.boot_id, &mut records)?;
        }
        if let Some(newest) = newest.filter(|newest| self.at.is_none_or(|(at, _)| at.boot_id != *newest)) {
            self.at = None;
            self.go_on(&segments, newest, &mut records)?;
        }
        Ok(records)
    }

    fn go_on(
        &mut self,
        segments: &[(Name, PathBuf)],
        boot_id: [u8; 16],
        into: &mut Vec<Vec<u8>>,
    ) -> io::Result<()> {
        for (name, path) in segments.iter().filter(|(name, _)| name.boot_id == boot_id) {
            let from = match self.at {
                Some((at, _)) if *name < at => continue,
                Some((at, offset)) if *name == at => offset,
                _ => 0,
            };
            let offset = read(&mut Records::open_at(path, from)?, |record| into.push(record))?;
            self.at = Some((*name, offset));
        }
        Ok(())
    }
}

/// Returns where it stopped: behind the last whole record.
fn read(records: &mut Records, mut each: impl FnMut(Vec<u8>)) -> io::Result<u64> {
    loop {
        let offset = records.offset();
        match records.step()? {
            Step::Record(record) => each(record),
            Step::End | Step::Torn { .. } | Step::Damaged { .. } => return Ok(offset),
        }
    }
}

/// The boot whose segment was written last.
fn newest(segments: &[(Name, PathBuf)]) -> io::Result<Option<[u8; 16]>> {
    let mut newest = None;
    for (name, path) in segments {
        let written = path.metadata()?.modified()?;
        if newest.is_none_or(|(time, _)| time <= written) {
            newest = Some((written, name.boot_id));
        }
    }
    Ok(newest.map(|(_, boot_id)| boot_id))
}

/// A record in a line.
#[must_use]
pub fn line(record: &[u8]) -> String {
    let Ok(receipt) = Receipt::read(record) else {
        return "not a receipt".to_owned();
    };
    let mut line =
        format!("{:>8}  {}.{:03}  ", receipt.sequence, receipt.wall_ms / 1000, receipt.wall_ms % 1000);
    if receipt.kind == RecordKind::Decision {
        let [first, second, third, fourth, ..] = receipt.client;
        let client = u32::from_be_bytes([first, second, third, fourth]);
        let Receipt { key_slot, payload_kind, request_id, .. } = receipt;
        let _ = write!(
            line,
            "client {client:08x}…  key {key_slot}  kind {payload_kind:#06x}  request {request_id}  "
        );
    }
    let _ = match receipt.refusal() {
        _ if receipt.kind != RecordKind::Decision => write!(line, "{}", receipt.kind.as_str()),
        Ok(None) => write!(line, "signed"),
        Ok(Some(refusal)) => write!(line, "{} by {}", refusal.family().as_str(), refusal.name()),
        Err(code) => write!(line, "refused with code {code}"),
    };
    for (name, shown) in [("observed", receipt.observed), ("limit", receipt.limit)] {
        if shown != Shown::Nothing {
            let _ = write!(line, "  {name} {shown}");
        }
    }
    if let Some(digest) = receipt.digest {
        line.push_str("  0x");
        digest.iter().for_each(|byte| {
            let _ = write!(line, "{byte:02x}");
        });
    }
    let mut text = String::new();
    let mut json = JsonFacts::new(&mut text);
    if facts::read(receipt.facts, &mut json).is_ok() && json.finish().is_ok() {
        let _ = write!(line, "  {text}");
    }
    if !receipt.facts_complete {
        line.push_str("  facts cut: there were more than the receipt has room for");
    }
    line
}
