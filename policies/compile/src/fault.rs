//! What is wrong in a book file, where, and under which rule.

use core::cell::RefCell;
use core::fmt;

/// One fault of a book file. Shown as `file:line:column: [rule] message`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The file as the caller named it.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// The character in the line, from 1.
    pub column: usize,
    /// The rule that is broken.
    pub rule: Rule,
    /// What was found and what is expected.
    pub message: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { file, line, column, rule, message } = self;
        write!(formatter, "{file}:{line}:{column}: [{rule}] {message}")
    }
}

macro_rules! rules {
    ($($(#[doc = $doc:literal])+ $rule:ident = $name:literal,)+) => {
        /// The rules a book file is held to. The names are stable.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Rule {
            $($(#[doc = $doc])+ $rule,)+
        }

        impl Rule {
            /// Every rule.
            pub const ALL: &[Self] = &[$(Self::$rule),+];

            /// The name shown in brackets.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$rule => $name,)+
                }
            }

            /// What is wrong, in a sentence or two.
            #[must_use]
            pub const fn explanation(self) -> &'static str {
                match self {
                    $(Self::$rule => concat!($($doc),+).trim_ascii(),)+
                }
            }
        }
    };
}

rules! {
    /// Not TOML, or a key is there twice.
    Syntax = "syntax",
    /// Larger than [`crate::FILE_SIZE_MAX`].
    FileTooLong = "file-too-long",
    /// The book language has no such key here.
    UnknownKey = "unknown-key",
    /// A mandatory key is not there: every limit is mandatory.
    MissingKey = "missing-key",
    /// The key has no meaning beside what else is said.
    UnusedKey = "unused-key",
    /// A value of another TOML type.
    WrongType = "wrong-type",
    /// A TOML float. Fractions are written as text, so that what is written is what is meant.
    Float = "float",
    /// Text that is not a number, or has more decimals than the unit.
    NotANumber = "not-a-number",
    /// A number beyond what its type or unit holds.
    TooLarge = "too-large",
    /// A word that is not one of those the key takes.
    UnknownValue = "unknown-value",
    /// A name with other characters than a-z, 0-9 and "-", or longer than 32.
    BadName = "bad-name",
    /// The desk is not called as its file is: `<desk>.toml`.
    DeskNotFile = "desk-not-file",
    /// A list that must not be empty.
    EmptyList = "empty-list",
    /// A list longer than its maximum.
    ListTooLong = "list-too-long",
    /// The same thing twice.
    Duplicate = "duplicate",
    /// A cap of zero. To deny, leave the grant out.
    ZeroCap = "zero-cap",
    /// A cap that means "unlimited": all ones.
    UnlimitedCap = "unlimited-cap",
    /// A price collar that starts at zero or ends below its start.
    Collar = "collar",
    /// A ratio of zero, which holds nothing.
    ZeroRatio = "zero-ratio",
    /// A ratio over zero.
    ZeroDenominator = "zero-denominator",
    /// A minimum ratio over more than one pair of tokens: base units of different tokens do not compare.
    AmbiguousRatio = "ambiguous-ratio",
    /// Not an address or account key.
    BadAddress = "bad-address",
    /// A mixed-case address with a wrong EIP-55 checksum.
    Checksum = "checksum",
    /// A public key that is not on its curve, or in another form than its canonical one.
    BadKey = "bad-key",
    /// A grant of a venue whose signatures the slot's key does not make.
    WrongScheme = "wrong-scheme",
    /// A slot, venue or entry that grants nothing.
    EmptyGrants = "empty-grants",
    /// One contract on one chain is said to be two kinds of router.
    TwoRouters = "two-routers",
    /// A recipient that stands for the sender or the router, or is the entry's own router.
    RouterRecipient = "router-recipient",
    /// Native coin is granted on a chain whose WETH is not named.
    WethNotNamed = "weth-not-named",
    /// A heartbeat shorter than a second.
    HeartbeatTooShort = "heartbeat-too-short",
    /// A vault that does not start live has nobody who could start it.
    NobodyStarts = "nobody-starts",
    /// Nobody may ask the vault for anything, or a key for what its slot grants: no client and no role.
    NobodyAsks = "nobody-asks",
    /// Signatures would wait for a host that the book does not know.
    NobodyAcknowledges = "nobody-acknowledges",
    /// A client or role that the book does not have.
    UnknownClient = "unknown-client",
    /// A key slot that the book does not have.
    UnknownKeySlot = "unknown-key-slot",
    /// A budget of requests per market.
    RequestsPerMarket = "requests-per-market",
    /// A budget of orders or notional counts a token whose worth the book does not say.
    TokenHasNoValue = "token-has-no-value",
    /// Not a time as it must be written.
    BadTime = "bad-time",
    /// A rule that an earlier rule hides, or that nothing can match.
    UnreachableRule = "unreachable-rule",
}

impl fmt::Display for Rule {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// The faults found so far, by byte offset.
#[derive(Debug, Default)]
pub(crate) struct Faults {
    found: RefCell<Vec<(usize, Rule, String)>>,
}

impl Faults {
    /// Adds one; gives `None`, so that a reader can end with it.
    pub(crate) fn add<T>(&self, at: usize, rule: Rule, message: String) -> Option<T> {
        self.found.borrow_mut().push((at, rule, message));
        None
    }

    /// All of them in the order of the text.
    pub(crate) fn into_sorted(self, file: &str, text: &str) -> Vec<Fault> {
        let mut found = self.found.into_inner();
        found.sort_by_key(|(at, ..)| *at);
        let fault = |(at, rule, message)| {
            let before = text.get(..at).unwrap_or(text);
            let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
            Fault {
                file: file.to_owned(),
                line: before.matches('\n').count() + 1,
                column: before.get(line_start..).unwrap_or("").chars().count() + 1,
                rule,
                message,
            }
        };
        found.into_iter().map(fault).collect()
    }
}
