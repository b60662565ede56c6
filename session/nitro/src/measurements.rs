//! Which images are allowed: a list that an operator signs.
//!
//! ```text
//! measurements.json       {"version": 1, "images": [{"name": "…", "pcr0": "96 digits", "pcr1": "…", "pcr2": "…"}, …]}
//!                         and "pcr3", "pcr4", "pcr8" where the role, the instance or the signer are to be held too
//! measurements.json.sig   64 bytes: Ed25519 (RFC 8032) over "portcullis measurements v1" ‖ the file's bytes
//! ```
//! Several images are allowed together: the old one and the new one while vaults are replaced. The bytes are checked before
//! they are read.

use core::fmt;

use ed25519_dalek::{Signature, VerifyingKey};
use serde::Deserialize;

use crate::document::{Document, PCR_SIZE};

/// What is signed begins with this.
pub const MEASUREMENTS_DOMAIN: &[u8; 26] = b"portcullis measurements v1";

/// Largest list, bytes.
pub const MEASUREMENTS_SIZE_MAX: usize = 64 * 1024;

/// Most images of a list.
pub const IMAGES_MAX: usize = 16;

/// Measurements that every image of a list names.
const NEEDED: [usize; 3] = [0, 1, 2];

/// Images that are allowed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Measurements {
    images: Vec<Image>,
}

/// An image by its measurements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    name: String,
    /// Index and value.
    pcrs: Vec<(usize, [u8; PCR_SIZE])>,
}

/// Why a list is not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MeasurementsFault {
    /// It is longer than [`MEASUREMENTS_SIZE_MAX`].
    TooLong,
    /// The signature is not the operator's.
    SignatureWrong,
    /// It is no list of this form.
    Malformed,
    /// It names no image, or more than [`IMAGES_MAX`].
    ImageCount,
    /// A value is not 96 hexadecimal digits.
    Digits,
    /// An image whose PCR0 is zero is one in debug mode, and none is allowed.
    Debug,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct List {
    version: u32,
    images: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    name: String,
    pcr0: String,
    pcr1: String,
    pcr2: String,
    pcr3: Option<String>,
    pcr4: Option<String>,
    pcr8: Option<String>,
}

impl Measurements {
    /// The images of a list, if this operator signed it.
    ///
    /// # Errors
    /// [`MeasurementsFault`].
    pub fn read(list: &[u8], signature: &[u8; 64], operator: &[u8; 32]) -> Result<Self, MeasurementsFault> {
        if list.len() > MEASUREMENTS_SIZE_MAX {
            return Err(MeasurementsFault::TooLong);
        }
        let key = VerifyingKey::from_bytes(operator).map_err(|_| MeasurementsFault::SignatureWrong)?;
        key.verify_strict(&signed(list), &Signature::from_bytes(signature))
            .map_err(|_| MeasurementsFault::SignatureWrong)?;
        let list: List = serde_json::from_slice(list).map_err(|_| MeasurementsFault::Malformed)?;
        if list.version != 1 {
            return Err(MeasurementsFault::Malformed);
        }
        Self::of(list.images.into_iter().map(Image::read).collect::<Result<_, _>>()?)
    }

    /// These images, for who knows them from elsewhere.
    ///
    /// # Errors
    /// [`MeasurementsFault::ImageCount`], [`MeasurementsFault::Debug`].
    pub fn of(images: Vec<Image>) -> Result<Self, MeasurementsFault> {
        if images.is_empty() || images.len() > IMAGES_MAX {
            return Err(MeasurementsFault::ImageCount);
        }
        let is_debug = |image: &Image| image.pcrs.iter().any(|(index, value)| *index == 0 && is_zero(value));
        if images.iter().any(is_debug) {
            return Err(MeasurementsFault::Debug);
        }
        Ok(Self { images })
    }

    /// The image that a document speaks of, if it is allowed.
    #[must_use]
    pub fn find(&self, document: &Document<'_>) -> Option<&Image> {
        self.images.iter().find(|image| image.is_of(document))
    }
}

impl Image {
    /// An image by its name and measurements 0, 1 and 2.
    #[must_use]
    pub fn new(name: &str, pcrs: [[u8; PCR_SIZE]; 3]) -> Self {
        Self { name: name.to_owned(), pcrs: NEEDED.into_iter().zip(pcrs).collect() }
    }

    /// Its name, for people.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    fn read(entry: Entry) -> Result<Self, MeasurementsFault> {
        let Entry { name, pcr0, pcr1, pcr2, pcr3, pcr4, pcr8 } = entry;
        let named = [(0, Some(pcr0)), (1, Some(pcr1)), (2, Some(pcr2)), (3, pcr3), (4, pcr4), (8, pcr8)];
        let named = named.into_iter().filter_map(|(index, digits)| Some((index, digits?)));
        let pcrs = named.map(|(index, digits)| Ok((index, value(&digits)?))).collect::<Result<_, _>>()?;
        Ok(Self { name, pcrs })
    }

    fn is_of(&self, document: &Document<'_>) -> bool {
        self.pcrs.iter().all(|(index, value)| document.pcr(*index) == Some(value))
    }
}

/// The bytes that an operator signs.
#[must_use]
pub fn signed(list: &[u8]) -> Vec<u8> {
    [&MEASUREMENTS_DOMAIN[..], list].concat()
}

pub(crate) fn is_zero(value: &[u8; PCR_SIZE]) -> bool {
    value.iter().all(|byte| *byte == 0)
}

fn value(digits: &str) -> Result<[u8; PCR_SIZE], MeasurementsFault> {
    let (pairs, rest) = digits.as_bytes().as_chunks::<2>();
    let mut value = [0; PCR_SIZE];
    if pairs.len() != PCR_SIZE || !rest.is_empty() {
        return Err(MeasurementsFault::Digits);
    }
    for (byte, pair) in value.iter_mut().zip(pairs) {
        let [high, low] = pair.map(|digit| char::from(digit).to_digit(16));
        let pair = high.zip(low).and_then(|(high, low)| u8::try_from(high << 4 | low).ok());
        *byte = pair.ok_or(MeasurementsFault::Digits)?;
    }
    Ok(value)
}

impl fmt::Display for MeasurementsFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::TooLong => "the list of measurements is longer than 64 KiB",
            Self::SignatureWrong => "the list of measurements is not signed by this operator",
            Self::Malformed => "not a list of measurements of version 1",
            Self::ImageCount => "a list of measurements names 1 to 16 images",
            Self::Digits => "a measurement is 96 hexadecimal digits",
            Self::Debug => "an image in debug mode (PCR0 zero) is never allowed",
        })
    }
}

impl core::error::Error for MeasurementsFault {}
