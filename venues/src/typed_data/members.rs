//! Reading an object whose members are known.

/// Reads the object that comes next in `$json`: each member by its own expression, in any order, each exactly
/// once, no other. Binds the values; returns from the function with a refusal otherwise.
macro_rules! members {
    ($json:ident, { $($name:literal => $value:ident: $read:expr),+ $(,)? }) => {
        $(let mut $value = None;)+
        $json.open_object()?;
        let mut first = true;
        while let Some(name) = $json.member(first)? {
            first = false;
            let repeated = match name {
                $($name => $value.replace($read?).is_some(),)+
                _ => return Err(::wire::Refusal::FieldNotKnown.into()),
            };
            if repeated {
                return Err(::wire::Refusal::JsonMemberRepeated.into());
            }
        }
        let ($(Some($value),)+) = ($($value,)+) else {
            return Err(::wire::Refusal::FieldMissing.into());
        };
    };
}

pub(crate) use members;
