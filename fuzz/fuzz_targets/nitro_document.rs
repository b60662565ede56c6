//! Attestation documents from arbitrary bytes, with the root that each brings itself: so certificates are read and checked,
//! too. What is let through is signed all the same.
#![no_main]

use session_nitro::{At, Document, Image, Measurements, NitroRoot, PCR_SIZE, claims, user_data, verify};
use sha2::{Digest as _, Sha256};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Ok(document) = Document::read(bytes) else { return };
    let root = Sha256::digest(document.chain[0]).into();
    let verified = verify(&document, &root, At::Document);
    if let Err(fault) = verified {
        assert!(!fault.to_string().is_empty() && fault.to_string().starts_with(fault.name()));
    }
    if let Ok(found) = claims(&document) {
        assert_eq!(document.user_data, Some(&user_data(&found)[..]));
    }
    let pcrs = [0, 1, 2].map(|index| document.pcr(index).copied().unwrap_or([1; PCR_SIZE]));
    if let Ok(images) = Measurements::of(vec![Image::new("own", pcrs)]) {
        let checked = NitroRoot::with_root(root, images).check(bytes, At::Document);
        assert!(checked.is_err() || verified.is_ok());
    }
});
