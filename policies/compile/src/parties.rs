//! `[[clients]]`, `[[roles]]` and `[receipts]`: who may ask for what, and what becomes of the records.

use book::{
    Access, CERTIFICATE_DAYS_MAX, CLIENTS_MAX, Client, Heartbeat, Host, May, ReceiptMode, Receipts, Role,
    Slot, UNACKNOWLEDGED_MAX,
};
use venues::book_value::AnyOr;
use wire::Venue;

use crate::fault::Rule;
use crate::field::{Field, Seen, Table};
use crate::{buckets, desk, keys, scalars};

/// Records that may wait for the host where the book does not say.
const UNACKNOWLEDGED_DEFAULT: u16 = 256;

/// Clients and roles share one space of names and places: budgets name either.
#[derive(Default)]
pub(crate) struct Parties {
    pub(crate) clients: Vec<Client<'static>>,
    pub(crate) roles: Vec<Role<'static>>,
}

impl Parties {
    /// The place of a client or role among all of them.
    pub(crate) fn place(&self, name: &str) -> Option<u16> {
        let clients = self.clients.iter().map(|client| client.name);
        let mut names = clients.chain(self.roles.iter().map(|role| role.name));
        names.position(|candidate| candidate == name).and_then(|place| u16::try_from(place).ok())
    }

    /// Whether somebody may have this key sign for this venue.
    pub(crate) fn may_ask(&self, key: u16, venue: Venue) -> bool {
        let clients = self.clients.iter().map(|client| &client.access);
        clients.chain(self.roles.iter().map(|role| &role.access)).any(|access| access.allows(key, venue))
    }
}

/// `[[clients]]` and `[[roles]]` of the top table. `slots` are those of the book, `host` its host's key, if they could
/// be read.
pub(crate) fn parties(
    table: &mut Table<'_>,
    slots: Option<&[Slot<'_>]>,
    host: Option<&Host>,
) -> Option<Parties> {
    let (mut names, mut public_keys) = (Seen::default(), Seen::default());
    let clients = table.optional("clients", |field| {
        field.some_list(|entry| {
            entry.table(|table| {
                let name = table.required("name", |field| names.once(&field, scalars::name(field)?));
                let public_key = table.required("public_key", |field| {
                    let key = public_keys.once(&field, field.table(keys::session_key)?)?;
                    if host.is_some_and(|host| host.public_key == key) {
                        return field
                            .fault(Rule::Duplicate, "is the host's key: who trades does not acknowledge");
                    }
                    Some(key)
                });
                let access = access(table, slots);
                Some(Client { name: name?, public_key: public_key?, access: access? })
            })
        })
    });
    let roles = table.optional("roles", |field| {
        field.some_list(|entry| {
            entry.table(|table| {
                let name = table.required("name", |field| names.once(&field, scalars::name(field)?));
                let certificate_days_max = table.required("certificate_days_max", certificate_days_max);
                let access = access(table, slots);
                Some(Role { name: name?, certificate_days_max: certificate_days_max?, access: access? })
            })
        })
    });
    let (clients, roles) = (clients?, roles?);
    if clients.is_none() && roles.is_none() {
        return table.fault(Rule::NobodyAsks, "nobody may ask: there are neither [[clients]] nor [[roles]]");
    }
    let parties = Parties { clients: clients.unwrap_or_default(), roles: roles.unwrap_or_default() };
    let len = parties.clients.len() + parties.roles.len();
    if len > CLIENTS_MAX {
        return table
            .fault(Rule::ListTooLong, format_args!("{len} clients and roles; at most {CLIENTS_MAX}"));
    }
    Some(parties)
}

fn access(table: &mut Table<'_>, slots: Option<&[Slot<'_>]>) -> Option<Access<'static>> {
    let mut seen = Seen::default();
    let may = table
        .required("may", |field| field.some_list(|entry| entry.table(|table| may(table, slots, &mut seen))));
    let heartbeat_ms = table.optional("heartbeat_ms", desk::heartbeat_ms);
    let when_gone = match (&heartbeat_ms, table.take("when_gone")) {
        (Some(None), None) => Some(None),
        (Some(None), Some(field)) => field.fault(Rule::UnusedKey, "without heartbeat_ms nobody is ever gone"),
        (_, None) => table.fault(Rule::MissingKey, "when_gone is missing"),
        (_, Some(field)) => desk::when_gone(field).map(Some),
    };
    let heartbeat = heartbeat_ms?.zip(when_gone?);
    let heartbeat = heartbeat.map(|(heartbeat_ms, when_gone)| Heartbeat { heartbeat_ms, when_gone });
    Some(Access { may: may?.leak(), heartbeat })
}

fn may(table: &mut Table<'_>, slots: Option<&[Slot<'_>]>, seen: &mut Seen<u16>) -> Option<May<'static>> {
    let key = table.required("key", |field| seen.once(&field, buckets::key(field, slots)?));
    let keys = key.as_ref().map(|key| AnyOr::Listed(std::slice::from_ref(key)));
    let venues = table.required("venues", |field| buckets::venues(field, slots, keys));
    Some(May { key: key?, venues: venues? })
}

fn certificate_days_max(field: Field<'_>) -> Option<u16> {
    match scalars::cap(field, scalars::uint::<u16>(field))? {
        days if days > CERTIFICATE_DAYS_MAX => {
            field.fault(Rule::TooLarge, format_args!("{days} days; at most {CERTIFICATE_DAYS_MAX}"))
        }
        days => Some(days),
    }
}

/// `[receipts]`. Without a host nobody acknowledges, and the clients keep their records.
pub(crate) fn receipts(table: &mut Table<'_>, has_host: bool) -> Option<Receipts> {
    let default = if has_host {
        Receipts { mode: ReceiptMode::Bounded, unacknowledged_max: UNACKNOWLEDGED_DEFAULT }
    } else {
        Receipts { mode: ReceiptMode::Client, unacknowledged_max: 0 }
    };
    let receipts = table.optional("receipts", |field| {
        field.table(|table| {
            let modes = [
                ("durable", ReceiptMode::Durable),
                ("bounded", ReceiptMode::Bounded),
                ("client", ReceiptMode::Client),
            ];
            let mode = table.required("mode", |field| match field.choice(&modes)? {
                ReceiptMode::Client => Some(ReceiptMode::Client),
                mode if has_host => Some(mode),
                ReceiptMode::Durable | ReceiptMode::Bounded => {
                    field.fault(Rule::NobodyAcknowledges, "there is no [host] that could acknowledge records")
                }
            });
            let unacknowledged_max = match (mode, table.take("unacknowledged_max")) {
                (Some(ReceiptMode::Client), Some(field)) => {
                    field.fault(Rule::UnusedKey, "nobody acknowledges records in this mode")
                }
                (Some(ReceiptMode::Client), None) => Some(0),
                (_, Some(field)) => unacknowledged_max(field),
                (_, None) => Some(UNACKNOWLEDGED_DEFAULT),
            };
            Some(Receipts { mode: mode?, unacknowledged_max: unacknowledged_max? })
        })
    })?;
    Some(receipts.unwrap_or(default))
}

fn unacknowledged_max(field: Field<'_>) -> Option<u16> {
    match scalars::cap(field, scalars::uint::<u16>(field))? {
        max if max > UNACKNOWLEDGED_MAX => {
            field.fault(Rule::TooLarge, format_args!("{max} records; at most {UNACKNOWLEDGED_MAX}"))
        }
        max => Some(max),
    }
}
