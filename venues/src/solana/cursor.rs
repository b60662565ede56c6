//! Reading little-endian fields off the front of a byte slice, never past its end.

use wire::{Refusal, Why};

/// What is left to read, and how a shortage is called.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cursor<'f> {
    rest: &'f [u8],
    short: Refusal,
}

impl<'f> Cursor<'f> {
    /// Over `bytes`; running out of them is refused as `short`.
    pub(super) const fn new(bytes: &'f [u8], short: Refusal) -> Self {
        Self { rest: bytes, short }
    }

    /// What was not read yet.
    pub(super) const fn rest(&self) -> &'f [u8] {
        self.rest
    }

    /// The next `size` bytes.
    pub(super) fn take(&mut self, size: usize) -> Result<&'f [u8], Why> {
        let (head, rest) = self.rest.split_at_checked(size).ok_or(Why::new(self.short))?;
        self.rest = rest;
        Ok(head)
    }

    /// The next `N` bytes.
    pub(super) fn array<const N: usize>(&mut self) -> Result<&'f [u8; N], Why> {
        let (head, rest) = self.rest.split_first_chunk().ok_or(Why::new(self.short))?;
        self.rest = rest;
        Ok(head)
    }

    /// The next `count` arrays of `N` bytes.
    pub(super) fn arrays<const N: usize>(&mut self, count: usize) -> Result<&'f [[u8; N]], Why> {
        let size = count.checked_mul(N).ok_or(Why::new(self.short))?;
        Ok(self.take(size)?.as_chunks().0)
    }

    /// The next byte.
    pub(super) fn u8(&mut self) -> Result<u8, Why> {
        let [byte] = self.array()?;
        Ok(*byte)
    }

    /// The next two bytes, little-endian.
    pub(super) fn u16(&mut self) -> Result<u16, Why> {
        self.array().copied().map(u16::from_le_bytes)
    }

    /// The next four bytes, little-endian.
    pub(super) fn u32(&mut self) -> Result<u32, Why> {
        self.array().copied().map(u32::from_le_bytes)
    }

    /// The next four bytes, little-endian, two's complement.
    pub(super) fn i32(&mut self) -> Result<i32, Why> {
        self.array().copied().map(i32::from_le_bytes)
    }

    /// The next eight bytes, little-endian.
    pub(super) fn u64(&mut self) -> Result<u64, Why> {
        self.array().copied().map(u64::from_le_bytes)
    }

    /// The next eight bytes, little-endian, two's complement.
    pub(super) fn i64(&mut self) -> Result<i64, Why> {
        self.array().copied().map(i64::from_le_bytes)
    }

    /// A byte that is 0 or 1.
    pub(super) fn bool(&mut self) -> Result<bool, Why> {
        match self.u8()? {
            0 => Ok(false),
            1 => Ok(true),
            other => Err(out_of_range(other, 1)),
        }
    }

    /// A Borsh `Option`: 0, or 1 and the value.
    pub(super) fn option<T>(
        &mut self,
        value: impl FnOnce(&mut Self) -> Result<T, Why>,
    ) -> Result<Option<T>, Why> {
        self.bool()?.then(|| value(self)).transpose()
    }

    /// A Solana compact-u16 ("shortvec"): seven bits a byte, low bits first, at most three bytes and 65535,
    /// and in its shortest form only.
    pub(super) fn compact_u16(&mut self) -> Result<u16, Why> {
        let not_canonical = Why::new(Refusal::CompactU16NotCanonical);
        let mut value = 0_u32;
        for shift in [0, 7, 14] {
            let byte = self.u8()?;
            value |= u32::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                if byte == 0 && shift > 0 {
                    return Err(not_canonical);
                }
                return u16::try_from(value).map_err(|_| not_canonical);
            }
        }
        Err(not_canonical)
    }
}

/// The refusal of a tag above `tag_max`.
pub(super) fn out_of_range(tag: u8, tag_max: u8) -> Why {
    Why::new(Refusal::TagOutOfRange)
        .observed(wire::Shown::uint(tag.into()))
        .limit(wire::Shown::uint(tag_max.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compact(bytes: &[u8]) -> Result<u16, Refusal> {
        Cursor::new(bytes, Refusal::PayloadTruncated).compact_u16().map_err(|why| why.refusal)
    }

    #[test]
    fn a_compact_u16_reads_in_its_shortest_form_only() {
        let refused = Err(Refusal::CompactU16NotCanonical);
        for (bytes, expected) in [
            (&[0][..], Ok(0)),
            (&[0x7f], Ok(127)),
            (&[0x80, 1], Ok(128)),
            (&[0xff, 0x7f], Ok(16383)),
            (&[0x80, 0x80, 1], Ok(16384)),
            (&[0xff, 0xff, 3], Ok(65535)),
            (&[0x80, 0], refused),
            (&[0x8a, 0], refused),
            (&[0x8a, 0x80, 0], refused),
            (&[0xff, 0xff, 4], refused),
            (&[0x80, 0x80, 0x80, 1], refused),
            (&[0x80], Err(Refusal::PayloadTruncated)),
            (&[], Err(Refusal::PayloadTruncated)),
        ] {
            assert_eq!(compact(bytes), expected, "{bytes:?}");
        }
    }
}
