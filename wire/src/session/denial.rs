use crate::Family;
use crate::codes::codes;

codes! {
    /// Why the vault gives no session. The numbers follow the families of [`crate::Refusal`] with the
    /// hundreds digit 6 and never stand for a refusal. Whoever sits between the two can make one up.
    Denial;

    /// The handshake does not decrypt: another boot, another book, another channel, or tampered with.
    HandshakeNotAuthentic = 1600,
    /// The payload of the first handshake message is neither empty nor a certificate.
    CertificateMalformed = 1601,
    /// A frame that belongs into a session, outside of one.
    SessionRequired = 1602,
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
    /// The vault holds as many sessions as it can, or as one client may have.
    SessionsFull = 4600,
    /// The vault cannot make its attestation document now.
    AttestationUnavailable = 4601,
    /// The vault knows as many clients as it can tell apart in one boot.
    ClientTableFull = 4602,
}

impl Denial {
    /// What kind of "no" this is.
    #[must_use]
    pub const fn family(self) -> Family {
        Family::of(self.code())
    }
}
