use core::fmt;

use wire::frame::FrameFault;
use wire::session::Denial;

/// Why there is no session, or no longer one. After a fault the handshake or session is over; the connection
/// is closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The frame is not the one that belongs here.
    Frame(FrameFault),
    /// A body or frame is smaller than the least that makes sense.
    TooShort {
        /// its size in bytes
        size: usize,
        /// the least
        size_min: usize,
    },
    /// A body or frame is larger than its cap.
    TooLong {
        /// its size in bytes
        size: usize,
        /// the cap
        size_max: usize,
    },
    /// The caller's buffer is too small.
    BufferTooSmall {
        /// its size in bytes
        size: usize,
        /// what was needed
        needed: usize,
    },
    /// It does not decrypt: another key, boot, book or channel, another place in the sequence, or tampered with.
    NotAuthentic,
    /// A public key is of low order or not in its canonical form.
    KeyRefused,
    /// The payload of the first handshake message is neither empty nor a certificate.
    NotACertificate,
    /// The payload of the second handshake message is not a welcome.
    NotAWelcome,
    /// The vault says another boot than its attestation document.
    WelcomeOfAnotherBoot,
    /// The vault says another book than its attestation document.
    WelcomeOfAnotherPolicy,
    /// The vault says another receipt key than its attestation document.
    WelcomeOfAnotherReceiptKey,
    /// Somebody, the vault or whoever sits between, says that there will be no session: a [`Denial`]'s code.
    Denied {
        /// the code; a later vault may know more of them
        code: u16,
    },
    /// The direction has carried as many messages as it may.
    Exhausted,
    /// An earlier fault ended the session.
    Closed,
    /// The state machine refused its own use; a defect.
    Defect,
}

impl Fault {
    /// What the vault tells a client whose handshake failed so; `None` when there is nothing to tell it.
    #[must_use]
    pub const fn denial(&self) -> Option<Denial> {
        match self {
            Self::NotAuthentic | Self::KeyRefused => Some(Denial::HandshakeNotAuthentic),
            Self::NotACertificate => Some(Denial::CertificateMalformed),
            Self::Frame(_)
            | Self::TooShort { .. }
            | Self::TooLong { .. }
            | Self::BufferTooSmall { .. }
            | Self::NotAWelcome
            | Self::WelcomeOfAnotherBoot
            | Self::WelcomeOfAnotherPolicy
            | Self::WelcomeOfAnotherReceiptKey
            | Self::Denied { .. }
            | Self::Exhausted
            | Self::Closed
            | Self::Defect => None,
        }
    }
}

impl From<FrameFault> for Fault {
    fn from(fault: FrameFault) -> Self {
        Self::Frame(fault)
    }
}

impl From<snow::Error> for Fault {
    #[expect(clippy::wildcard_enum_match_arm, reason = "the enum is open, and all the rest are defects")]
    fn from(error: snow::Error) -> Self {
        match error {
            snow::Error::Decrypt => Self::NotAuthentic,
            snow::Error::Dh => Self::KeyRefused,
            snow::Error::State(snow::error::StateProblem::Exhausted) => Self::Exhausted,
            _ => Self::Defect,
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Frame(fault) => write!(formatter, "not the frame that belongs here: {fault:?}"),
            Self::TooShort { size, size_min } => write!(formatter, "{size} bytes, at least {size_min}"),
            Self::TooLong { size, size_max } => write!(formatter, "{size} bytes, at most {size_max}"),
            Self::BufferTooSmall { size, needed } => {
                write!(formatter, "a buffer of {size} bytes where {needed} are needed")
            }
            Self::NotAuthentic => formatter.write_str(
                "does not decrypt: another key, boot, book, channel or place in the sequence, or tampered with",
            ),
            Self::KeyRefused => formatter.write_str("a public key of low order or not in canonical form"),
            Self::NotACertificate => formatter.write_str("the handshake's payload is no certificate"),
            Self::NotAWelcome => formatter.write_str("the handshake's answer is no welcome"),
            Self::WelcomeOfAnotherBoot => formatter.write_str("another boot than the attested one"),
            Self::WelcomeOfAnotherPolicy => formatter.write_str("another book than the attested one"),
            Self::WelcomeOfAnotherReceiptKey => {
                formatter.write_str("another receipt key than the attested one")
            }
            Self::Denied { code } => match Denial::from_code(*code) {
                Some(denial) => write!(formatter, "denied ({code} {}): {}", denial.name(), denial.explanation()),
                None => write!(formatter, "denied with code {code}, which this build does not know"),
            },
            Self::Exhausted => formatter.write_str("the session has carried all the messages it may"),
            Self::Closed => formatter.write_str("the session ended with an earlier fault"),
            Self::Defect => formatter.write_str("the handshake was driven in the wrong order"),
        }
    }
}

impl core::error::Error for Fault {}
