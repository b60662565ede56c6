//! What holds the vault back: independent latches, of which the strictest counts.
//!
//! ```text
//! hard   boot, kill, operator, tightened, cut-client, integrity    lifted by an operator's order only
//! soft   host-heartbeat, receipt-credit, client-heartbeat, clock   lifted when the cause has been gone for 1 s
//! ```
//! Guarantees: no input of the host makes the mode milder; a soft latch lifts no hard one; the mode in force for a
//! client on a venue is the strictest that any latch asks for. Time is an argument, and only monotonic time counts.
//! Soft latches are judged when a frame comes: between two frames nothing is signed.

use wire::control::Latch;
use wire::{Mode, Refusal, Scope, Shown, Venue, Why};

/// How long a cause must be gone before its soft latch is lifted, milliseconds.
pub const CALM_MS: u64 = 1_000;

/// Clients that can be held back one by one, and cut off.
pub const CLIENTS_MAX: usize = 64;

/// A client's public session key (X25519).
pub type ClientKey = [u8; 32];

/// That a latch was set, made stricter or lifted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// Which.
    pub latch: Latch,
    /// For what.
    pub scope: Scope,
    /// What it asks for now; [`Mode::Live`] when it was lifted.
    pub mode: Mode,
}

/// All latches of a vault.
#[derive(Debug)]
pub struct Latches {
    boot: Mode,
    killed: bool,
    has_fault: bool,
    operator: Scoped,
    tightened: Scoped,
    cut: Keys<()>,
    host: Soft,
    credit: Soft,
    /// Since when too many receipts wait.
    credit_spent_since_ms: Option<u64>,
    clock: Soft,
}

/// What a host that is gone, or a clock that disagrees, costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Watch {
    /// After this time without a word from the host, milliseconds.
    pub host_silence_max_ms: u64,
    /// the vault is no milder than this.
    pub host_gone: Mode,
}

impl Latches {
    /// The latches at boot: `boot_mode` holds until an operator starts the vault.
    #[must_use]
    pub const fn at_boot(boot_mode: Mode, watch: Option<Watch>) -> Self {
        let host = match watch {
            Some(watch) => Soft::new(watch.host_gone, Some(watch.host_silence_max_ms)),
            None => Soft::new(Mode::Live, None),
        };
        Self {
            boot: boot_mode,
            killed: false,
            has_fault: false,
            operator: Scoped::LIVE,
            tightened: Scoped::LIVE,
            cut: Keys::EMPTY,
            host,
            credit: Soft::new(Mode::Halted, None),
            credit_spent_since_ms: None,
            clock: Soft::new(Mode::CancelOnly, None),
        }
    }

    /// The mode for everything: what holds whoever is held back by nothing else.
    #[must_use]
    pub fn mode(&self) -> Mode {
        let switches = [(self.killed, Mode::Halted), (self.has_fault, Mode::Halted)];
        let switched = switches.into_iter().map(|(is_set, mode)| if is_set { mode } else { Mode::Live });
        let soft = [self.host.mode(), self.credit.mode(), self.clock.mode()];
        let hard = [self.boot, self.operator.everything, self.tightened.everything];
        switched.chain(soft).chain(hard).max().unwrap_or(Mode::Halted)
    }

    /// The mode in force for a client on a venue; `None` stands for a request that names no client.
    #[must_use]
    pub fn mode_for(&self, client: Option<&ClientKey>, venue: Venue) -> Mode {
        let is_cut = client.is_some_and(|client| self.cut.get(client).is_some());
        let cut = if is_cut { Mode::Halted } else { Mode::Live };
        let scoped = self.operator.narrow(client, venue).max(self.tightened.narrow(client, venue));
        self.mode().max(scoped).max(cut)
    }

    /// Whether a client is cut off.
    #[must_use]
    pub fn is_cut(&self, client: &ClientKey) -> bool {
        self.cut.get(client).is_some()
    }

    /// The mode in force for a client on the venues that are held back by nothing of their own.
    #[must_use]
    pub fn mode_of(&self, client: &ClientKey) -> Mode {
        let of = |scoped: &Scoped| scoped.clients.get(client).unwrap_or(Mode::Live);
        let cut = if self.is_cut(client) { Mode::Halted } else { Mode::Live };
        self.mode().max(of(&self.operator)).max(of(&self.tightened)).max(cut)
    }

    /// [`Latch::bit`] of every latch that is set somewhere.
    #[must_use]
    pub fn bits(&self) -> u16 {
        let set = [
            (Latch::Boot, self.boot != Mode::Live),
            (Latch::Kill, self.killed),
            (Latch::Operator, self.operator.is_set()),
            (Latch::Tightened, self.tightened.is_set()),
            (Latch::CutClient, self.cut.used > 0),
            (Latch::Integrity, self.has_fault),
            (Latch::HostHeartbeat, self.host.is_set),
            (Latch::ReceiptCredit, self.credit.is_set),
            (Latch::Clock, self.clock.is_set),
        ];
        set.into_iter().filter(|(_, is_set)| *is_set).fold(0, |bits, (latch, _)| bits | latch.bit())
    }

    /// Pulls the kill switch. `None` when it was pulled already.
    pub fn kill(&mut self) -> Option<Edge> {
        let is_new = !std::mem::replace(&mut self.killed, true);
        is_new.then_some(Edge { latch: Latch::Kill, scope: Scope::Everything, mode: Mode::Halted })
    }

    /// Notes a fault that the vault found in itself.
    pub fn fail(&mut self) -> Option<Edge> {
        let is_new = !std::mem::replace(&mut self.has_fault, true);
        is_new.then_some(Edge { latch: Latch::Integrity, scope: Scope::Everything, mode: Mode::Halted })
    }

    /// Makes the vault no milder than `mode`, as the host asks. `None` when it is that strict already.
    ///
    /// # Errors
    /// [`Refusal::ClientTableFull`]; tightening the venue or everything always works.
    pub fn tighten(&mut self, scope: Scope, mode: Mode) -> Result<Option<Edge>, Why> {
        let is_tighter = self.tightened.get(scope) < mode;
        if !is_tighter {
            return Ok(None);
        }
        self.tightened.set(scope, mode)?;
        Ok(Some(Edge { latch: Latch::Tightened, scope, mode }))
    }

    /// Cuts a client off. `None` when it is already.
    ///
    /// # Errors
    /// [`Refusal::ClientTableFull`].
    pub fn cut(&mut self, client: ClientKey) -> Result<Option<Edge>, Why> {
        if self.cut.get(&client).is_some() {
            return Ok(None);
        }
        self.cut.set(client, ())?;
        Ok(Some(Edge { latch: Latch::CutClient, scope: Scope::Client(client), mode: Mode::Halted }))
    }

    /// An operator's start.
    pub fn start(&mut self) -> Option<Edge> {
        let was_set = std::mem::replace(&mut self.boot, Mode::Live) != Mode::Live;
        was_set.then_some(lifted(Latch::Boot, Scope::Everything))
    }

    /// An operator's resume: lifts kill, integrity, and all that the host and operators made stricter. A boot that was
    /// not started stays so, and so do clients that were cut off.
    pub fn resume(&mut self, mut tell: impl FnMut(Edge)) {
        for (latch, is_set) in [
            (Latch::Kill, std::mem::take(&mut self.killed)),
            (Latch::Integrity, std::mem::take(&mut self.has_fault)),
            (Latch::Operator, std::mem::replace(&mut self.operator, Scoped::LIVE).is_set()),
            (Latch::Tightened, std::mem::replace(&mut self.tightened, Scoped::LIVE).is_set()),
        ] {
            if is_set {
                tell(lifted(latch, Scope::Everything));
            }
        }
    }

    /// Sets the operators' own latch.
    ///
    /// # Errors
    /// [`Refusal::ClientTableFull`].
    pub fn set_mode(&mut self, scope: Scope, mode: Mode) -> Result<Option<Edge>, Why> {
        if self.operator.get(scope) == mode {
            return Ok(None);
        }
        self.operator.set(scope, mode)?;
        Ok(Some(Edge { latch: Latch::Operator, scope, mode }))
    }

    /// Lets a client in again. `None` when it was not cut off.
    pub fn reinstate(&mut self, client: &ClientKey) -> Option<Edge> {
        self.cut.remove(client).then_some(lifted(Latch::CutClient, Scope::Client(*client)))
    }

    /// Judges the soft latches: call with every frame, before it is looked at.
    pub fn settle(&mut self, monotonic_ms: u64, mut tell: impl FnMut(Edge)) {
        let soft = [
            (Latch::HostHeartbeat, &mut self.host),
            (Latch::ReceiptCredit, &mut self.credit),
            (Latch::Clock, &mut self.clock),
        ];
        for (latch, soft) in soft {
            match soft.settle(monotonic_ms) {
                Some(true) => tell(Edge { latch, scope: Scope::Everything, mode: soft.asks }),
                Some(false) => tell(lifted(latch, Scope::Everything)),
                None => {}
            }
        }
    }

    /// The host was heard. Call [`Latches::settle`] first, so that a silence that ends here is not missed.
    pub fn hear_host(&mut self, monotonic_ms: u64) {
        self.host.hear(monotonic_ms);
    }

    /// Whether the system's clock and the anchored time disagree.
    pub fn note_clock(&mut self, monotonic_ms: u64, disagrees: bool) {
        self.clock.note(monotonic_ms, disagrees);
    }

    /// Whether too many receipts wait to be acknowledged. A moment of it is ordinary and refuses by itself; the latch is
    /// for a host that does not come back within [`CALM_MS`].
    pub fn note_credit(&mut self, monotonic_ms: u64, is_spent: bool) {
        let since_ms = is_spent.then(|| *self.credit_spent_since_ms.get_or_insert(monotonic_ms));
        self.credit_spent_since_ms = since_ms;
        let is_stuck = since_ms.is_some_and(|since_ms| monotonic_ms.saturating_sub(since_ms) >= CALM_MS);
        self.credit.note(monotonic_ms, is_stuck);
    }
}

const fn lifted(latch: Latch, scope: Scope) -> Edge {
    Edge { latch, scope, mode: Mode::Live }
}

/// A latch whose cause comes and goes.
#[derive(Debug)]
pub(crate) struct Soft {
    asks: Mode,
    /// A cause of its own: nothing was heard for this long.
    silence_max_ms: Option<u64>,
    heard_ms: u64,
    has_cause: bool,
    is_set: bool,
    /// Since when there is no cause.
    calm_since_ms: Option<u64>,
}

impl Soft {
    pub(crate) const fn new(asks: Mode, silence_max_ms: Option<u64>) -> Self {
        Self { asks, silence_max_ms, heard_ms: 0, has_cause: false, is_set: false, calm_since_ms: None }
    }

    pub(crate) const fn mode(&self) -> Mode {
        if self.is_set { self.asks } else { Mode::Live }
    }

    pub(crate) fn hear(&mut self, now_ms: u64) {
        self.heard_ms = self.heard_ms.max(now_ms);
        self.note(now_ms, false);
    }

    fn note(&mut self, now_ms: u64, has_cause: bool) {
        self.has_cause = has_cause;
        if has_cause {
            self.calm_since_ms = None;
        } else {
            self.calm_since_ms.get_or_insert(now_ms);
        }
    }

    /// `Some(true)` when it was set just now, `Some(false)` when it was lifted.
    pub(crate) fn settle(&mut self, now_ms: u64) -> Option<bool> {
        if let Some(silence_max_ms) = self.silence_max_ms {
            let is_silent = now_ms.saturating_sub(self.heard_ms) > silence_max_ms;
            self.note(now_ms, is_silent);
        }
        if self.has_cause {
            return (!std::mem::replace(&mut self.is_set, true)).then_some(true);
        }
        let calm_since_ms = self.calm_since_ms?;
        // A single word does not end a silence: there must be another one a second later.
        let calm_until_ms = if self.silence_max_ms.is_some() { self.heard_ms } else { now_ms };
        let is_calm = calm_until_ms.saturating_sub(calm_since_ms) >= CALM_MS;
        (is_calm && std::mem::take(&mut self.is_set)).then_some(false)
    }
}

/// A mode for everything, for each venue and for some clients.
#[derive(Debug)]
struct Scoped {
    everything: Mode,
    venues: [Mode; Venue::ALL.len()],
    clients: Keys<Mode>,
}

impl Scoped {
    const LIVE: Self =
        Self { everything: Mode::Live, venues: [Mode::Live; Venue::ALL.len()], clients: Keys::EMPTY };

    fn get(&self, scope: Scope) -> Mode {
        match scope {
            Scope::Everything => self.everything,
            Scope::Venue(venue) => self.venue(venue),
            Scope::Client(key) => self.clients.get(&key).unwrap_or(Mode::Live),
        }
    }

    fn set(&mut self, scope: Scope, mode: Mode) -> Result<(), Why> {
        match scope {
            Scope::Everything => self.everything = mode,
            Scope::Venue(venue) => {
                if let Some(place) = self.venues.get_mut(place_of(venue)) {
                    *place = mode;
                }
            }
            Scope::Client(key) if mode == Mode::Live => {
                self.clients.remove(&key);
            }
            Scope::Client(key) => self.clients.set(key, mode)?,
        }
        Ok(())
    }

    fn venue(&self, venue: Venue) -> Mode {
        self.venues.get(place_of(venue)).copied().unwrap_or(Mode::Halted)
    }

    fn narrow(&self, client: Option<&ClientKey>, venue: Venue) -> Mode {
        let client = client.and_then(|client| self.clients.get(client)).unwrap_or(Mode::Live);
        self.venue(venue).max(client)
    }

    fn is_set(&self) -> bool {
        self.everything != Mode::Live
            || self.venues.iter().any(|mode| *mode != Mode::Live)
            || self.clients.used > 0
    }
}

const fn place_of(venue: Venue) -> usize {
    match venue {
        Venue::Evm => 0,
        Venue::Uniswapx => 1,
        Venue::Polymarket => 2,
        Venue::Hyperliquid => 3,
        Venue::Solana => 4,
    }
}

/// At most [`CLIENTS_MAX`] keys with a value each.
#[derive(Debug)]
struct Keys<V> {
    entries: [Option<(ClientKey, V)>; CLIENTS_MAX],
    used: usize,
}

impl<V: Copy> Keys<V> {
    const EMPTY: Self = Self { entries: [None; CLIENTS_MAX], used: 0 };

    fn get(&self, key: &ClientKey) -> Option<V> {
        let known = self.entries.iter().take(self.used).flatten();
        known.into_iter().find(|(known, _)| known == key).map(|(_, value)| *value)
    }

    fn set(&mut self, key: ClientKey, value: V) -> Result<(), Why> {
        let known = self.entries.iter_mut().take(self.used).flatten();
        if let Some((_, place)) = known.into_iter().find(|(known, _)| *known == key) {
            *place = value;
            return Ok(());
        }
        let full = Why::new(Refusal::ClientTableFull).limit(Shown::size(CLIENTS_MAX));
        *self.entries.get_mut(self.used).ok_or(full)? = Some((key, value));
        self.used += 1;
        Ok(())
    }

    fn remove(&mut self, key: &ClientKey) -> bool {
        let mut known = self.entries.iter().take(self.used);
        let Some(at) = known.position(|entry| entry.is_some_and(|(known, _)| known == *key)) else {
            return false;
        };
        self.used -= 1;
        self.entries.swap(at, self.used);
        true
    }
}
