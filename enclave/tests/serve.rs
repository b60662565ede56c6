//! The serve loop over real unix sockets, with something simpler than a vault behind it.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)] // helpers of tests are tests too

use std::io::{Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use enclave::serve::{self, Clock, Counts, Limits, Place, Serve, Verdict};
use transport::{Address, Stop};
use wire::Now;
use wire::session::{Channel, Denial, SEALED_REPLY_SIZE_MAX, SEALED_REQUEST_SIZE_MAX, read_denied};

#[path = "../../tests/witness.rs"]
mod witness;
use witness::Witness as _;

/// Only a hung test meets this.
const HANG: Duration = Duration::from_secs(30);

const KILL: &[u8] = b"kill";
const STATUS: &[u8] = b"status";
/// The control connection has a session from now on.
const LOG_IN: &[u8] = b"log in";
/// One more record is acknowledged.
const ACKNOWLEDGE: &[u8] = b"acknowledge";
/// Answered once something was acknowledged, or in a minute.
const WAIT: &[u8] = b"wait";
/// The same, or in a moment.
const WAIT_A_MOMENT: &[u8] = b"wait a moment";
/// A request whose reply is held until record 0 is acknowledged.
const HOLD: &[u8] = b"hold";
/// A request whose reply is the last one.
const LAST: &[u8] = b"last";
/// The answer of the control channel, before and after a kill.
const ALIVE: &[u8] = b"ok";
const KILLED: &[u8] = b"ko";
const DEAD: &[u8] = b"dead";

/// Gives every request back, `reply_size` bytes long if that is longer; after a kill it says `dead`.
struct Echo {
    reply_size: usize,
    is_killed: bool,
    /// Whether everybody at the requests' door has a session.
    all_known: bool,
    known: Vec<Place>,
    acknowledged: u64,
    until_ms: u64,
}

impl Default for Echo {
    fn default() -> Self {
        Self {
            reply_size: 0,
            is_killed: false,
            all_known: true,
            known: Vec::new(),
            acknowledged: 0,
            until_ms: 0,
        }
    }
}

impl Echo {
    fn obey(&mut self, now: Now, from: Place, body: &[u8], reply: &mut [u8]) -> Verdict {
        match body {
            KILL => self.is_killed = true,
            LOG_IN => self.known.push(from),
            ACKNOWLEDGE => self.acknowledged += 1,
            WAIT => {
                self.until_ms = now.monotonic_ms + 60_000;
                return self.resume(now, from, reply);
            }
            WAIT_A_MOMENT => {
                self.until_ms = now.monotonic_ms + 20;
                return self.resume(now, from, reply);
            }
            STATUS => {}
            _ => return Verdict::Close,
        }
        reply[..2].copy_from_slice(if self.is_killed { KILLED } else { ALIVE });
        Verdict::Reply(2)
    }
}

impl Serve for Echo {
    fn handle(&mut self, now: Now, from: Place, body: &[u8], reply: &mut [u8]) -> Verdict {
        if from.channel == Channel::Control {
            return self.obey(now, from, body, reply);
        }
        let body = if self.is_killed { DEAD } else { body };
        if body == LAST {
            return Verdict::Last(0);
        }
        reply[..body.len()].copy_from_slice(body);
        let size = body.len().max(self.reply_size);
        if body == HOLD { Verdict::Held { size, sequence: 0 } } else { Verdict::Reply(size) }
    }

    fn resume(&mut self, now: Now, _: Place, reply: &mut [u8]) -> Verdict {
        if self.acknowledged == 0 && now.monotonic_ms < self.until_ms {
            return Verdict::Later { until_ms: self.until_ms };
        }
        reply[..2].copy_from_slice(if self.acknowledged > 0 { b"ah" } else { b"no" });
        Verdict::Reply(2)
    }

    fn forget(&mut self, from: Place) {
        self.known.retain(|place| *place != from);
    }

    fn has_session(&self, from: Place) -> bool {
        self.known.contains(&from) || (self.all_known && from.channel == Channel::Bots)
    }

    fn acknowledged(&self) -> u64 {
        self.acknowledged
    }

    fn note_clock(&mut self, _now: Now, _system_wall_ms: u64) {}
}

struct Server {
    folder: PathBuf,
    stop: Stop,
    thread: Option<JoinHandle<Counts>>,
}

impl Server {
    fn start(echo: Echo, limits: Limits) -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let name = format!("serve-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let folder = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&folder).unwrap();
        let address = |name| Address::Unix(folder.join(name));
        let server = serve::Server::bind(&address("requests"), &address("control"), limits).unwrap();
        let stop = server.stop();
        let run = move || server.run(echo, Clock::start()).unwrap();
        Self { folder, stop, thread: Some(std::thread::spawn(run)) }
    }

    fn with_deadline(frame_deadline_ms: u64) -> Self {
        let limits = Limits { frame_deadline_ms, ..Limits::default() };
        Self::start(Echo::default(), limits)
    }

    fn with_places(connections_max: usize) -> Self {
        let limits = Limits { connections_max, frame_deadline_ms: 60_000, ..Limits::default() };
        Self::start(Echo::default(), limits)
    }

    fn connect(&self) -> UnixStream {
        self.dial("requests")
    }

    fn dial(&self, name: &str) -> UnixStream {
        let stream = UnixStream::connect(self.folder.join(name)).unwrap();
        stream.set_read_timeout(Some(HANG)).unwrap();
        stream.set_write_timeout(Some(HANG)).unwrap();
        stream
    }

    /// Connects until a connection is not turned away.
    fn connect_when_free(&self) -> UnixStream {
        for _ in 0..10_000 {
            let mut client = self.connect();
            let _ = client.write_all(&framed(b"are you there"));
            let mut prefix = [0; 4];
            if client.read_exact(&mut prefix).is_ok() && prefix == [13, 0, 0, 0] {
                client.read_exact(&mut [0; 13]).unwrap();
                return client;
            }
        }
        panic!("never served");
    }

    fn finish(mut self) -> Counts {
        self.stop.stop();
        self.thread.take().unwrap().join().unwrap()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop.stop();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

fn framed(body: &[u8]) -> Vec<u8> {
    [&u32::try_from(body.len()).unwrap().to_le_bytes()[..], body].concat()
}

fn read_frame(stream: &mut UnixStream) -> Vec<u8> {
    let mut prefix = [0; 4];
    stream.read_exact(&mut prefix).unwrap();
    let mut body = vec![0; usize::try_from(u32::from_le_bytes(prefix)).unwrap()];
    stream.read_exact(&mut body).unwrap();
    body
}

fn ask(stream: &mut UnixStream, body: &[u8]) -> Vec<u8> {
    stream.write_all(&framed(body)).unwrap();
    read_frame(stream)
}

/// Waits until the server has closed the connection.
fn assert_closed(stream: &mut UnixStream) {
    match stream.read(&mut [0; 1]) {
        Ok(0) => {}
        Err(error) if error.kind() == std::io::ErrorKind::ConnectionReset => {}
        other => panic!("not closed: {other:?}"),
    }
}

#[test]
fn a_frame_comes_back_as_its_reply() {
    let server = Server::with_deadline(2_000);
    let mut client = server.connect();
    assert_eq!(ask(&mut client, b"one"), b"one");
    let largest = vec![7; SEALED_REQUEST_SIZE_MAX];
    assert_eq!(ask(&mut client, &largest), largest);
    assert_eq!(ask(&mut client, b"two"), b"two");
    assert_eq!(server.finish().frames, 3);
}

#[test]
fn a_frame_that_dribbles_in_is_cut_at_its_deadline_and_idle_connections_are_kept() {
    let server = Server::with_deadline(60);
    let mut idle = server.connect();
    assert_eq!(ask(&mut idle, b"before"), b"before");
    let mut dribbling = server.connect();
    dribbling.write_all(&framed(&[1; 4000])[..5]).unwrap();
    // Each turn waits on the socket; a byte now and then must not move the deadline.
    dribbling.set_read_timeout(Some(Duration::from_millis(2))).unwrap();
    let mut sent = 0;
    while dribbling.read(&mut [0; 1]).is_err_and(|error| error.kind() == std::io::ErrorKind::WouldBlock) {
        if dribbling.write_all(&[1]).is_err() {
            break;
        }
        sent += 1;
        assert!(sent < 3_000, "never cut");
    }
    assert_eq!(ask(&mut idle, b"after"), b"after");
    let counts = server.finish();
    assert_eq!((counts.late, counts.violations, counts.frames), (1, 0, 2));
}

#[test]
fn a_length_above_the_cap_closes_the_connection_on_the_prefix_alone() {
    let server = Server::with_deadline(60_000);
    let mut client = server.connect();
    let declared = u32::try_from(SEALED_REQUEST_SIZE_MAX + 1).unwrap();
    client.write_all(&declared.to_le_bytes()).unwrap();
    assert_closed(&mut client);
    assert_eq!(ask(&mut server.connect(), b"next"), b"next");
    assert_eq!(server.finish().violations, 1);
}

#[test]
fn a_length_of_zero_closes_the_connection() {
    let server = Server::with_deadline(60_000);
    let mut client = server.connect();
    client.write_all(&[0; 4]).unwrap();
    assert_closed(&mut client);
    assert_eq!(server.finish().violations, 1);
}

#[test]
fn a_wrong_length_behind_a_good_frame_costs_the_connection_but_not_the_reply() {
    let server = Server::with_deadline(60_000);
    let mut client = server.connect();
    client.write_all(&[framed(b"good"), vec![0xff; 4]].concat()).unwrap();
    assert_eq!(read_frame(&mut client), b"good");
    assert_closed(&mut client);
    assert_eq!(server.finish().violations, 1);
}

#[test]
fn a_client_that_says_no_more_still_gets_its_replies() {
    let server = Server::with_deadline(2_000);
    let mut client = server.connect();
    client.write_all(&[framed(b"a1"), framed(b"a2")].concat()).unwrap();
    client.shutdown(std::net::Shutdown::Write).unwrap();
    assert_eq!(read_frame(&mut client), b"a1");
    assert_eq!(read_frame(&mut client), b"a2");
    assert_closed(&mut client);
}

#[test]
fn a_client_that_leaves_inside_a_frame_is_forgotten() {
    let server = Server::with_places(1);
    let mut client = server.connect();
    client.write_all(&[9, 0, 0]).unwrap();
    drop(client);
    let mut next = server.connect_when_free();
    assert_eq!(ask(&mut next, b"fresh buffer"), b"fresh buffer");
}

#[test]
fn requests_sent_at_once_are_answered_in_order() {
    let server = Server::with_deadline(2_000);
    let mut client = server.connect();
    let bodies: Vec<Vec<u8>> = (0..2_000_u16).map(|n| [&n.to_le_bytes()[..], &[0; 30]].concat()).collect();
    let stream: Vec<u8> = bodies.iter().flat_map(|body| framed(body)).collect();
    let mut writer = client.try_clone().unwrap();
    let writing = std::thread::spawn(move || writer.write_all(&stream).unwrap());
    for body in &bodies {
        assert_eq!(&read_frame(&mut client), body);
    }
    writing.join().unwrap();
    assert_eq!(server.finish().frames, 2_000);
}

#[test]
fn a_connection_beyond_the_cap_is_told_so_and_closed_and_its_place_comes_back() {
    let server = Server::with_places(2);
    let mut clients = [server.connect(), server.connect()];
    for client in &mut clients {
        assert_eq!(ask(client, b"in"), b"in");
    }
    let mut third = server.connect();
    let body = read_frame(&mut third);
    let denial = read_denied(&body).ok().and_then(Denial::from_code).witnessed();
    assert_eq!(denial, Some(Denial::SessionsFull));
    assert_closed(&mut third);
    let [first, mut second] = clients;
    drop(first);
    server.connect_when_free();
    assert_eq!(ask(&mut second, b"still in"), b"still in");
    assert!(server.finish().turned_away >= 1);
}

#[test]
fn sixty_four_connections_are_served_and_the_next_is_not() {
    let server = Server::with_deadline(2_000);
    let mut clients: Vec<_> = (0..64).map(|_| server.connect()).collect();
    for client in &mut clients {
        assert_eq!(ask(client, b"in"), b"in");
    }
    let body = read_frame(&mut server.connect());
    let denial = read_denied(&body).ok().and_then(Denial::from_code).witnessed();
    assert_eq!(denial, Some(Denial::SessionsFull));
    let counts = server.finish();
    assert_eq!((counts.accepted, counts.turned_away), (64, 1));
}

#[test]
fn a_client_that_never_reads_is_cut_and_holds_nobody_up() {
    let echo = Echo { reply_size: SEALED_REPLY_SIZE_MAX, ..Echo::default() };
    let limits = Limits { frame_deadline_ms: 60, ..Limits::default() };
    let server = Server::start(echo, limits);
    let mut writer = server.connect();
    let deaf = writer.try_clone().unwrap();
    let request = framed(&[1; 64]);
    let writing = std::thread::spawn(move || while writer.write_all(&request).is_ok() {});
    let mut other = server.connect();
    for _ in 0..100 {
        assert_eq!(ask(&mut other, b"hello").len(), SEALED_REPLY_SIZE_MAX);
    }
    // Ends only when the server has cut the connection.
    writing.join().unwrap();
    drop(deaf);
    assert_eq!(server.finish().late, 1);
}

#[test]
fn a_kill_gets_through_while_every_client_floods() {
    let server = Server::with_deadline(2_000);
    let flood = |mut client: UnixStream| {
        move || {
            let burst = framed(b"sign this").repeat(50);
            let mut is_dead = false;
            while !is_dead {
                client.write_all(&burst).unwrap();
                for _ in 0..50 {
                    is_dead = read_frame(&mut client) == DEAD;
                }
            }
        }
    };
    let floods: Vec<_> = (0..8).map(|_| std::thread::spawn(flood(server.connect()))).collect();
    assert_eq!(ask(&mut server.dial("control"), KILL), KILLED);
    for flood in floods {
        flood.join().unwrap();
    }
    assert_eq!(ask(&mut server.connect(), b"too late"), DEAD);
}

/// A server whose idle control connections stay for as long as any test lasts.
fn start_patient() -> Server {
    let limits = Limits { frame_deadline_ms: 60_000, stranger_idle_ms: 60_000, ..Limits::default() };
    Server::start(Echo::default(), limits)
}

#[test]
fn a_kill_gets_in_at_once_while_idle_connections_hold_every_control_place() {
    let server = start_patient();
    let mut held: Vec<_> = (0..8).map(|_| server.dial("control")).collect();
    // One of them holds its place with a frame that it does not end.
    held[3].write_all(&framed(STATUS)[..5]).unwrap();
    assert_eq!(ask(&mut server.dial("control"), KILL), KILLED);
    assert_eq!(ask(&mut server.connect(), b"too late"), DEAD);
    // The one that had been idle longest made room.
    assert_closed(&mut held[0]);
    let counts = server.finish();
    assert_eq!((counts.displaced, counts.late, counts.turned_away), (1, 0, 0));
}

#[test]
fn a_kill_gets_in_while_more_pollers_than_places_ask_without_pause() {
    let server = start_patient();
    std::thread::scope(|scope| {
        for _ in 0..12 {
            scope.spawn(|| {
                let mut poller = server.dial("control");
                loop {
                    let mut answer = [0; 6];
                    let sent = poller.write_all(&framed(STATUS));
                    if sent.and_then(|()| poller.read_exact(&mut answer)).is_err() {
                        // Displaced.
                        poller = server.dial("control");
                    } else if answer[4..] == *KILLED {
                        break;
                    }
                }
            });
        }
        // Sent before the server can have taken the connection, or not: both must do.
        assert_eq!(ask(&mut server.dial("control"), KILL), KILLED);
    });
    assert_eq!(ask(&mut server.connect(), b"too late"), DEAD);
}

#[test]
fn a_kill_that_was_sent_is_obeyed_even_when_its_connection_is_displaced() {
    let server = start_patient();
    for _ in 0..50 {
        // Nobody waits for an answer, and every connection pushes out another one.
        let crowd: Vec<_> = (0..16).map(|_| server.dial("control")).collect();
        drop(crowd);
    }
    let mut killer = server.dial("control");
    killer.write_all(&framed(KILL)).unwrap();
    let _crowd: Vec<_> = (0..16).map(|_| server.dial("control")).collect();
    assert_eq!(ask(&mut server.dial("control"), STATUS), KILLED);
}

#[test]
fn an_idle_control_connection_is_cut_and_an_idle_request_connection_is_kept() {
    let limits = Limits { stranger_idle_ms: 60, ..Limits::default() };
    let server = Server::start(Echo::default(), limits);
    let mut idle = server.dial("control");
    let mut bot = server.connect();
    assert_eq!(ask(&mut bot, b"before"), b"before");
    assert_closed(&mut idle);
    let mut asking = server.dial("control");
    assert_eq!(ask(&mut asking, STATUS), ALIVE);
    assert_closed(&mut asking);
    assert_eq!(ask(&mut bot, b"after"), b"after");
    assert_eq!(server.finish().late, 2);
}

#[test]
fn what_is_no_control_message_closes_the_control_connection() {
    let server = Server::with_deadline(2_000);
    let mut control = server.dial("control");
    control.write_all(&framed(b"sign this")).unwrap();
    assert_closed(&mut control);
    assert_eq!(ask(&mut server.dial("control"), KILL), KILLED);
    assert_eq!(server.finish().violations, 1);
}

#[test]
fn a_stop_closes_connections_and_removes_the_socket_files() {
    let mut server = Server::with_deadline(2_000);
    let mut client = server.connect();
    assert_eq!(ask(&mut client, b"hello"), b"hello");
    let path = server.folder.join("requests");
    server.stop.stop();
    server.thread.take().unwrap().join().unwrap();
    assert_closed(&mut client);
    assert!(!path.exists());
}

#[test]
fn a_reply_is_held_until_its_record_is_acknowledged_and_others_are_served_meanwhile() {
    let server = Server::with_places(4);
    let (mut waits, mut asks) = (server.connect(), server.connect());
    waits.write_all(&framed(HOLD)).unwrap();
    waits.write_all(&framed(b"behind it")).unwrap();
    // The round of this answer is behind that of the held one, and nothing of it has come.
    assert_eq!(ask(&mut asks, b"hello"), b"hello");
    waits.set_nonblocking(true).unwrap();
    assert_eq!(waits.read(&mut [0; 1]).unwrap_err().kind(), std::io::ErrorKind::WouldBlock);
    waits.set_nonblocking(false).unwrap();
    assert_eq!(ask(&mut server.dial("control"), ACKNOWLEDGE), ALIVE);
    assert_eq!(read_frame(&mut waits), HOLD);
    assert_eq!(read_frame(&mut waits), b"behind it");
    assert_eq!(server.finish().frames, 4);
}

#[test]
fn who_leaves_while_its_reply_is_held_frees_its_place() {
    let server = Server::with_places(1);
    for _ in 0..3 {
        let mut waits = server.connect_when_free();
        waits.write_all(&framed(HOLD)).unwrap();
    }
    server.connect_when_free();
    server.finish();
}

#[test]
fn an_answer_comes_later_when_there_is_one_or_its_time_is_up() {
    let server = Server::with_places(4);
    let mut taker = server.dial("control");
    assert_eq!(ask(&mut taker, LOG_IN), ALIVE);
    assert_eq!(ask(&mut taker, WAIT_A_MOMENT), b"no");
    taker.write_all(&framed(WAIT)).unwrap();
    assert_eq!(ask(&mut server.connect(), b"hello"), b"hello");
    assert_eq!(ask(&mut server.dial("control"), ACKNOWLEDGE), ALIVE);
    assert_eq!(read_frame(&mut taker), b"ah");
    server.finish();
}

#[test]
fn a_last_reply_is_delivered_and_the_connection_ends() {
    let server = Server::with_places(4);
    let mut client = server.connect();
    client.write_all(&framed(LAST)).unwrap();
    assert_eq!(read_frame(&mut client), b"");
    assert_closed(&mut client);
    server.finish();
}

#[test]
fn who_has_a_session_is_neither_displaced_nor_cut_for_its_silence() {
    let limits = Limits { control_connections_max: 2, stranger_idle_ms: 20, ..Limits::default() };
    let server = Server::start(Echo::default(), limits);
    let mut host = server.dial("control");
    assert_eq!(ask(&mut host, LOG_IN), ALIVE);
    for _ in 0..20 {
        let mut stranger = server.dial("control");
        assert_closed(&mut stranger);
    }
    assert_eq!(ask(&mut host, STATUS), ALIVE);
    server.finish();
}
