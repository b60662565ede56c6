macro_rules! denials {
    ($($(#[doc = $doc:literal])+ $name:ident = $code:literal,)+) => {
        /// Why the vault gives no session. The numbers follow the families of [`crate::Refusal`] with the
        /// hundreds digit 6 and never stand for a refusal. Whoever sits between the two can make one up.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(u16)]
        pub enum Denial {
            $($(#[doc = $doc])+ $name = $code,)+
        }

        impl Denial {
            /// Every denial, in the order of its code.
            pub const ALL: &'static [Self] = &[$(Self::$name,)+];

            /// The stable number.
            #[must_use]
            pub const fn code(self) -> u16 {
                self as u16
            }

            /// The denial of a number, if there is one.
            #[must_use]
            pub const fn from_code(code: u16) -> Option<Self> {
                match code {
                    $($code => Some(Self::$name),)+
                    _ => None,
                }
            }

            /// The denial's name in logs.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$name => stringify!($name),)+
                }
            }

            /// One sentence for people.
            #[must_use]
            pub const fn explanation(self) -> &'static str {
                match self {
                    $(Self::$name => concat!($($doc,)+).trim_ascii(),)+
                }
            }
        }
    };
}

denials! {
    /// The handshake does not decrypt: another boot, another book, another channel, or tampered with.
    HandshakeNotAuthentic = 1600,
    /// The payload of the first handshake message is neither empty nor a certificate.
    CertificateMalformed = 1601,
    /// The client's key is not in the book and it brought no certificate.
    ClientNotKnown = 3600,
    /// The client's key was cut off.
    ClientCut = 3601,
    /// The certificate is for another desk.
    CertificateOfAnotherDesk = 3602,
    /// The book has no such role.
    RoleNotKnown = 3603,
    /// The certificate is not by an operator of the book.
    OperatorNotKnown = 3604,
    /// The certificate is for another client's key.
    CertificateOfAnotherKey = 3605,
    /// The certificate is valid for longer than 30 days or than its role allows.
    CertificateTooLong = 3606,
    /// The certificate is not valid yet.
    CertificateNotYetValid = 3607,
    /// The certificate has expired.
    CertificateExpired = 3608,
    /// The operator's signature of the certificate does not verify.
    CertificateSignatureWrong = 3609,
    /// This key has no business on this channel.
    ChannelNotAllowed = 3610,
    /// The vault holds as many sessions as it can.
    SessionsFull = 4600,
    /// The vault cannot make its attestation document now.
    AttestationUnavailable = 4601,
}
