//! Errors a bot can act on.

use core::fmt;

use session::Fault;
use session::attestation::Distrust;
use transport::SessionError;
use wire::session::Denial;
use wire::{Family, Refusal, Shown};

/// Why there is no signature.
#[derive(Debug)]
pub enum SignError {
    /// The vault judged the request and said no.
    Refused(Box<Refused>),
    /// The vault said no for a reason that this build of the SDK has no name for.
    RefusedByLaterBuild {
        /// number of the request
        request_id: u64,
        /// the refusal's code
        code: u16,
    },
    /// The kill switch was pulled. Nothing will be signed until the operator starts the vault again.
    Halted,
    /// The request was sent and there is no reply. The vault may have signed it, and whoever saw the signature may
    /// have sent it. [`crate::Client::ask_again`] gets the vault's answer as long as the vault is the one that was asked;
    /// after another boot only the venue knows (the table in this crate's documentation).
    OutcomeUnknown {
        /// number of the request, as it would stand in its receipt
        request_id: u64,
        /// how the reply was lost
        cause: Lost,
    },
    /// No session could be opened and the request was never sent: nothing was signed.
    NotConnected {
        /// how often it was tried
        attempts: u32,
        /// what went wrong the last time
        trouble: SessionError,
    },
    /// What answers is not the vault that the configuration wants, or cannot prove that it is. Nothing was sent to it.
    Distrusted(Distrust),
    /// The vault, or whoever sits between, gives this bot no session: a [`Denial`]'s code. The request was never sent.
    Denied {
        /// the code; a later vault may know more of them
        code: u16,
    },
    /// A frame is not the vault's, not the next of its session, or does not belong here: somebody between changed,
    /// repeated, reordered or made it up. The session is over.
    SessionBroken {
        /// number of the request that waited for the frame and may have been signed, as with
        /// [`SignError::OutcomeUnknown`]; `None` when none was sent
        request_id: Option<u64>,
        /// what is wrong with it
        fault: Fault,
    },
    /// What came back is not this vault's answer to this request. What became of the request is not known.
    ProtocolViolation {
        /// number of the request; 0 for a heartbeat
        request_id: u64,
        /// what is wrong with it
        violation: Violation,
    },
    /// The payload is larger than any request may be; it was not sent.
    PayloadTooLong {
        /// bytes of the payload
        size: usize,
        /// bytes that fit
        size_max: usize,
    },
}

impl SignError {
    /// Whether the very same request may succeed later without anyone changing anything. False whenever it may
    /// have been signed already.
    #[must_use]
    pub fn is_retryable(&self) -> bool {
        match self {
            Self::NotConnected { .. } => true,
            Self::Refused(refused) => refused.is_retryable(),
            Self::RefusedByLaterBuild { .. }
            | Self::Halted
            | Self::OutcomeUnknown { .. }
            | Self::Distrusted(_)
            | Self::Denied { .. }
            | Self::SessionBroken { .. }
            | Self::ProtocolViolation { .. }
            | Self::PayloadTooLong { .. } => false,
        }
    }

    /// Whether the vault may have signed the request without this client having the signature.
    #[must_use]
    pub const fn is_outcome_unknown(&self) -> bool {
        matches!(
            self,
            Self::OutcomeUnknown { .. }
                | Self::ProtocolViolation { .. }
                | Self::SessionBroken { request_id: Some(_), .. }
        )
    }

    /// What the vault denied a session with, if it did and this build knows the code.
    #[must_use]
    pub const fn denial(&self) -> Option<Denial> {
        if let Self::Denied { code } = self { Denial::from_code(*code) } else { None }
    }
}

/// A refusal: the rule that was broken, the value it saw and its limit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// The broken rule.
    pub refusal: Refusal,
    /// What was seen.
    pub observed: Shown,
    /// What would have been allowed.
    pub limit: Shown,
    /// Which order, cancel or instruction it is about, counted from 0.
    pub subject: Option<u16>,
    /// The number the request had.
    pub request_id: u64,
    /// The record of the decision; empty when the vault could not seal one, or when this client is refused so often
    /// that its refusals are counted and not recorded one by one.
    pub receipt: Vec<u8>,
}

impl Refused {
    /// What kind of "no" it is.
    #[must_use]
    pub fn family(&self) -> Family {
        self.refusal.family()
    }

    /// The rule in one sentence.
    #[must_use]
    pub fn explanation(&self) -> &'static str {
        self.refusal.explanation()
    }

    /// Whether the same request may succeed later by itself: only when the vault was busy or waits for its host.
    #[must_use]
    pub fn is_retryable(&self) -> bool {
        self.family() == Family::Unavailable && !matches!(self.refusal, Refusal::Halted | Refusal::ClientCut)
    }

    /// What the vault understood of the payload, as JSON text; `None` when it did not get that far.
    #[must_use]
    pub fn facts_json(&self) -> Option<String> {
        let receipt = wire::receipt::Receipt::read(&self.receipt).ok()?;
        crate::signed::facts_json(receipt.facts)
    }
}

/// How a reply was lost.
#[derive(Debug)]
pub enum Lost {
    /// The session ended and the answer could not be had over another one; the vault that was asked may still have it.
    Session(SessionError),
    /// The vault has booted anew since, and what it had answered is gone with the boot before.
    BootChanged,
}

/// What is wrong with a reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Violation {
    /// It is no reply at all.
    NotAReply,
    /// It answers another request.
    AnotherRequest,
    /// It has no receipt.
    ReceiptMissing,
    /// Its receipt speaks of another request, key, payload kind or outcome, or is none.
    ReceiptDiffers,
    /// Its signature does not have the form of the payload's scheme.
    SignatureForm,
    /// Its receipt does not say what was signed.
    DigestMissing,
    /// Its receipt says that something else was signed than the payload.
    DigestDiffers,
    /// It carries canonical bytes that were not asked for.
    CanonicalUnasked,
    /// Its receipt is of another boot than the session.
    ReceiptOfAnotherBoot,
    /// Its receipt is of another book than the session.
    ReceiptOfAnotherPolicy,
    /// Its receipt names another client.
    ReceiptOfAnotherClient,
    /// Its receipt is not after the one before.
    ReceiptOutOfSequence,
    /// It is no answer to a heartbeat.
    NotAStanding,
}

impl fmt::Display for SignError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(refused) => refused.fmt(f),
            Self::RefusedByLaterBuild { code, .. } => {
                write!(f, "refused with code {code}, which this SDK is too old to explain")
            }
            Self::Halted => f.write_str(
                "halted: the kill switch was pulled and nothing is signed until the vault is started again",
            ),
            Self::OutcomeUnknown { request_id, cause } => write!(
                f,
                "request {request_id} was sent but its reply was lost ({cause}): it may have been signed",
            ),
            Self::Distrusted(distrust) => {
                write!(f, "the vault is not trusted, nothing was sent to it: {distrust}")
            }
            Self::Denied { code } => Fault::Denied { code: *code }.fmt(f),
            Self::SessionBroken { request_id: None, fault } => {
                write!(f, "no session, nothing was signed: somebody between, or not a vault: {fault}")
            }
            Self::SessionBroken { request_id: Some(id), fault } => {
                write!(f, "the answer to request {id} was tampered with; it may have been signed: {fault}")
            }
            Self::NotConnected { attempts, trouble } => {
                write!(f, "no connection after {attempts} attempts, nothing was signed: {trouble}")
            }
            Self::ProtocolViolation { request_id, violation } => {
                write!(f, "the answer to request {request_id} cannot be trusted: {violation}")
            }
            Self::PayloadTooLong { size, size_max } => {
                write!(f, "the payload has {size} bytes, a request takes {size_max}")
            }
        }
    }
}

impl std::error::Error for SignError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::OutcomeUnknown { cause: Lost::Session(cause), .. }
            | Self::NotConnected { trouble: cause, .. } => Some(cause),
            Self::Distrusted(distrust) => Some(distrust),
            Self::SessionBroken { fault, .. } => Some(fault),
            Self::Refused(_)
            | Self::RefusedByLaterBuild { .. }
            | Self::Halted
            | Self::OutcomeUnknown { cause: Lost::BootChanged, .. }
            | Self::Denied { .. }
            | Self::ProtocolViolation { .. }
            | Self::PayloadTooLong { .. } => None,
        }
    }
}

impl fmt::Display for Refused {
    /// One sentence: rule, what it says, which item, value and limit.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let explanation = self.explanation().trim_end_matches('.');
        write!(f, "{} by {}: {explanation}", self.family().as_str(), self.refusal.name())?;
        if let Some(subject) = self.subject {
            write!(f, " (item {subject})")?;
        }
        if self.observed != Shown::Nothing {
            write!(f, "; observed {}", self.observed)?;
        }
        if self.limit != Shown::Nothing {
            write!(f, "; limit {}", self.limit)?;
        }
        Ok(())
    }
}

impl fmt::Display for Lost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Session(error) => error.fmt(f),
            Self::BootChanged => f.write_str("the vault has booted anew: only the venue knows"),
        }
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotAReply => "it is no reply",
            Self::AnotherRequest => "it answers another request",
            Self::ReceiptMissing => "it has no receipt",
            Self::ReceiptDiffers => "its receipt speaks of something else",
            Self::SignatureForm => "its signature does not have the form of the payload's scheme",
            Self::DigestMissing => "its receipt does not say what was signed",
            Self::DigestDiffers => "its receipt says that something else was signed than the payload",
            Self::CanonicalUnasked => "it carries canonical bytes that were not asked for",
            Self::ReceiptOfAnotherBoot => "its receipt is of another boot than the session",
            Self::ReceiptOfAnotherPolicy => "its receipt is of another book than the session",
            Self::ReceiptOfAnotherClient => "its receipt names another client",
            Self::ReceiptOutOfSequence => "its receipt is not after the one before",
            Self::NotAStanding => "it is no answer to a heartbeat",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_reads_as_one_sentence_with_value_and_limit() {
        let refused = Refused {
            refusal: Refusal::SizeAboveCap,
            observed: Shown::Decimal { units: 12_500, scale: 3 },
            limit: Shown::Decimal { units: 10_000, scale: 3 },
            subject: Some(2),
            request_id: 7,
            receipt: Vec::new(),
        };
        assert_eq!(
            SignError::Refused(Box::new(refused)).to_string(),
            "denied by SizeAboveCap: The size is above the cap (item 2); observed 12.5; limit 10"
        );
    }

    #[test]
    fn only_a_busy_vault_is_worth_another_try() {
        let retryable = |refusal| {
            Refused {
                refusal,
                observed: Shown::Nothing,
                limit: Shown::Nothing,
                subject: None,
                request_id: 0,
                receipt: Vec::new(),
            }
            .is_retryable()
        };
        assert!(retryable(Refusal::ReceiptsNotAcknowledged));
        for refusal in [
            Refusal::Halted,
            Refusal::ClientCut,
            Refusal::SizeAboveCap,
            Refusal::TrailingBytes,
            Refusal::ReceiptNotSealed,
        ] {
            assert!(!retryable(refusal), "{}", refusal.name());
        }
    }
}
