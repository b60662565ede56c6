//! Who stands around the vault: operators and the host.

use book::{HEARTBEAT_MS_MIN, Host, OPERATORS_MAX, Operator, WhenGone};
use venues::PublicKey;

use crate::fault::Rule;
use crate::field::{Field, Seen, Table};
use crate::{keys, scalars};

/// `[[operators]]`.
pub(crate) fn operators(field: Field<'_>) -> Option<Vec<Operator<'static>>> {
    let (mut names, mut public_keys) = (Seen::default(), Seen::default());
    let operators =
        field.some_list(|entry| entry.table(|table| operator(table, &mut names, &mut public_keys)))?;
    if operators.len() > OPERATORS_MAX {
        let len = operators.len();
        return field.fault(Rule::ListTooLong, format_args!("{len} operators; at most {OPERATORS_MAX}"));
    }
    Some(operators)
}

fn operator(
    table: &mut Table<'_>,
    names: &mut Seen<&'static str>,
    public_keys: &mut Seen<[u8; 32]>,
) -> Option<Operator<'static>> {
    let name = table.required("name", |field| names.once(&field, scalars::name(field)?));
    let public_key = table.required("public_key", |field| match field.table(keys::public_key)? {
        PublicKey::Ed25519 { key } => public_keys.once(&field, key),
        PublicKey::Secp256k1 { .. } => field.fault(Rule::WrongScheme, "operators sign with Ed25519"),
    });
    Some(Operator { name: name?, public_key: public_key? })
}

/// `[host]`.
pub(crate) fn host(table: &mut Table<'_>) -> Option<Host> {
    let public_key = table.required("public_key", |field| field.table(keys::session_key));
    let heartbeat_ms = table.required("heartbeat_ms", heartbeat_ms);
    let when_gone = table.required("when_gone", when_gone);
    Some(Host { public_key: public_key?, heartbeat_ms: heartbeat_ms?, when_gone: when_gone? })
}

/// The longest heartbeat: a day. A longer one watches nothing.
const HEARTBEAT_MS_MAX: u32 = 24 * 60 * 60 * 1_000;

pub(crate) fn heartbeat_ms(field: Field<'_>) -> Option<u32> {
    let heartbeat_ms = scalars::uint::<u32>(field)?;
    if heartbeat_ms < HEARTBEAT_MS_MIN {
        return field.fault(
            Rule::HeartbeatTooShort,
            format_args!(
                "{heartbeat_ms} ms; at least {HEARTBEAT_MS_MIN}, or a pause of the machine counts as a death"
            ),
        );
    }
    if heartbeat_ms > HEARTBEAT_MS_MAX {
        return field.fault(Rule::TooLarge, format_args!("{heartbeat_ms} ms; at most {HEARTBEAT_MS_MAX}"));
    }
    Some(heartbeat_ms)
}

pub(crate) fn when_gone(field: Field<'_>) -> Option<WhenGone> {
    field.choice(&[
        ("reduce-only", WhenGone::ReduceOnly),
        ("cancel-only", WhenGone::CancelOnly),
        ("halted", WhenGone::Halted),
    ])
}
