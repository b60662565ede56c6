//! Client for trading bots.

pub mod build;
