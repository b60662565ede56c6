//! Who may ask, and whether the vault is willing at all.
//!
//! Clients have no sessions yet: the session layer (Noise IK, sequence numbers, scopes) comes later and takes its place in [`Sessions::admit`], before a payload is looked at. Until then whoever reaches
//! the socket may ask for whatever the book allows; the host checks the peer's uid.

use wire::control::Mode;
use wire::request::Request;
use wire::{Refusal, Why};

/// A request that may be looked at. [`Sessions::admit`] is its only constructor.
#[derive(Debug)]
pub struct Admitted<'f>(Request<'f>);

impl<'f> Admitted<'f> {
    /// The request.
    #[must_use]
    pub fn request(&self) -> &Request<'f> {
        &self.0
    }
}

/// Sessions and the mode of this boot.
#[derive(Debug)]
pub struct Sessions {
    mode: Mode,
}

impl Sessions {
    /// Boot mode is live; the other modes come later.
    #[must_use]
    pub const fn at_boot() -> Self {
        Self { mode: Mode::Live }
    }

    /// Halts for good: nothing in this process makes the mode live again.
    pub fn kill(&mut self) {
        self.mode = Mode::Halted;
    }

    /// The mode.
    #[must_use]
    pub const fn mode(&self) -> Mode {
        self.mode
    }

    /// Lets a request in.
    ///
    /// # Errors
    /// [`Refusal::Halted`].
    pub fn admit<'f>(&self, request: Request<'f>) -> Result<Admitted<'f>, Why> {
        match self.mode {
            Mode::Live => Ok(Admitted(request)),
            Mode::ReduceOnly => Err(Refusal::ReduceOnlyMode.into()),
            Mode::CancelOnly => Err(Refusal::CancelOnlyMode.into()),
            Mode::Halted => Err(Refusal::Halted.into()),
        }
    }
}
