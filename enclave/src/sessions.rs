//! Who may ask, and what the vault is willing to do for them.
//!
//! [`Sessions::admit`] stands before the decoder and [`Admitted::check`] behind it: halted is refused before a payload
//! is looked at; what a stricter mode lets through depends on what the payload does ([`Effect`]).
//!
//! Clients have no sessions yet: until then whoever reaches the socket may ask for whatever the book allows; the host
//! checks the peer's uid.

use venues::Effect;
use wire::request::Request;
use wire::{Mode, Refusal, Why};

use crate::latches::Latches;

/// A request that may be looked at. [`Sessions::admit`] is its only constructor.
#[derive(Debug)]
pub struct Admitted<'f> {
    request: Request<'f>,
    mode: Mode,
}

impl<'f> Admitted<'f> {
    /// The request.
    #[must_use]
    pub fn request(&self) -> &Request<'f> {
        &self.request
    }

    /// Whether the mode in force lets a payload with this effect through.
    ///
    /// # Errors
    /// [`Refusal::ReduceOnlyMode`], [`Refusal::CancelOnlyMode`], [`Refusal::Halted`].
    pub fn check(&self, effect: Effect) -> Result<(), Why> {
        match (self.mode, effect) {
            (Mode::Live, _)
            | (Mode::ReduceOnly, Effect::Cancels | Effect::Reduces)
            | (Mode::CancelOnly, Effect::Cancels) => Ok(()),
            (Mode::ReduceOnly, Effect::Opens) => Err(Refusal::ReduceOnlyMode.into()),
            (Mode::CancelOnly, Effect::Reduces | Effect::Opens) => Err(Refusal::CancelOnlyMode.into()),
            (Mode::Halted, _) => Err(Refusal::Halted.into()),
        }
    }
}

/// Sessions and what holds them back.
#[derive(Debug)]
pub struct Sessions {
    /// What holds the vault back.
    pub latches: Latches,
}

impl Sessions {
    /// No client yet.
    #[must_use]
    pub const fn at_boot(latches: Latches) -> Self {
        Self { latches }
    }

    /// Lets a request in.
    ///
    /// # Errors
    /// [`Refusal::Halted`].
    pub fn admit<'f>(&self, request: Request<'f>) -> Result<Admitted<'f>, Why> {
        match self.latches.mode_for(None, request.payload_kind.venue()) {
            Mode::Halted => Err(Refusal::Halted.into()),
            mode @ (Mode::Live | Mode::ReduceOnly | Mode::CancelOnly) => Ok(Admitted { request, mode }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wire::request::PayloadKind;

    fn admitted(mode: Mode) -> Admitted<'static> {
        let request = Request {
            key_slot: 0,
            payload_kind: PayloadKind::EvmEip1559,
            return_canonical: false,
            request_id: 1,
            payload: &[],
        };
        Admitted { request, mode }
    }

    #[test]
    fn each_mode_lets_through_what_its_name_says_and_nothing_else() {
        use Effect::{Cancels, Opens, Reduces};
        let let_through = |mode| {
            let effects = [Cancels, Reduces, Opens];
            effects.into_iter().filter(|effect| admitted(mode).check(*effect).is_ok()).collect::<Vec<_>>()
        };
        assert_eq!(let_through(Mode::Live), [Cancels, Reduces, Opens]);
        assert_eq!(let_through(Mode::ReduceOnly), [Cancels, Reduces]);
        assert_eq!(let_through(Mode::CancelOnly), [Cancels]);
        assert_eq!(let_through(Mode::Halted), []);
        assert_eq!(admitted(Mode::ReduceOnly).check(Opens).unwrap_err().refusal, Refusal::ReduceOnlyMode);
        assert_eq!(admitted(Mode::CancelOnly).check(Reduces).unwrap_err().refusal, Refusal::CancelOnlyMode);
    }
}
