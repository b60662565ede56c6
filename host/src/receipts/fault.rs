//! How a chain is broken, in words.

use core::fmt;
use std::path::PathBuf;

use wire::receipt::ChainFault;

/// Where a chain is broken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Break {
    /// The segment, or the folder when it is about a record that is in none.
    pub file: PathBuf,
    /// Where in it, in bytes.
    pub offset: u64,
    /// How.
    pub fault: Fault,
    /// The other one, where two are compared: the place of the record that came first, or who holds the head.
    pub other: Option<String>,
}

impl fmt::Display for Break {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} offset {}: {}", self.file.display(), self.offset, self.fault)?;
        self.other.iter().try_for_each(|other| write!(f, " ({other})"))
    }
}

/// How a chain is broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// A record does not follow the one before it.
    Chain(ChainFault),
    /// The very record stands in an earlier place too.
    Duplicate {
        /// its sequence
        sequence: u64,
    },
    /// Two records of the same sequence with different bytes: one of them is not the vault's.
    Fork {
        /// their sequence
        sequence: u64,
    },
    /// A record of another boot than the file's name says.
    AnotherBoot,
    /// The file ends inside a record.
    Torn {
        /// bytes left over
        size: u64,
    },
    /// No record has this size; the rest of the file was not read.
    Damaged {
        /// the size that stands there
        declared: u32,
    },
    /// The folder ends before the record that a head held elsewhere is of.
    EndMissing {
        /// receipts that were sealed at least
        sealed: u64,
    },
    /// The record that a head held elsewhere is of is not among those here.
    RecordMissing {
        /// its sequence
        sequence: u64,
    },
    /// The record has another link than the head held elsewhere.
    HeadDiffers,
}

impl Fault {
    /// A word for programs; it does not change.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Chain(ChainFault::NotARecord) => "not-a-record",
            Self::Chain(ChainFault::LinkDiffers) => "link-differs",
            Self::Chain(ChainFault::SequenceDiffers { expected, found }) if found > expected => "gap",
            Self::Chain(ChainFault::SequenceDiffers { .. }) => "out-of-order",
            Self::Chain(ChainFault::PolicyChanged) => "policy-changed",
            Self::Duplicate { .. } => "duplicate",
            Self::Fork { .. } => "fork",
            Self::AnotherBoot => "another-boot",
            Self::Torn { .. } => "torn",
            Self::Damaged { .. } => "damaged",
            Self::EndMissing { .. } => "end-missing",
            Self::RecordMissing { .. } => "record-missing",
            Self::HeadDiffers => "head-differs",
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Chain(ChainFault::NotARecord) => f.write_str("the bytes are no receipt"),
            Self::Chain(ChainFault::LinkDiffers) => {
                f.write_str("the record names another predecessor: it or the one before it was changed")
            }
            Self::Chain(ChainFault::SequenceDiffers { expected, found }) if found > expected => {
                write!(f, "a gap: receipts {expected} to {} are missing", found - 1)
            }
            Self::Chain(ChainFault::SequenceDiffers { expected, found }) => {
                write!(f, "out of order: receipt {found} where {expected} should be")
            }
            Self::Chain(ChainFault::PolicyChanged) => f.write_str("the policy changed within a boot"),
            Self::Duplicate { sequence } => write!(f, "receipt {sequence} is there a second time"),
            Self::Fork { sequence } => write!(f, "a fork: another receipt {sequence} with other bytes"),
            Self::AnotherBoot => f.write_str("a record of another boot than the file's"),
            Self::Torn { size } => write!(f, "the file ends inside a record ({size} bytes)"),
            Self::Damaged { declared } => write!(f, "no record has a size of {declared} bytes"),
            Self::EndMissing { sealed } => {
                write!(f, "the end is missing: the vault has sealed {sealed} receipts")
            }
            Self::RecordMissing { sequence } => write!(f, "receipt {sequence} is missing"),
            Self::HeadDiffers => f.write_str("the record is not the one that the vault has sealed"),
        }
    }
}
