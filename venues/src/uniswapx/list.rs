//! A list with a named maximum, hashed as it is read.

use wire::{Refusal, Shown, Why};

use crate::json::Json;
use crate::typed_data::{Word, struct_hash};

/// At most `N` elements, in order.
#[derive(Clone, Copy, Debug)]
pub struct List<T, const N: usize> {
    elements: [T; N],
    len: usize,
}

impl<T: Copy + Default, const N: usize> List<T, N> {
    /// A list of one.
    pub(super) fn of(element: T) -> Self {
        let mut list = Self { elements: [T::default(); N], len: 0 };
        if let Some(place) = list.elements.first_mut() {
            (*place, list.len) = (element, 1);
        }
        list
    }

    /// Reads an array; `read` gives an element and its hash. Returns the list and the array's hash (EIP-712: of
    /// the elements' hashes).
    ///
    /// # Errors
    /// `too_many` beyond `N` elements, which are then not looked at; what `read` says.
    pub(super) fn read<'a>(
        json: &mut Json<'a>,
        too_many: Refusal,
        read: impl Fn(&mut Json<'a>) -> Result<(T, Word), Why>,
    ) -> Result<(Self, Word), Why> {
        let mut list = Self { elements: [T::default(); N], len: 0 };
        let mut hashes = [[0; 32]; N];
        json.open_array()?;
        while json.element(list.len == 0)? {
            let (Some(element), Some(hash)) = (list.elements.get_mut(list.len), hashes.get_mut(list.len))
            else {
                return Err(Why::new(too_many).limit(Shown::size(N)));
            };
            (*element, *hash) = read(json)?;
            list.len = list.len.saturating_add(1);
        }
        Ok((list, struct_hash(hashes.get(..list.len).unwrap_or_default())))
    }
}

impl<T, const N: usize> List<T, N> {
    /// The elements.
    #[must_use]
    pub fn as_slice(&self) -> &[T] {
        self.elements.get(..self.len).unwrap_or_default()
    }
}
