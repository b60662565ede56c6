//! Enclave image files from arbitrary bytes, with a right checksum put in where there is room: so everything behind it is
//! reached. What is read and carries metadata of our form is written again as the same bytes.
#![no_main]

use eif::{Image, write};

/// Where the checksum stands, and where the sections begin.
const CRC: core::ops::Range<usize> = 544..548;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let mut image = bytes.to_vec();
    if image.len() >= CRC.end {
        let mut crc = crc32fast::Hasher::new();
        crc.update(&image[..CRC.start]);
        crc.update(&image[CRC.end..]);
        image[CRC].copy_from_slice(&crc.finalize().to_be_bytes());
    }
    let Ok(read) = Image::read(&image) else { return };
    let _ = read.measurements();
    let Some(metadata) = read.metadata() else { return };
    if serde_json::to_vec(&metadata).is_ok_and(|written| written == read.metadata) {
        let again = write(read.kernel, read.cmdline, &metadata, &read.ramdisks).expect("it was an image before");
        assert_eq!(again, image);
    }
});
