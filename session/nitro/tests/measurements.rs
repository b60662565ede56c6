//! Lists of allowed images.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)] // helpers of tests are tests too

use ed25519_dalek::{Signer as _, SigningKey};
use session_nitro::{IMAGES_MAX, MEASUREMENTS_SIZE_MAX, Measurements, MeasurementsFault, signed};

fn image(pcr0: &str) -> String {
    let pcr = "ab".repeat(48);
    format!(r#"{{"name": "v1", "pcr0": "{pcr0}", "pcr1": "{pcr}", "pcr2": "{pcr}"}}"#)
}

fn list(images: &[String]) -> String {
    format!(r#"{{"version": 1, "images": [{}]}}"#, images.join(", "))
}

fn read(text: &str) -> Result<Measurements, MeasurementsFault> {
    let key = SigningKey::from_bytes(&[7; 32]);
    #[expect(clippy::disallowed_methods, reason = "a test stands in for the operator")]
    let signature = key.sign(&signed(text.as_bytes())).to_bytes();
    Measurements::read(text.as_bytes(), &signature, &key.verifying_key().to_bytes())
}

#[test]
fn a_list_is_read_and_each_thing_wrong_with_one_is_named() {
    let good = image(&"01".repeat(48));
    assert!(read(&list(std::slice::from_ref(&good))).is_ok());
    assert!(read(&list(&vec![good.clone(); IMAGES_MAX])).is_ok());
    let wrong = [
        (list(&[]), MeasurementsFault::ImageCount),
        (list(&vec![good.clone(); IMAGES_MAX + 1]), MeasurementsFault::ImageCount),
        (list(&[image(&"00".repeat(48))]), MeasurementsFault::Debug),
        (list(&[image(&"01".repeat(47))]), MeasurementsFault::Digits),
        (list(&[image(&"0g".repeat(48))]), MeasurementsFault::Digits),
        (list(&[image(&"+1".repeat(48))]), MeasurementsFault::Digits),
        (list(&[good.replace("pcr2", "pcr5")]), MeasurementsFault::Malformed),
        (list(&[good.replace("\"name\"", "\"pcr8\": \"\", \"name\"")]), MeasurementsFault::Digits),
        (list(&[good.replace("\"name\"", "\"name\": \"v0\", \"name\"")]), MeasurementsFault::Malformed),
        (list(&[good.replace("{\"name\": \"v1\", ", "{")]), MeasurementsFault::Malformed),
        (
            list(std::slice::from_ref(&good)).replace("\"version\": 1", "\"version\": 2"),
            MeasurementsFault::Malformed,
        ),
        (list(std::slice::from_ref(&good)) + " x", MeasurementsFault::Malformed),
        (list(std::slice::from_ref(&good)) + &" ".repeat(MEASUREMENTS_SIZE_MAX), MeasurementsFault::TooLong),
    ];
    for (text, fault) in wrong {
        assert_eq!(read(&text), Err(fault), "{text:.200}");
    }
    let text = list(&[good]);
    for signature in [[0; 64], [0xff; 64]] {
        let key = SigningKey::from_bytes(&[7; 32]).verifying_key().to_bytes();
        let found = Measurements::read(text.as_bytes(), &signature, &key);
        assert_eq!(found, Err(MeasurementsFault::SignatureWrong));
        // A key of low order signs everything.
        let mut low = [0; 32];
        low[0] = 1;
        let found = Measurements::read(text.as_bytes(), &signature, &low);
        assert_eq!(found, Err(MeasurementsFault::SignatureWrong));
    }
}
