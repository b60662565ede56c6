//! Measurements, as a Nitro machine makes them when it starts an image.

use sha2::{Digest as _, Sha384};

/// Size of a measurement: SHA-384.
pub const PCR_SIZE: usize = 48;

/// The measurements that an image determines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Measurements {
    /// Of the whole image.
    pub pcr0: [u8; PCR_SIZE],
    /// Of kernel, command line and first ramdisk.
    pub pcr1: [u8; PCR_SIZE],
    /// Of the other ramdisks.
    pub pcr2: [u8; PCR_SIZE],
}

impl Measurements {
    /// Those of an image with these parts.
    #[must_use]
    pub fn of(kernel: &[u8], cmdline: &[u8], ramdisks: &[&[u8]]) -> Self {
        let (first, others) =
            ramdisks.split_first().map_or((&[][..], &[][..]), |(first, others)| (*first, others));
        let boot = Sha384::new().chain_update(kernel).chain_update(cmdline).chain_update(first);
        let rest = others.iter().fold(Sha384::new(), Sha384::chain_update);
        let all = others.iter().fold(boot.clone(), Sha384::chain_update);
        Self { pcr0: extend(all), pcr1: extend(boot), pcr2: extend(rest) }
    }
}

/// A register of zeros, extended once.
fn extend(measured: Sha384) -> [u8; PCR_SIZE] {
    Sha384::new().chain_update([0; PCR_SIZE]).chain_update(measured.finalize()).finalize().into()
}
