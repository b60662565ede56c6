//! Enclave image files (EIF, version 4): written the same each time, read strictly, measured as Nitro measures them.
//!
//! ```text
//! header    548 bytes   magic ".eif", version, memory, processors, where the sections are, CRC-32
//! sections  each 12 bytes and its content: kernel, command line, metadata, ramdisks
//! PCR0 = extend(kernel ‖ command line ‖ all ramdisks)      PCR1 = extend(kernel ‖ command line ‖ first ramdisk)
//! PCR2 = extend(the other ramdisks)                         extend(x) = SHA-384(48 zeros ‖ SHA-384(x))
//! ```
//! All integers are big-endian. The metadata are **not measured**: what they say is the builder's word. Facts of the format are
//! those of Amazon's aws-nitro-enclaves-image-format 0.8.1.
//!
//! Guarantees: the same parts give the same bytes; what is read is exactly one image, without gaps, and its CRC is right.
//! Refuses signed images, which this project does not make.

#![forbid(unsafe_code)]

mod cpio;
mod image;
mod measure;
mod metadata;

pub use cpio::{Archive, CpioFault, Entry};
pub use image::{CMDLINE_SIZE_MAX, Image, ImageFault, METADATA_SIZE_MAX, RAMDISKS_MAX, write};
pub use measure::{Measurements, PCR_SIZE};
pub use metadata::{Metadata, Policy};
