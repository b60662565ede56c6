//! The top of a book file: the desk and its slots.

use book::{BOOK_VERSION, Book, BootMode, Operator, SLOTS_MAX, Slot};
use venues::{Ed25519, Grants, PublicKey, Scheme, Secp256k1};
use wire::Venue;

use crate::fault::Rule;
use crate::field::{Field, Seen, Table};
use crate::parties::{self, Parties};
use crate::{buckets, desk, evm, expiry, hyperliquid, keys, polymarket, scalars, solana, uniswapx};

pub(crate) fn book(table: &mut Table<'_>) -> Option<Book<'static>> {
    let version = table.required("version", version);
    let desk = table.required("desk", scalars::name);
    let operators = table.optional("operators", desk::operators);
    let boot_mode = table.required("boot_mode", |field| boot_mode(field, operators.as_ref()));
    let host = table.optional("host", |field| field.table(desk::host));
    let mut places = Vec::new();
    let slots = table.required("slots", |field| slots(field, &mut places));
    let values = table.list("values", |field| buckets::values(field, slots.as_deref()));
    let known_host = host.as_ref().and_then(Option::as_ref);
    let parties = parties::parties(table, slots.as_deref(), known_host);
    if let (Some(slots), Some(parties)) = (&slots, &parties) {
        check_asked(&places, slots, parties)?;
    }
    let receipts = parties::receipts(table, host.as_ref().is_none_or(Option::is_some));
    let buckets = table.list("buckets", |field| {
        buckets::buckets(field, slots.as_deref(), values.as_deref(), parties.as_ref())
    });
    let Parties { clients, roles } = parties?;
    Some(Book {
        version: version?,
        desk: desk?,
        boot_mode: boot_mode?,
        operators: operators?.unwrap_or_default().leak(),
        host: host?,
        receipts: receipts?,
        clients: clients.leak(),
        roles: roles.leak(),
        values: values?.leak(),
        buckets: buckets?.leak(),
        slots: slots?.leak(),
    })
}

fn boot_mode(field: Field<'_>, operators: Option<&Option<Vec<Operator<'static>>>>) -> Option<BootMode> {
    let modes =
        [("live", BootMode::Live), ("cancel-only", BootMode::CancelOnly), ("halted", BootMode::Halted)];
    let boot_mode = field.choice(&modes)?;
    if boot_mode != BootMode::Live && matches!(operators, Some(None)) {
        return field.fault(Rule::NobodyStarts, "a vault that does not start live needs [[operators]]");
    }
    Some(boot_mode)
}

fn version(field: Field<'_>) -> Option<u32> {
    match scalars::uint(field)? {
        BOOK_VERSION => Some(BOOK_VERSION),
        other => {
            field.fault(Rule::UnknownValue, format_args!("{other}; this build understands {BOOK_VERSION}"))
        }
    }
}

/// Each venue that a slot grants is one that somebody may ask its key for.
fn check_asked(places: &[(u16, Field<'_>)], slots: &[Slot<'_>], parties: &Parties) -> Option<()> {
    let mut checked = Some(());
    for slot in slots {
        let granted = Venue::ALL.into_iter().filter(|venue| buckets::has_venue(slot, *venue));
        let unasked: Vec<_> = granted.filter(|venue| !parties.may_ask(slot.slot, *venue)).collect();
        if !unasked.is_empty() {
            let shown: Vec<_> = unasked.iter().map(|venue| venue.as_str()).collect();
            let message = format!("nobody may ask key {} to sign for {}", slot.slot, shown.join(", "));
            let (_, entry) = places.iter().find(|(number, _)| *number == slot.slot)?;
            checked = entry.fault(Rule::NobodyAsks, message);
        }
    }
    checked
}

/// The slots, and where each of them stands in the file.
fn slots<'d>(field: Field<'d>, places: &mut Vec<(u16, Field<'d>)>) -> Option<Vec<Slot<'static>>> {
    let (mut numbers, mut names, mut public_keys) = (Seen::default(), Seen::default(), Seen::default());
    let mut slots = field.some_list(|entry| {
        let slot = entry.table(|table| slot(table, &mut numbers, &mut names, &mut public_keys))?;
        places.push((slot.slot, entry));
        Some(slot)
    })?;
    if slots.len() > SLOTS_MAX {
        return field.fault(Rule::ListTooLong, format_args!("{} slots; at most {SLOTS_MAX}", slots.len()));
    }
    slots.sort_by_key(|slot| slot.slot);
    Some(slots)
}

fn slot(
    table: &mut Table<'_>,
    numbers: &mut Seen<u16>,
    names: &mut Seen<&'static str>,
    public_keys: &mut Seen<PublicKey>,
) -> Option<Slot<'static>> {
    let slot = table.required("slot", |field| numbers.once(&field, scalars::uint(field)?));
    let name = table.required("name", |field| names.once(&field, scalars::name(field)?));
    let public_key =
        table.required("public_key", |field| public_keys.once(&field, field.table(keys::public_key)?));
    let expires_ms = table.optional("expires", expiry::expires_ms);
    let evm = table.optional("evm", |field| {
        check_scheme::<Secp256k1>(&field, public_key);
        field.table(evm::limits)
    });
    let uniswapx = table.optional("uniswapx", |field| {
        check_scheme::<Secp256k1>(&field, public_key);
        field.table(uniswapx::limits)
    });
    let polymarket = table.optional("polymarket", |field| {
        check_scheme::<Secp256k1>(&field, public_key);
        field.table(polymarket::limits)
    });
    let hyperliquid = table.optional("hyperliquid", |field| {
        check_scheme::<Secp256k1>(&field, public_key);
        field.table(hyperliquid::limits)
    });
    let solana = table.optional("solana", |field| {
        check_scheme::<Ed25519>(&field, public_key);
        let authority = public_key.as_ref().and_then(Ed25519::account).copied();
        field.table(|table| solana::limits(table, authority))
    });
    let grants = Grants {
        evm: evm?,
        uniswapx: uniswapx?,
        polymarket: polymarket?,
        hyperliquid: hyperliquid?,
        solana: solana?,
    };
    if grants == Grants::NONE {
        return table.fault(Rule::EmptyGrants, "a slot without grants signs nothing");
    }
    Some(Slot { slot: slot?, name: name?, public_key: public_key?, expires_ms: expires_ms?, grants })
}

/// Tells a fault where the slot's key makes signatures of another scheme than the venue takes.
fn check_scheme<S: Scheme>(field: &Field<'_>, public_key: Option<PublicKey>) {
    if public_key.is_some_and(|key| S::account(&key).is_none()) {
        field.fault::<()>(Rule::WrongScheme, "the slot's public_key is of another signature scheme");
    }
}
