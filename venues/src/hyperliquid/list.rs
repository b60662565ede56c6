//! Lists inside an action: orders, modifications and cancels.

use core::marker::PhantomData;

use wire::Why;

use super::action::{Cancel, CancelByCloid, Modify, Order};
use super::msgpack::Reader;

/// A list whose elements stand as msgpack in the canonical bytes.
///
/// Nothing is copied out of them: going over the list reads the same bytes again, with the same reader that
/// checked every element when the action was decoded, so there is no second opinion on what they say.
#[derive(Clone, Copy, Debug)]
pub struct List<'s, T> {
    bytes: &'s [u8],
    len: usize,
    element: PhantomData<T>,
}

/// What a [`List`] is made of.
pub(crate) trait Element<'s>: Sized {
    /// Most of them in one action.
    const LEN_MAX: usize;

    /// Reads one element whole and checks it.
    fn read(reader: &mut Reader<'s>) -> Result<Self, Why>;
}

impl<'s, T> List<'s, T> {
    /// `len` elements at the front of `bytes`, every one of which was read.
    pub(crate) const fn new(bytes: &'s [u8], len: usize) -> Self {
        Self { bytes, len, element: PhantomData }
    }

    /// How many; never zero.
    #[must_use]
    #[allow(clippy::len_without_is_empty)]
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Goes over the elements.
    #[must_use]
    pub const fn iter(&self) -> Elements<'s, T> {
        Elements { reader: Reader::new(self.bytes), left: self.len, element: PhantomData }
    }
}

/// The elements of a [`List`]. Each was read before, so none is an error; should one be, it is handed on.
#[derive(Clone, Debug)]
pub struct Elements<'s, T> {
    reader: Reader<'s>,
    left: usize,
    element: PhantomData<T>,
}

macro_rules! elements {
    ($($element:ty),+) => {
        $(impl<'s> Iterator for Elements<'s, $element> {
            type Item = Result<$element, Why>;

            fn next(&mut self) -> Option<Self::Item> {
                self.left = self.left.checked_sub(1)?;
                Some(Element::read(&mut self.reader))
            }
        })+
    };
}

elements!(Order<'s>, Modify<'s>, Cancel, CancelByCloid<'s>);
