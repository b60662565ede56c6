//! The polymarket rules of a book file ([`venues::polymarket::rules`]).

use venues::polymarket::rules::Limits;

use crate::field::Table;
use crate::scalars::{cap, uint};

pub(crate) fn limits(table: &mut Table<'_>) -> Option<Limits<'static>> {
    let chains = table.required("chains", |field| field.some_set(|chain| cap(chain, uint(chain))));
    Some(Limits { chains: chains?.leak() })
}
