//! Errors a bot can act on.

use core::fmt;

use transport::Error;
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
    /// The request was sent and no reply came. The vault may have signed it, and whoever saw the signature may
    /// have sent it: ask the venue before anything like it is sent again.
    OutcomeUnknown {
        /// number of the request, as it would stand in its receipt
        request_id: u64,
        /// how the reply was lost
        cause: Error,
    },
    /// No connection could be made, so nothing was signed.
    NotConnected {
        /// how often it was tried
        attempts: u32,
        /// what went wrong the last time
        trouble: Trouble,
    },
    /// What came back is not this vault's answer to this request. What became of the request is not known.
    ProtocolViolation {
        /// number of the request
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
            | Self::ProtocolViolation { .. }
            | Self::PayloadTooLong { .. } => false,
        }
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
    /// The record of the decision; empty when the vault could not seal one.
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

    /// Whether the same request may succeed later by itself: only when the vault was busy.
    #[must_use]
    pub fn is_retryable(&self) -> bool {
        self.family() == Family::Unavailable && self.refusal != Refusal::Halted
    }

    /// What the vault understood of the payload, as JSON text; `None` when it did not get that far.
    #[must_use]
    pub fn facts_json(&self) -> Option<String> {
        let receipt = wire::receipt::Receipt::read(&self.receipt).ok()?;
        crate::signed::facts_json(receipt.facts)
    }
}

/// Why there is no connection.
#[derive(Debug)]
pub enum Trouble {
    /// The socket failed.
    Transport(Error),
    /// All of the vault's connections are taken.
    TurnedAway,
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
                "request {request_id} was sent but its reply was lost ({cause}): it may have been signed, ask the venue before sending it again",
            ),
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
            Self::OutcomeUnknown { cause, .. }
            | Self::NotConnected { trouble: Trouble::Transport(cause), .. } => Some(cause),
            Self::Refused(_)
            | Self::RefusedByLaterBuild { .. }
            | Self::Halted
            | Self::NotConnected { .. }
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

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Transport(error) => error.fmt(f),
            Self::TurnedAway => f.write_str("all of the vault's connections are taken"),
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
        assert!(retryable(Refusal::TooManyConnections));
        for refusal in
            [Refusal::Halted, Refusal::SizeAboveCap, Refusal::TrailingBytes, Refusal::ReceiptNotSealed]
        {
            assert!(!retryable(refusal), "{}", refusal.name());
        }
    }
}
