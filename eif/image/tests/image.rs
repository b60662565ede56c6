//! Images: the same each time, read back, and refused when anything is another way.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)] // helpers of tests are tests too

use eif::{
    Archive, CpioFault, Entry, Image, ImageFault, Measurements, Metadata, PCR_SIZE, Policy, RAMDISKS_MAX,
    write,
};
use proptest::prelude::*;
use sha2::{Digest as _, Sha384};

const KERNEL: &[u8] = b"kernel";
const CMDLINE: &str = "reboot=k panic=30";
const RAMDISKS: [&[u8]; 2] = [b"first", b"second"];

fn metadata() -> Metadata {
    Metadata::new(
        "0.1.0",
        "6.12.0",
        Policy { policy_hash: "ab".repeat(32), book: "desk = \"demo\"".to_owned() },
    )
}

fn image() -> Vec<u8> {
    write(KERNEL, CMDLINE, &metadata(), &RAMDISKS).unwrap()
}

#[test]
fn an_image_reads_back_as_its_parts_and_is_the_same_each_time() {
    let bytes = image();
    assert_eq!(bytes, image());
    let read = Image::read(&bytes).unwrap();
    assert_eq!((read.kernel, read.cmdline, &read.ramdisks[..]), (KERNEL, CMDLINE, &RAMDISKS[..]));
    assert_eq!(read.metadata(), Some(metadata()));
}

#[test]
fn the_header_is_that_of_amazons_tool() {
    let bytes = image();
    let size = image().len() as u64;
    assert_eq!(bytes[..28], *b".eif\0\x04\0\0\0\0\0\0\x40\0\0\0\0\0\0\0\0\0\0\x02\0\0\0\x05");
    let number = |at: usize| u64::from_be_bytes(bytes[at..at + 8].try_into().unwrap());
    // Offsets are those of the sections' own headers; sizes those of their contents.
    assert_eq!((number(28), number(36), number(44)), (548, 548 + 12 + 6, 548 + 12 + 6 + 12 + 17));
    assert_eq!((number(284), number(292), number(308), number(316)), (6, 17, 5, 6));
    assert_eq!(number(60) + 12 + 6, size);
    assert_eq!(bytes[548..566], *b"\0\x01\0\0\0\0\0\0\0\0\0\x06kernel");
    assert!(bytes[28 + 5 * 8..284].iter().chain(&bytes[284 + 5 * 8..544]).all(|byte| *byte == 0));
    let text = String::from_utf8(Image::read(&bytes).unwrap().metadata.to_vec()).unwrap();
    assert!(text.starts_with(
        r#"{"ImageName":"portcullis","ImageVersion":"0.1.0","BuildMetadata":{"BuildTime":"1970"#
    ));
}

#[test]
fn measurements_are_extended_registers_and_the_metadata_are_not_in_them() {
    let hash = |parts: &[&[u8]]| Sha384::digest(parts.concat());
    let extend = |measured: &[u8]| -> [u8; PCR_SIZE] { hash(&[&[0; PCR_SIZE], measured]).into() };
    let found = Image::read(&image()).unwrap().measurements();
    assert_eq!(found.pcr0, extend(&hash(&[KERNEL, CMDLINE.as_bytes(), b"first", b"second"])));
    assert_eq!(found.pcr1, extend(&hash(&[KERNEL, CMDLINE.as_bytes(), b"first"])));
    assert_eq!(found.pcr2, extend(&hash(&[b"second"])));
    let other = Metadata { image_version: "9".to_owned(), ..metadata() };
    let other = write(KERNEL, CMDLINE, &other, &RAMDISKS).unwrap();
    assert_ne!(other, image());
    assert_eq!(Image::read(&other).unwrap().measurements(), found);
    // Any other part is.
    for (kernel, cmdline, ramdisks) in [
        (&b"kerneL"[..], CMDLINE, RAMDISKS),
        (KERNEL, "reboot=k panic=31", RAMDISKS),
        (KERNEL, CMDLINE, [b"firsT", b"second"]),
        (KERNEL, CMDLINE, [b"first", b"seconD"]),
    ] {
        assert_ne!(Measurements::of(kernel, cmdline.as_bytes(), &ramdisks).pcr0, found.pcr0);
    }
}

#[test]
fn no_flipped_bit_and_no_cut_is_read() {
    let bytes = image();
    for at in 0..bytes.len() {
        let mut changed = bytes.clone();
        changed[at] ^= 1 << (at % 8);
        assert!(Image::read(&changed).is_err(), "byte {at}");
        assert!(Image::read(&bytes[..at]).is_err(), "cut at {at}");
    }
}

#[test]
fn each_thing_wrong_with_an_image_is_named() {
    let change = |at: usize, byte: u8| {
        let mut bytes = image();
        bytes[at] = byte;
        Image::read(&bytes).unwrap_err()
    };
    assert_eq!(change(0, b'x'), ImageFault::NotAnImage);
    assert_eq!(change(5, 3), ImageFault::Version { found: 3 });
    assert_eq!(change(7, 1), ImageFault::Header);
    assert_eq!(change(27, 3), ImageFault::Sections);
    assert_eq!(change(27, 12), ImageFault::Sections);
    assert_eq!(change(43, 0), ImageFault::Place { section: 1 });
    assert_eq!(change(549, 2), ImageFault::Place { section: 0 });
    assert_eq!(change(560, b'K'), ImageFault::Crc);
    assert_eq!(Image::read(&[image(), vec![0]].concat()).unwrap_err(), ImageFault::TrailingBytes);
    assert_eq!(Image::read(&image()[..500]).unwrap_err(), ImageFault::Truncated);
    assert_eq!(write(KERNEL, CMDLINE, &metadata(), &[]), Err(ImageFault::Sections));
    assert_eq!(
        write(KERNEL, CMDLINE, &metadata(), &[&b"x"[..]; RAMDISKS_MAX + 1]),
        Err(ImageFault::Sections)
    );
    for cmdline in ["a\nb", "a\0", "ä", &"x".repeat(2_049)] {
        assert_eq!(write(KERNEL, cmdline, &metadata(), &RAMDISKS), Err(ImageFault::Cmdline));
    }
}

proptest! {
    #[test]
    fn any_parts_read_back(
        kernel in proptest::collection::vec(any::<u8>(), 0..300),
        cmdline in "[ -~]{0,80}",
        ramdisks in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 0..200), 1..=RAMDISKS_MAX),
    ) {
        let ramdisks: Vec<_> = ramdisks.iter().map(|ramdisk| &ramdisk[..]).collect();
        let bytes = write(&kernel, &cmdline, &metadata(), &ramdisks).unwrap();
        let read = Image::read(&bytes).unwrap();
        prop_assert_eq!((read.kernel, read.cmdline, read.ramdisks), (&kernel[..], &cmdline[..], ramdisks));
    }

    #[test]
    fn no_bytes_make_the_reader_panic(bytes in proptest::collection::vec(any::<u8>(), 0..2_000)) {
        let mut image = image();
        image.splice(4..4 + bytes.len().min(540), bytes.iter().copied().take(540));
        let _ = (Image::read(&bytes), Image::read(&image));
    }
}

#[test]
fn an_archive_is_the_kernels_form_byte_for_byte() {
    let mut archive = Archive::new();
    archive.add("dev", Entry::Folder).unwrap();
    archive.add("dev/console", Entry::Device { major: 5, minor: 1 }).unwrap();
    archive.add("init", Entry::File { content: b"#!", is_program: true }).unwrap();
    archive.add("policy", Entry::File { content: b"", is_program: false }).unwrap();
    let header = |inode: u32, mode: u32, size: u32, (major, minor): (u32, u32), name: &str| {
        let zeros = "00000000";
        let fields = format!(
            "070701{inode:08x}{mode:08x}{zeros}{zeros}00000001{zeros}{size:08x}{zeros}{zeros}{major:08x}{minor:08x}{:08x}{zeros}",
            name.len() + 1
        );
        let mut bytes = [fields.as_bytes(), name.as_bytes(), &[0]].concat();
        bytes.resize(bytes.len().next_multiple_of(4), 0);
        bytes
    };
    let expected = [
        header(1, 0o040_755, 0, (0, 0), "dev"),
        header(2, 0o020_600, 0, (5, 1), "dev/console"),
        header(3, 0o100_755, 2, (0, 0), "init"),
        b"#!\0\0".to_vec(),
        header(4, 0o100_644, 0, (0, 0), "policy"),
        header(0, 0, 0, (0, 0), "TRAILER!!!"),
    ];
    assert_eq!(archive.finish().unwrap(), expected.concat());
}

#[test]
fn paths_are_plain_and_in_order() {
    let mut archive = Archive::new();
    for path in ["", "/init", "a//b", "a/", ".", "a/../b", "a\0"] {
        assert_eq!(archive.add(path, Entry::Folder), Err(CpioFault::Path), "{path:?}");
    }
    archive.add("b", Entry::Folder).unwrap();
    for path in ["b", "a"] {
        assert_eq!(archive.add(path, Entry::Folder), Err(CpioFault::Order));
    }
}
