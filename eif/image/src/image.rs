//! The file: header and sections.

use core::fmt;

use crate::{Measurements, Metadata};

const MAGIC: [u8; 4] = *b".eif";
const VERSION: u16 = 4;

/// What Amazon's tool writes; nitro-cli takes memory and processors from its own command line.
const MEMORY: u64 = 1024 * 1024 * 1024;
const PROCESSORS: u64 = 2;

/// Places for sections in a header.
const SECTIONS_MAX: usize = 32;

/// Bytes of a header: 28, offsets and sizes of 32 sections, 8.
const HEADER_SIZE: usize = 28 + 2 * 8 * SECTIONS_MAX + 8;
const SECTION_HEADER_SIZE: usize = 12;

/// Where the CRC stands: it covers everything but itself.
const CRC_AT: usize = HEADER_SIZE - 4;

/// Most ramdisks of an image.
pub const RAMDISKS_MAX: usize = 8;

/// Longest command line, bytes (`COMMAND_LINE_SIZE` of Linux on x86).
pub const CMDLINE_SIZE_MAX: usize = 2_048;

/// Largest metadata section, bytes.
pub const METADATA_SIZE_MAX: usize = 2 * 1024 * 1024;

const KERNEL: u16 = 1;
const CMDLINE: u16 = 2;
const RAMDISK: u16 = 3;
const METADATA: u16 = 5;

/// An image that was read.
#[derive(Clone, Debug)]
pub struct Image<'i> {
    /// The kernel.
    pub kernel: &'i [u8],
    /// Its command line.
    pub cmdline: &'i str,
    /// What the image says of itself; not measured.
    pub metadata: &'i [u8],
    /// Ramdisks, in order.
    pub ramdisks: Vec<&'i [u8]>,
}

/// Why there is no image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImageFault {
    /// It ends too early.
    Truncated,
    /// It does not begin with ".eif".
    NotAnImage,
    /// It is of another version than 4.
    Version {
        /// the version
        found: u16,
    },
    /// A field of the header that is to be zero, or one of the defaults, is not.
    Header,
    /// The sections are not kernel, command line, metadata and 1 to 8 ramdisks.
    Sections,
    /// A section is not where the header says, or of another size.
    Place {
        /// which one, from 0
        section: usize,
    },
    /// The command line is longer than [`CMDLINE_SIZE_MAX`], no ASCII, or has a control character.
    Cmdline,
    /// The metadata are larger than [`METADATA_SIZE_MAX`].
    Metadata,
    /// Bytes follow the last section.
    TrailingBytes,
    /// The CRC is another one.
    Crc,
}

/// Writes an image of these parts.
///
/// # Errors
/// [`ImageFault::Sections`], [`ImageFault::Cmdline`], [`ImageFault::Metadata`].
pub fn write(
    kernel: &[u8],
    cmdline: &str,
    metadata: &Metadata,
    ramdisks: &[&[u8]],
) -> Result<Vec<u8>, ImageFault> {
    if ramdisks.is_empty() || ramdisks.len() > RAMDISKS_MAX {
        return Err(ImageFault::Sections);
    }
    check_cmdline(cmdline.as_bytes())?;
    let metadata = serde_json::to_vec(metadata).map_err(|_| ImageFault::Metadata)?;
    if metadata.len() > METADATA_SIZE_MAX {
        return Err(ImageFault::Metadata);
    }
    let front = [(KERNEL, kernel), (CMDLINE, cmdline.as_bytes()), (METADATA, &metadata[..])];
    let sections: Vec<(u16, &[u8])> =
        front.into_iter().chain(ramdisks.iter().map(|ramdisk| (RAMDISK, *ramdisk))).collect();
    let sizes: Vec<u64> = sections.iter().map(|(_, content)| content.len() as u64).collect();
    let mut image = header(&sizes);
    for (kind, content) in sections {
        image.extend_from_slice(&section_header(kind, content.len() as u64));
        image.extend_from_slice(content);
    }
    let crc = crc(&image).to_be_bytes();
    if let Some(place) = image.get_mut(CRC_AT..HEADER_SIZE) {
        place.copy_from_slice(&crc);
    }
    Ok(image)
}

impl<'i> Image<'i> {
    /// Reads an image.
    ///
    /// # Errors
    /// [`ImageFault`].
    pub fn read(bytes: &'i [u8]) -> Result<Self, ImageFault> {
        let (front, mut rest) = bytes.split_at_checked(HEADER_SIZE).ok_or(ImageFault::Truncated)?;
        if front.get(..4) != Some(&MAGIC[..]) {
            return Err(ImageFault::NotAnImage);
        }
        let found = number::<2>(front, 4);
        if found != u64::from(VERSION) {
            return Err(ImageFault::Version { found: u16::try_from(found).unwrap_or(u16::MAX) });
        }
        let count = usize::try_from(number::<2>(front, 26)).unwrap_or(usize::MAX);
        if !(4..=3 + RAMDISKS_MAX).contains(&count) {
            return Err(ImageFault::Sections);
        }
        let sizes: Vec<u64> = (0..count).map(|at| number::<8>(front, 28 + 8 * (SECTIONS_MAX + at))).collect();
        // The one header of these sizes, all but the CRC.
        let expected = header(&sizes);
        if front.get(..CRC_AT) != expected.get(..CRC_AT) {
            return Err(wrong_header(front, &expected, count));
        }
        let mut sections = Vec::with_capacity(count);
        for (section, size) in sizes.into_iter().enumerate() {
            let kind = kind_at(section);
            let (own, behind) = rest.split_at_checked(SECTION_HEADER_SIZE).ok_or(ImageFault::Truncated)?;
            if own != section_header(kind, size) {
                return Err(ImageFault::Place { section });
            }
            let size = usize::try_from(size).map_err(|_| ImageFault::Truncated)?;
            let (content, behind) = behind.split_at_checked(size).ok_or(ImageFault::Truncated)?;
            sections.push(content);
            rest = behind;
        }
        if !rest.is_empty() {
            return Err(ImageFault::TrailingBytes);
        }
        if number::<4>(front, CRC_AT) != u64::from(crc(bytes)) {
            return Err(ImageFault::Crc);
        }
        Self::of(&sections)
    }

    fn of(sections: &[&'i [u8]]) -> Result<Self, ImageFault> {
        let [kernel, cmdline, metadata, ramdisks @ ..] = sections else { return Err(ImageFault::Sections) };
        if metadata.len() > METADATA_SIZE_MAX {
            return Err(ImageFault::Metadata);
        }
        Ok(Self { kernel, cmdline: check_cmdline(cmdline)?, metadata, ramdisks: ramdisks.to_vec() })
    }

    /// What a Nitro machine measures when it starts this image.
    #[must_use]
    pub fn measurements(&self) -> Measurements {
        Measurements::of(self.kernel, self.cmdline.as_bytes(), &self.ramdisks)
    }

    /// The metadata, if they are those of an image of ours or of Amazon's tool.
    #[must_use]
    pub fn metadata(&self) -> Option<Metadata> {
        serde_json::from_slice(self.metadata).ok()
    }
}

/// The sections are in this order.
fn kind_at(section: usize) -> u16 {
    match section {
        0 => KERNEL,
        1 => CMDLINE,
        2 => METADATA,
        _ => RAMDISK,
    }
}

/// A header, its CRC left zero. The sections follow it without gaps.
fn header(sizes: &[u64]) -> Vec<u8> {
    let mut header = Vec::with_capacity(HEADER_SIZE);
    header.extend_from_slice(&MAGIC);
    header.extend_from_slice(&VERSION.to_be_bytes());
    header.extend_from_slice(&0_u16.to_be_bytes());
    header.extend_from_slice(&MEMORY.to_be_bytes());
    header.extend_from_slice(&PROCESSORS.to_be_bytes());
    header.extend_from_slice(&0_u16.to_be_bytes());
    header.extend_from_slice(&u16::try_from(sizes.len()).unwrap_or(u16::MAX).to_be_bytes());
    let mut at = HEADER_SIZE as u64;
    for place in 0..SECTIONS_MAX {
        let size = sizes.get(place);
        header.extend_from_slice(&size.map_or(0, |_| at).to_be_bytes());
        at = at.saturating_add(size.map_or(0, |size| size.saturating_add(SECTION_HEADER_SIZE as u64)));
    }
    for place in 0..SECTIONS_MAX {
        header.extend_from_slice(&sizes.get(place).copied().unwrap_or(0).to_be_bytes());
    }
    header.resize(HEADER_SIZE, 0);
    header
}

/// Which part of a header is another one: an offset, or the rest.
fn wrong_header(found: &[u8], expected: &[u8], count: usize) -> ImageFault {
    let offset = |header: &[u8], section| number::<8>(header, 28 + 8 * section);
    let wrong = (0..count).find(|section| offset(found, *section) != offset(expected, *section));
    wrong.map_or(ImageFault::Header, |section| ImageFault::Place { section })
}

fn section_header(kind: u16, size: u64) -> [u8; SECTION_HEADER_SIZE] {
    let mut header = [0; SECTION_HEADER_SIZE];
    let parts = [&kind.to_be_bytes()[..], &[0, 0], &size.to_be_bytes()];
    header.iter_mut().zip(parts.into_iter().flatten()).for_each(|(into, from)| *into = *from);
    header
}

/// The big-endian number of `N` bytes at a place; 0 beyond the end, which no caller asks for.
fn number<const N: usize>(bytes: &[u8], at: usize) -> u64 {
    let bytes = bytes.get(at..).and_then(|bytes| bytes.first_chunk::<N>()).copied().unwrap_or([0; N]);
    bytes.iter().fold(0, |number, byte| number << 8 | u64::from(*byte))
}

/// CRC-32 (ISO-HDLC) over everything but its own four bytes.
fn crc(image: &[u8]) -> u32 {
    let mut crc = crc32fast::Hasher::new();
    crc.update(image.get(..CRC_AT).unwrap_or_default());
    crc.update(image.get(HEADER_SIZE..).unwrap_or_default());
    crc.finalize()
}

fn check_cmdline(bytes: &[u8]) -> Result<&str, ImageFault> {
    if bytes.len() > CMDLINE_SIZE_MAX || !bytes.iter().all(|byte| matches!(byte, b' '..=b'~')) {
        return Err(ImageFault::Cmdline);
    }
    str::from_utf8(bytes).map_err(|_| ImageFault::Cmdline)
}

impl fmt::Display for ImageFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Truncated => f.write_str("the image ends too early"),
            Self::NotAnImage => f.write_str("not an enclave image: it does not begin with \".eif\""),
            Self::Version { found } => write!(f, "an image of version {found}, not {VERSION}"),
            Self::Header => f.write_str("a field of the header has another value than images have"),
            Self::Sections => f.write_str("not kernel, command line, metadata and 1 to 8 ramdisks"),
            Self::Place { section } => write!(f, "section {section} is not where the header says"),
            Self::Cmdline => f.write_str("the command line is too long, or not plain text"),
            Self::Metadata => f.write_str("the metadata are too large"),
            Self::TrailingBytes => f.write_str("bytes follow the last section"),
            Self::Crc => f.write_str("the checksum is another one: the image was changed or cut"),
        }
    }
}

impl core::error::Error for ImageFault {}
