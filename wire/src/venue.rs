/// A venue, as scopes, modes and budgets name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, bincode::Encode, bincode::BorrowDecode)]
#[repr(u8)]
pub enum Venue {
    /// EVM transactions.
    Evm = 1,
    /// UniswapX orders and Permit2 permits.
    Uniswapx = 2,
    /// Polymarket.
    Polymarket = 3,
    /// Hyperliquid.
    Hyperliquid = 4,
    /// Solana programs: Drift and Velocity.
    Solana = 5,
}

impl Venue {
    /// Every venue.
    pub const ALL: [Self; 5] = [Self::Evm, Self::Uniswapx, Self::Polymarket, Self::Hyperliquid, Self::Solana];

    /// The venue's name in books, logs and commands.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Evm => "evm",
            Self::Uniswapx => "uniswapx",
            Self::Polymarket => "polymarket",
            Self::Hyperliquid => "hyperliquid",
            Self::Solana => "solana",
        }
    }

    /// The venue of a name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|venue| venue.as_str() == name)
    }
}
