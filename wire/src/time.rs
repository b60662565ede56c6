/// The time at which a frame is judged. Time is an argument everywhere below the serve loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Now {
    /// Milliseconds since the vault booted; never steps back. Buckets and timeouts use this.
    pub monotonic_ms: u64,
    /// Milliseconds since the Unix epoch. Venue nonces, timestamps and deadlines use this.
    pub wall_ms: u64,
}
