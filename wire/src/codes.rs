//! Stable codes with a name and a sentence for people.

/// Declares an enum of codes; a variant's documentation is its explanation.
macro_rules! codes {
    (
        $(#[doc = $enum_doc:literal])+ $enum:ident;
        $($(#[doc = $doc:literal])+ $name:ident = $code:literal,)+
    ) => {
        $(#[doc = $enum_doc])+
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(u16)]
        pub enum $enum {
            $($(#[doc = $doc])+ $name = $code,)+
        }

        impl $enum {
            /// Every one, in the order of its code.
            pub const ALL: &'static [Self] = &[$(Self::$name,)+];

            /// The stable number.
            #[must_use]
            pub const fn code(self) -> u16 {
                self as u16
            }

            /// The one of a number, if there is one.
            #[must_use]
            pub const fn from_code(code: u16) -> Option<Self> {
                match code {
                    $($code => Some(Self::$name),)+
                    _ => None,
                }
            }

            /// The name, as it stands in replies, receipts and logs.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$name => stringify!($name),)+
                }
            }

            /// One sentence for people.
            #[must_use]
            pub const fn explanation(self) -> &'static str {
                match self {
                    $(Self::$name => concat!($($doc,)+).trim_ascii(),)+
                }
            }
        }
    };
}

pub(crate) use codes;
