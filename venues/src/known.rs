//! What a venue's decoder knows by name, for the documents and for the tests that hold them to the code.

/// Something that a venue's clients send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Known {
    /// The venue's own name for it, as it stands in a receipt's facts.
    pub name: &'static str,
    /// What it does; for what is refused, why.
    pub what: &'static str,
}

/// What one venue's clients send.
#[derive(Clone, Copy, Debug)]
pub struct Catalogue {
    /// The venue.
    pub venue: &'static str,
    /// Decoded whole, judged, and signed if a book allows it.
    pub understood: &'static [Known],
    /// Known and refused as unsupported, whatever the book says.
    pub refused: &'static [Known],
}

/// Writes a list of [`Known`].
macro_rules! known {
    ($($name:literal => $what:literal,)+) => {
        &[$($crate::known::Known { name: $name, what: $what },)+]
    };
}

pub(crate) use known;
