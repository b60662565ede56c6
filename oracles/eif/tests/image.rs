//! The same parts, written by Amazon's crate and by ours: the same bytes and the same measurements.

use std::fs::{self, File};
use std::path::PathBuf;

use aws_nitro_enclaves_image_format::defs::{EifBuildInfo, EifIdentityInfo};
use aws_nitro_enclaves_image_format::utils::EifBuilder;
use aws_nitro_enclaves_image_format::utils::eif_reader::EifReader;
use eif::{Image, Metadata, Policy, write};
use sha2::{Digest, Sha384};

fn metadata() -> Metadata {
    Metadata::new(
        "0.1.0",
        "6.12.0",
        Policy { policy_hash: "ab".repeat(32), book: "desk = \"demo\"\n".to_owned() },
    )
}

/// As Amazon's crate has them.
fn identity(metadata: &Metadata) -> EifIdentityInfo {
    let build = &metadata.build_metadata;
    EifIdentityInfo {
        img_name: metadata.image_name.clone(),
        img_version: metadata.image_version.clone(),
        build_info: EifBuildInfo {
            build_time: build.build_time.clone(),
            build_tool: build.build_tool.clone(),
            build_tool_version: build.build_tool_version.clone(),
            img_os: build.operating_system.clone(),
            img_kernel: build.kernel_version.clone(),
        },
        docker_info: serde_json::Value::Null,
        custom_info: serde_json::to_value(&metadata.custom_metadata).unwrap(),
    }
}

struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Bytes from a seed (SplitMix64).
fn bytes(seed: u64, size: usize) -> Vec<u8> {
    let mut state = seed;
    (0..size)
        .map(|_| {
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            (mixed >> 33) as u8
        })
        .collect()
}

#[test]
fn images_and_measurements_are_those_of_amazons_crate() {
    let folder = Folder(std::env::temp_dir().join(format!("oracle-eif-{}", std::process::id())));
    fs::create_dir(&folder.0).unwrap();
    let path = |name: String| folder.0.join(name);
    let mut compared = 0;
    for (seed, kernel_size, cmdline, sizes) in [
        (1, 0, "", &[0][..]),
        (2, 1, "x", &[1]),
        (3, 4_096, "reboot=k panic=30 pci=off nomodules console=ttyS0", &[100, 5_000]),
        (4, 2_100_000, "reboot=k panic=30", &[1_000_000, 3, 70_000]),
        (5, 77, &"y".repeat(2_048), &[9; 8]),
    ] {
        let kernel = bytes(seed, kernel_size);
        let ramdisks: Vec<_> =
            sizes.iter().zip(10..).map(|(size, more)| bytes(seed * 100 + more, *size)).collect();
        fs::write(path("kernel".to_owned()), &kernel).unwrap();
        let info = identity(&metadata());
        let mut builder =
            EifBuilder::new(&path("kernel".to_owned()), cmdline.to_owned(), None, Sha384::new(), 0, info);
        for (at, ramdisk) in ramdisks.iter().enumerate() {
            fs::write(path(format!("ramdisk{at}")), ramdisk).unwrap();
            builder.add_ramdisk(&path(format!("ramdisk{at}")));
        }
        let mut file = File::create(path("image".to_owned())).unwrap();
        let theirs = builder.write_to(&mut file);
        drop(file);
        let written = fs::read(path("image".to_owned())).unwrap();
        let ramdisks: Vec<_> = ramdisks.iter().map(|ramdisk| &ramdisk[..]).collect();
        let ours = write(&kernel, cmdline, &metadata(), &ramdisks).unwrap();
        let at = ours.iter().zip(&written).position(|(ours, theirs)| ours != theirs);
        assert!(
            ours == written,
            "image {seed} differs at {at:?}; {} and {} bytes",
            ours.len(),
            written.len()
        );
        let found = Image::read(&written).unwrap().measurements();
        for (name, pcr) in [("PCR0", found.pcr0), ("PCR1", found.pcr1), ("PCR2", found.pcr2)] {
            let digits: String = pcr.iter().map(|byte| format!("{byte:02x}")).collect();
            assert_eq!(theirs[name], digits, "image {seed}, {name}");
        }
        // And their reader takes ours.
        fs::write(path("ours".to_owned()), &ours).unwrap();
        let reader = EifReader::from_eif(path("ours".to_owned()).display().to_string()).unwrap();
        assert!(reader.check_crc(), "image {seed}");
        compared += 1;
    }
    println!("{compared} images");
}
