//! An EIP-1559 transaction from its fields: `0x02 ‖ rlp([chain_id, nonce, …])`, with any access list.

/// A byte string.
pub(crate) fn string(bytes: &[u8]) -> Vec<u8> {
    match bytes {
        [byte] if *byte < 0x80 => vec![*byte],
        _ => [prefix(0x80, bytes.len()), bytes.to_vec()].concat(),
    }
}

/// A whole number, without leading zeros.
pub(crate) fn number(value: &venues::U256) -> Vec<u8> {
    let bytes: Vec<u8> = value.to_be_bytes::<32>().into_iter().skip_while(|byte| *byte == 0).collect();
    string(&bytes)
}

/// A list of items.
pub(crate) fn list(items: &[Vec<u8>]) -> Vec<u8> {
    let items = items.concat();
    [prefix(0xc0, items.len()), items].concat()
}

/// The prefix of a string (0x80) or list (0xc0) of that many bytes.
fn prefix(base: u8, size: usize) -> Vec<u8> {
    match u8::try_from(size) {
        Ok(size) if size < 56 => vec![base + size],
        _ => {
            let size = size.to_be_bytes();
            let size: Vec<u8> = size.iter().copied().skip_while(|byte| *byte == 0).collect();
            [vec![base + 55 + u8::try_from(size.len()).unwrap_or(8)], size].concat()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The examples of the Yellow Paper's appendix B and of the Ethereum wiki.
    #[test]
    fn items_are_written_as_the_published_examples_are() {
        assert_eq!(string(b"dog"), b"\x83dog");
        assert_eq!(string(b""), [0x80]);
        assert_eq!(string(&[0x0f]), [0x0f]);
        assert_eq!(string(&[0x80]), [0x81, 0x80]);
        assert_eq!(number(&venues::U256::from(1024)), [0x82, 0x04, 0x00]);
        assert_eq!(number(&venues::U256::ZERO), [0x80]);
        assert_eq!(list(&[string(b"cat"), string(b"dog")]), b"\xc8\x83cat\x83dog");
        let long = string(b"Lorem ipsum dolor sit amet, consectetur adipisicing elit");
        assert_eq!(long.get(..2), Some(&[0xb8, 0x38][..]));
        assert_eq!(string(&[1; 256]).get(..3), Some(&[0xb9, 0x01, 0x00][..]));
    }
}
