//! Received bytes, cut into frames; no I/O.
//!
//! ```text
//! bytes   [ taken | received, not yet taken | space ]
//!                 ^ start                   ^ end
//! ```

use core::fmt;

use wire::frame::{self, FrameFault, PREFIX_SIZE};

/// Bytes that came over one connection and were not yet taken as frames. Its memory is one prefix and one
/// largest body, allocated when it is made and never again; what a peer sends beyond that waits in the kernel.
pub struct FrameBuffer {
    bytes: Box<[u8]>,
    start: usize,
    end: usize,
    body_size_max: usize,
}

impl FrameBuffer {
    /// An empty buffer for a channel whose bodies have at most `body_size_max` bytes.
    #[must_use]
    pub fn new(body_size_max: usize) -> Self {
        Self {
            bytes: vec![0; PREFIX_SIZE.saturating_add(body_size_max)].into_boxed_slice(),
            start: 0,
            end: 0,
            body_size_max,
        }
    }

    /// Where the next bytes are to be received; tell [`FrameBuffer::received`] how many came. Empty only when
    /// a whole frame waits to be popped. Overwrites frames that were popped before.
    pub fn space(&mut self) -> &mut [u8] {
        if self.start == self.end {
            (self.start, self.end) = (0, 0);
        } else if self.start > 0 {
            self.bytes.copy_within(self.start..self.end, 0);
            (self.start, self.end) = (0, self.end - self.start);
        }
        self.bytes.get_mut(self.end..).unwrap_or_default()
    }

    /// Says that `size` bytes were put at the start of the space.
    pub fn received(&mut self, size: usize) {
        self.end = self.end.saturating_add(size).min(self.bytes.len());
    }

    /// Whether the first frame is there to its end.
    ///
    /// # Errors
    /// [`FrameFault`] as soon as the prefix is there and declares a length that this channel does not take.
    pub fn is_complete(&self) -> Result<bool, FrameFault> {
        self.first().map(|body| body.is_some())
    }

    /// Takes the first frame's body, if all of it is there.
    ///
    /// # Errors
    /// Like [`FrameBuffer::is_complete`].
    pub fn pop(&mut self) -> Result<Option<&[u8]>, FrameFault> {
        let Some((from, to)) = self.first()? else {
            return Ok(None);
        };
        self.start = to;
        Ok(self.bytes.get(from..to))
    }

    /// How many bytes wait here.
    #[must_use]
    pub fn size(&self) -> usize {
        self.end - self.start
    }

    /// Whether no byte of a further frame has come.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.size() == 0
    }

    /// Forgets everything, for the next connection.
    pub fn clear(&mut self) {
        (self.start, self.end) = (0, 0);
    }

    fn first(&self) -> Result<Option<(usize, usize)>, FrameFault> {
        let waiting = self.bytes.get(self.start..self.end).unwrap_or_default();
        let Some((prefix, rest)) = waiting.split_first_chunk::<PREFIX_SIZE>() else {
            return Ok(None);
        };
        let size = frame::body_size(*prefix, self.body_size_max)?;
        if rest.len() < size {
            return Ok(None);
        }
        let from = self.start + PREFIX_SIZE;
        Ok(Some((from, from + size)))
    }
}

impl fmt::Debug for FrameBuffer {
    /// How many bytes wait, and none of them.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("FrameBuffer").field("size", &self.size()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn framed(body: &[u8]) -> Vec<u8> {
        let mut frame = frame::prefix(body.len()).unwrap().to_vec();
        frame.extend_from_slice(body);
        frame
    }

    fn put(buffer: &mut FrameBuffer, bytes: &[u8]) -> usize {
        let space = buffer.space();
        let size = space.len().min(bytes.len());
        space[..size].copy_from_slice(&bytes[..size]);
        buffer.received(size);
        size
    }

    #[test]
    fn a_stream_cut_anywhere_gives_the_same_frames() {
        let bodies: [&[u8]; 4] = [b"first", b"2nd", b"the third one", b"4"];
        let bodies = bodies.map(|body| [b"..", body].concat());
        let stream: Vec<u8> = bodies.iter().flat_map(|body| framed(body)).collect();
        for piece in 1..=stream.len() {
            let mut buffer = FrameBuffer::new(16);
            let mut found = Vec::new();
            for part in stream.chunks(piece) {
                let mut part = part;
                while !part.is_empty() {
                    let taken = put(&mut buffer, part);
                    part = &part[taken..];
                    while let Some(body) = buffer.pop().unwrap() {
                        found.push(body.to_vec());
                    }
                }
            }
            assert_eq!(found, bodies);
            assert!(buffer.is_empty());
        }
    }

    #[test]
    fn a_length_above_the_cap_is_refused_on_the_prefix_alone() {
        let mut buffer = FrameBuffer::new(16);
        put(&mut buffer, &17_u32.to_le_bytes());
        assert_eq!(buffer.is_complete(), Err(FrameFault::TooLong { declared: 17 }));
        assert_eq!(buffer.pop(), Err(FrameFault::TooLong { declared: 17 }));
    }

    #[test]
    fn the_buffer_never_holds_more_than_one_largest_frame() {
        let mut buffer = FrameBuffer::new(16);
        assert_eq!(put(&mut buffer, &[16; 1000]), 20);
        assert!(buffer.space().is_empty());
    }

    #[test]
    fn a_largest_frame_fits_behind_the_rest_of_another() {
        let mut buffer = FrameBuffer::new(16);
        let stream = [framed(&[1; 16]), framed(&[2; 16])].concat();
        let taken = put(&mut buffer, &stream);
        assert_eq!(buffer.pop(), Ok(Some(&[1; 16][..])));
        put(&mut buffer, &stream[taken..]);
        assert_eq!(buffer.pop(), Ok(Some(&[2; 16][..])));
    }
}
