use bincode::{BorrowDecode, Encode};

use crate::Venue;

/// What the vault is willing to do, from the most to the least; a greater mode is stricter.
///
/// What counts as a cancel and as a reduction is a venue's own: `venues::Effect`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Encode, BorrowDecode)]
pub enum Mode {
    /// Signs what the book allows.
    Live,
    /// Signs only what can shrink a position or takes an order away.
    ReduceOnly,
    /// Signs only what takes an order away.
    CancelOnly,
    /// Signs nothing.
    Halted,
}

impl Mode {
    /// Every mode, the strictest last.
    pub const ALL: [Self; 4] = [Self::Live, Self::ReduceOnly, Self::CancelOnly, Self::Halted];

    /// The mode's name in books, logs and commands.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Live => "live",
            Self::ReduceOnly => "reduce-only",
            Self::CancelOnly => "cancel-only",
            Self::Halted => "halted",
        }
    }

    /// The mode of a name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|mode| mode.as_str() == name)
    }
}

/// What a mode is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Encode, BorrowDecode)]
pub enum Scope {
    /// The whole vault.
    Everything,
    /// One venue.
    Venue(Venue),
    /// One client, by its public session key (X25519).
    Client([u8; 32]),
}
