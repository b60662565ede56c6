//! One parse: what decodes is the only spelling of what it says.

use proptest::prelude::*;
use venues::Payload;
use venues::evm::decode;

use crate::draft::Draft;
use crate::facts::facts_of;
use crate::vectors::lines;

/// If `payload` decodes, writing what was decoded gives the same bytes.
fn assert_refused_or_canonical(payload: &[u8]) -> Result<(), TestCaseError> {
    if let Ok(transaction) = decode(payload) {
        prop_assert_eq!(transaction.canonical(), payload);
        prop_assert_eq!(Draft::of(&transaction).encode(), payload);
        facts_of(&transaction);
    }
    Ok(())
}

#[test]
fn every_flipped_bit_of_every_accepted_payload_changes_the_digest_or_is_refused() {
    for line in lines("evm_eip1559") {
        let digest = decode(&line.payload).unwrap().preimage();
        let mut payload = line.payload.clone();
        for at in 0..payload.len() {
            for bit in 0..8 {
                payload[at] ^= 1 << bit;
                if let Ok(mutated) = decode(&payload) {
                    assert_ne!(mutated.preimage(), digest);
                    assert_eq!(Draft::of(&mutated).encode(), payload);
                }
                payload[at] ^= 1 << bit;
            }
        }
    }
}

#[test]
fn every_cut_and_every_appended_byte_is_refused() {
    for line in lines("evm_eip1559") {
        for size in 0..line.payload.len() {
            assert!(decode(&line.payload[..size]).is_err());
        }
        for byte in [0x00, 0x80, 0xc0, 0xff] {
            assert!(decode(&[&line.payload[..], &[byte]].concat()).is_err());
        }
    }
}

proptest! {
    #[test]
    fn any_single_byte_of_an_accepted_payload_changed_changes_the_digest_or_is_refused(
        line in 0_usize..200, at in any::<prop::sample::Index>(), change in 1_u8..,
    ) {
        let mut payload = lines("evm_eip1559").swap_remove(line).payload;
        let digest = decode(&payload).unwrap().preimage();
        let at = at.index(payload.len());
        payload[at] ^= change;
        assert_refused_or_canonical(&payload)?;
        prop_assert!(decode(&payload).map_or(true, |mutated| mutated.preimage() != digest));
    }

    #[test]
    fn any_bytes_are_refused_or_canonical(tail in prop::collection::vec(any::<u8>(), 0..80)) {
        assert_refused_or_canonical(&tail)?;
        assert_refused_or_canonical(&[&[0x02], &tail[..]].concat())?;
    }

    #[test]
    fn spliced_payloads_are_refused_or_canonical(
        lines_of in (0_usize..200, 0_usize..200),
        cuts in (any::<prop::sample::Index>(), any::<prop::sample::Index>()),
    ) {
        let lines = lines("evm_eip1559");
        let (head, tail) = (&lines[lines_of.0].payload, &lines[lines_of.1].payload);
        let payload = [&head[..cuts.0.index(head.len())], &tail[cuts.1.index(tail.len())..]].concat();
        assert_refused_or_canonical(&payload)?;
    }
}
