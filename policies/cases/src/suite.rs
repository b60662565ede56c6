//! A case file: its cases, and what becomes of each under a book.

use std::collections::{BTreeMap, BTreeSet};

use book::Book;
use policies::Asker;
use serde::Deserialize;
use wire::{Now, Refusal, Why};

use crate::Fault;
use crate::judge::Judge;
use crate::payload::{Template, Value};
use crate::places::{Places, Values};

/// The vault of a case booted this long before, unless the case says something else: three days, so that budgets are full
/// and no nonce is below the floor of the boot.
const BOOTED_MS_AGO: u64 = 3 * 24 * 3_600 * 1_000;

/// Most times that one request may be put before a case.
const TIMES_MAX: u32 = 10_000;

/// What a case expects when it is no refusal.
const SIGNED: &str = "signed";

/// The cases of a book.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Suite {
    /// The wall clock of the cases, ms since the Unix epoch.
    now_ms: u64,
    payloads: BTreeMap<String, Template>,
    cases: Vec<Case>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    what: String,
    payload: String,
    #[serde(default)]
    with: BTreeMap<String, Value>,
    slot: Option<u16>,
    /// Of the book: a client or a role. Else the first one that may ask for the slot and the payload's venue.
    client: Option<String>,
    now_ms: Option<u64>,
    booted_ms_ago: Option<u64>,
    #[serde(default)]
    after: Vec<Before>,
    /// "signed", or the name of a refusal.
    expect: String,
    observed: Option<Value>,
    limit: Option<Value>,
    subject: Option<u16>,
}

/// A request that is signed before a case is put.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Before {
    payload: String,
    #[serde(default)]
    with: BTreeMap<String, Value>,
    client: Option<String>,
    #[serde(default = "once")]
    times: u32,
    /// How long before the case.
    #[serde(default)]
    ms_ago: u64,
}

const fn once() -> u32 {
    1
}

/// What became of a case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// The case.
    pub what: String,
    /// What it expects.
    pub expected: String,
    /// What happened.
    pub found: String,
    /// Whether both are the same.
    pub passed: bool,
}

impl Verdict {
    /// Of a case that fails under another book: the refusal that the difference is about, by name. Where the other book
    /// is looser that is what the case expects, else what it finds.
    pub(crate) fn refusal(&self, is_looser: bool) -> Option<&str> {
        let told = if is_looser { [&self.expected, &self.found] } else { [&self.found, &self.expected] };
        told.into_iter().find(|told| *told != SIGNED)?.split(',').next()
    }
}

impl Suite {
    /// Reads a case file.
    ///
    /// # Errors
    /// What is wrong with it, with its line where that is known.
    pub fn read(text: &str) -> Result<Self, Fault> {
        let suite: Self = toml::from_str(text).map_err(|error| error.to_string())?;
        suite.check()?;
        Ok(suite)
    }

    /// Cases that cannot fail, or are never looked at, are none.
    fn check(&self) -> Result<(), Fault> {
        let mut names = BTreeSet::new();
        for case in &self.cases {
            if !names.insert(&case.what) {
                return Err(format!("two cases are called {:?}", case.what));
            }
            let is_rule = Refusal::ALL.iter().any(|refusal| refusal.name() == case.expect);
            if case.expect != SIGNED && !is_rule {
                return Err(format!(
                    "{:?}: {:?} is neither \"signed\" nor a refusal",
                    case.what, case.expect
                ));
            }
            let tells_values = case.observed.is_some() || case.limit.is_some() || case.subject.is_some();
            if case.expect == SIGNED && tells_values {
                return Err(format!("{:?}: only a refusal has observed, limit and subject", case.what));
            }
        }
        if !self.cases.iter().any(|case| case.expect != SIGNED) {
            return Err("no case expects a denial".to_owned());
        }
        if !self.cases.iter().any(|case| case.expect == SIGNED) {
            return Err("no case expects a signature".to_owned());
        }
        let is_used = |name: &String| {
            self.cases
                .iter()
                .any(|case| case.payload == *name || case.after.iter().any(|before| before.payload == *name))
        };
        match self.payloads.keys().find(|name| !is_used(name)) {
            Some(name) => Err(format!("no case uses the payload {name:?}")),
            None => Ok(()),
        }
    }

    /// How many cases there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.cases.len()
    }

    /// Whether there is none, which a suite that was read never is.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.cases.is_empty()
    }

    /// How many cases expect a denial.
    #[must_use]
    pub fn denials(&self) -> usize {
        self.cases.iter().filter(|case| case.expect != SIGNED).count()
    }

    /// Puts each case to a vault's policy of its own.
    ///
    /// # Errors
    /// A case that cannot be put: its payload, a place or a value is not there, or what must be signed before it is not.
    pub fn run(&self, book: &Book<'_>) -> Result<Vec<Verdict>, Fault> {
        let run = |case: &Case| self.verdict(case, book).map_err(|fault| format!("{:?}: {fault}", case.what));
        self.cases.iter().map(run).collect()
    }

    fn verdict(&self, case: &Case, book: &Book<'_>) -> Result<Verdict, Fault> {
        let clock = Clock {
            now_ms: case.now_ms.unwrap_or(self.now_ms),
            booted_ms_ago: case.booted_ms_ago.unwrap_or(BOOTED_MS_AGO),
        };
        let mut judge = Judge::at_boot(book, clock.at(clock.booted_ms_ago)?);
        let verdict = |found: String, passed: bool| {
            Ok(Verdict { what: case.what.clone(), expected: case.expected(), found, passed })
        };
        if let Err(why) = self.put_before(case, &clock, &mut judge)? {
            return verdict(format!("{}, before it", shown(&why)), false);
        }
        let put =
            Put { payload: &case.payload, with: &case.with, slot: case.slot, client: case.client.as_deref() };
        match self.put(&mut judge, &put, clock.now_ms, clock.at(0)?)? {
            Ok(()) => verdict(SIGNED.to_owned(), case.expect == SIGNED),
            Err(why) => verdict(shown(&why), case.expects(&why)),
        }
    }

    /// Puts what must be signed before the case.
    fn put_before(
        &self,
        case: &Case,
        clock: &Clock,
        judge: &mut Judge<'_>,
    ) -> Result<Result<(), Why>, Fault> {
        // Each request of a case has a nonce of its own, the last one the case's time.
        let mut ahead: u64 = case.after.iter().map(|before| u64::from(before.times)).sum();
        for Before { payload, with, client, times, ms_ago } in &case.after {
            if !(1..=TIMES_MAX).contains(times) {
                return Err(format!("times is 1 to {TIMES_MAX}"));
            }
            let now = clock.at(*ms_ago)?;
            let put = Put { payload, with, slot: case.slot, client: client.as_deref() };
            for _ in 0..*times {
                if let Err(why) = self.put(judge, &put, now.wall_ms.saturating_sub(ahead), now)? {
                    return Ok(Err(why));
                }
                ahead = ahead.saturating_sub(1);
            }
        }
        Ok(Ok(()))
    }

    /// Puts a request.
    fn put(
        &self,
        judge: &mut Judge<'_>,
        put: &Put<'_>,
        nonce: u64,
        now: Now,
    ) -> Result<Result<(), Why>, Fault> {
        let template =
            self.payloads.get(put.payload).ok_or_else(|| format!("there is no payload {:?}", put.payload))?;
        let mut values: Values =
            template.with.iter().map(|(name, value)| (name.clone(), value.text())).collect();
        for (name, value) in put.with {
            if values.insert(name.clone(), value.text()).is_none() {
                return Err(format!("the payload {:?} has no value {name:?}", put.payload));
            }
        }
        let mut places = Places::new(&values, now.wall_ms, nonce);
        let (kind, payload) = template.payload(&mut places)?;
        if let Some(name) = places.unused() {
            return Err(format!("the payload {:?} has no place for {name:?}", put.payload));
        }
        let key_slot = put.slot.unwrap_or(template.slot);
        let party = judge.party(put.client, key_slot, kind.venue())?;
        // A vault numbers its clients as they come; here each is one that came.
        Ok(judge.judge(kind, &payload, Asker { client: party, party, key_slot }, now))
    }
}

struct Put<'c> {
    payload: &'c str,
    with: &'c BTreeMap<String, Value>,
    slot: Option<u16>,
    client: Option<&'c str>,
}

/// When a case is.
struct Clock {
    now_ms: u64,
    booted_ms_ago: u64,
}

impl Clock {
    /// That long before the case; monotonic time begins at 0 when the vault boots.
    fn at(&self, ms_ago: u64) -> Result<Now, Fault> {
        let monotonic_ms = self.booted_ms_ago.checked_sub(ms_ago).ok_or("a request before the boot")?;
        Ok(Now { monotonic_ms, wall_ms: self.now_ms.saturating_sub(ms_ago) })
    }
}

impl Case {
    fn expects(&self, why: &Why) -> bool {
        let is = |expected: &Option<Value>, shown: String| {
            expected.as_ref().is_none_or(|expected| expected.text() == shown)
        };
        self.expect == why.refusal.name()
            && is(&self.observed, why.observed.to_string())
            && is(&self.limit, why.limit.to_string())
            && (self.subject.is_none() || self.subject == why.subject)
    }

    fn expected(&self) -> String {
        let part = |name: &str, value: &Option<Value>| {
            value.as_ref().map(|value| format!(", {name} {}", value.text())).unwrap_or_default()
        };
        let subject = self.subject.map(|subject| format!(", subject {subject}")).unwrap_or_default();
        format!("{}{}{}{subject}", self.expect, part("observed", &self.observed), part("limit", &self.limit))
    }
}

/// A refusal, and what it shows.
fn shown(why: &Why) -> String {
    let mut text = why.refusal.name().to_owned();
    for (name, value) in [("observed", why.observed), ("limit", why.limit)] {
        let value = value.to_string();
        if !value.is_empty() {
            text.push_str(&format!(", {name} {value}"));
        }
    }
    why.subject.map(|subject| format!("{text}, subject {subject}")).unwrap_or(text)
}
