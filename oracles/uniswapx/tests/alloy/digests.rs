//! The digest of a random document is the one that alloy computes.

use alloy_dyn_abi::TypedData;
use proptest::prelude::*;
use venues::Payload as _;
use venues::uniswapx::decode;

use crate::document::{Dice, PLAIN, Spelling, write};
use crate::families::{FAMILIES, random_document};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn the_digest_of_every_family_is_alloy_s_in_every_spelling(
        seed in any::<u64>(),
        family in prop::sample::select(FAMILIES),
    ) {
        let mut dice = Dice(seed);
        let document = random_document(family, &mut dice);
        let plain = write(&document, PLAIN, &mut dice);
        let theirs: TypedData = serde_json::from_str(&plain).unwrap();
        let expected = theirs.eip712_signing_hash().unwrap();

        let ours = decode(plain.as_bytes()).unwrap();
        prop_assert_eq!(ours.label(), expected);
        let spelled = write(&document, Spelling::random(&mut dice), &mut dice);
        match decode(spelled.as_bytes()) {
            Ok(ours) => {
                prop_assert_eq!(ours.label(), expected, "{}", spelled);
                prop_assert_eq!(ours.canonical(), spelled.as_bytes());
            }
            Err(why) => prop_assert!(false, "{:?} {}", why, spelled),
        }
    }

    /// Two documents that differ in one value have two digests: nothing that is shown goes unsigned.
    #[test]
    fn another_document_has_another_digest(seed in any::<u64>(), family in prop::sample::select(FAMILIES)) {
        let mut dice = Dice(seed);
        let (one, other) = (random_document(family, &mut dice), random_document(family, &mut dice));
        let (one, other) = (write(&one, PLAIN, &mut dice), write(&other, PLAIN, &mut dice));
        prop_assume!(one != other);
        prop_assert_ne!(decode(one.as_bytes()).unwrap().label(), decode(other.as_bytes()).unwrap().label());
    }
}
