//! Frames and addresses over real sockets.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)] // helpers of tests are tests too

use std::io::{ErrorKind, Read as _, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::PathBuf;
use std::sync::Barrier;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use transport::{Address, Dial as _, Error, Framed, Listen as _, Patience, Stream};

/// Only a hung test meets this.
const HANG: Duration = Duration::from_secs(60);

/// A deadline that is meant to pass.
const SHORT: Duration = Duration::from_millis(20);

fn path() -> PathBuf {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let name = format!("transport-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
    std::env::temp_dir().join(name)
}

/// Frames of at most 64 bytes, and the raw other end.
fn framed(idle: Duration, frame: Duration) -> (Framed<Stream>, UnixStream) {
    let (ours, theirs) = UnixStream::pair().unwrap();
    theirs.set_read_timeout(Some(HANG)).unwrap();
    let patience = Patience { idle: Some(idle), frame };
    (Framed::new(Stream::from(ours), 64, patience).unwrap(), theirs)
}

fn io_kind(error: &Error) -> Option<ErrorKind> {
    if let Error::Io(error) = error { Some(error.kind()) } else { None }
}

#[test]
fn a_frame_leaves_as_prefix_and_parts_in_one_piece() {
    let (mut ours, theirs) = framed(HANG, HANG);
    ours.write([b"head", b"", b"body"]).unwrap();
    let mut bytes = [0; 64];
    // One receive gives it all: it was one write.
    let size = Stream::from(theirs).read(&mut bytes).unwrap();
    assert_eq!(&bytes[..size], b"\x08\0\0\0headbody");
}

#[test]
fn a_frame_larger_than_the_sockets_buffer_arrives_whole() {
    let (mut ours, mut theirs) = framed(HANG, HANG);
    let body: Vec<u8> = (0..2_000_000_u32).map(|n| n.to_le_bytes()[0]).collect();
    let expected = body.clone();
    let reading = std::thread::spawn(move || {
        let mut bytes = vec![0; 4 + 2_000_000];
        theirs.read_exact(&mut bytes).unwrap();
        assert!(bytes[4..] == expected);
    });
    ours.write([&body[..1], &body[1..1_000_000], &body[1_000_000..]]).unwrap();
    reading.join().unwrap();
}

#[test]
fn frames_sent_at_once_are_read_one_by_one_and_then_the_end_is_clean() {
    let (mut ours, mut theirs) = framed(HANG, HANG);
    theirs.write_all(b"\x03\0\0\0one\x03\0\0\0two").unwrap();
    drop(theirs);
    assert_eq!(ours.read().unwrap(), Some(&b"one"[..]));
    assert!(ours.has_buffered());
    assert_eq!(ours.read().unwrap(), Some(&b"two"[..]));
    assert_eq!(ours.read().unwrap(), None);
}

#[test]
fn an_end_inside_a_frame_is_not_a_clean_one() {
    for sent in [&b"\x03"[..], b"\x03\0\0\0", b"\x03\0\0\0on"] {
        let (mut ours, mut theirs) = framed(HANG, HANG);
        theirs.write_all(sent).unwrap();
        drop(theirs);
        match ours.read() {
            Err(Error::ClosedInFrame { received }) => assert_eq!(received, sent.len()),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn a_length_above_the_cap_is_refused_before_its_body_comes() {
    let (mut ours, mut theirs) = framed(HANG, HANG);
    theirs.write_all(&65_u32.to_le_bytes()).unwrap();
    assert!(matches!(ours.read(), Err(Error::Frame(_))));
}

#[test]
fn a_peer_that_starts_nothing_is_idle_and_one_that_stops_inside_a_frame_is_late() {
    let (mut ours, _theirs) = framed(SHORT, HANG);
    assert!(matches!(ours.read(), Err(Error::Idle { .. })));
    let (mut ours, mut theirs) = framed(HANG, SHORT);
    theirs.write_all(b"\x03\0").unwrap();
    assert!(matches!(ours.read(), Err(Error::DeadlinePassed { .. })));
}

#[test]
fn a_byte_now_and_then_does_not_move_a_frames_deadline() {
    let (mut ours, mut theirs) = framed(HANG, SHORT);
    theirs.write_all(b"\x40\0\0\0").unwrap();
    theirs.set_read_timeout(Some(Duration::from_millis(2))).unwrap();
    let dribbling = std::thread::spawn(move || {
        // Each turn waits on the socket, until the other end is gone.
        while theirs.read(&mut [0; 1]).is_err() && theirs.write_all(b"x").is_ok() {}
    });
    assert!(matches!(ours.read(), Err(Error::DeadlinePassed { .. })));
    drop(ours);
    dribbling.join().unwrap();
}

#[test]
fn a_peer_that_does_not_read_is_late() {
    let (mut ours, _theirs) = framed(HANG, SHORT);
    let large = vec![1; 4_000_000];
    assert!(matches!(ours.write([&large]), Err(Error::DeadlinePassed { .. })));
}

#[test]
fn a_peer_that_is_gone_is_an_error_of_the_write() {
    let (mut ours, theirs) = framed(HANG, HANG);
    drop(theirs);
    assert_eq!(io_kind(&ours.write([b"body"]).unwrap_err()), Some(ErrorKind::BrokenPipe));
}

#[test]
fn a_socket_file_has_its_mode_and_goes_with_its_listener() {
    for mode in [0o600, 0o660] {
        let path = path();
        let listener = Address::Unix(path.clone()).listen(mode).unwrap();
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, mode);
        drop(listener);
        assert!(!path.exists());
    }
}

#[test]
fn a_dead_socket_file_is_replaced_and_a_living_one_or_another_file_is_not() {
    let path = path();
    let address = Address::Unix(path.clone());
    // Dropped without removing its file, as after a kill -9.
    drop(UnixListener::bind(&path).unwrap());
    let living = address.listen(0o600).unwrap();
    assert_eq!(io_kind(&address.listen(0o600).unwrap_err()), Some(ErrorKind::AddrInUse));
    drop(living);
    std::fs::write(&path, "mine").unwrap();
    assert_eq!(io_kind(&address.listen(0o600).unwrap_err()), Some(ErrorKind::AddrInUse));
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "mine");
    std::fs::remove_file(&path).unwrap();
}

#[test]
fn the_listener_knows_its_peers_user() {
    let address = Address::Unix(path());
    let listener = address.listen(0o600).unwrap();
    let _dialed = address.dial(HANG).unwrap();
    let peer = listener.accept().unwrap();
    assert_eq!(transport::peer_uid(&peer).unwrap(), rustix::process::geteuid().as_raw());
}

#[test]
fn nobody_there_is_told_at_once() {
    let error = Address::Unix(path()).dial(HANG).unwrap_err();
    assert_eq!(io_kind(&error), Some(ErrorKind::NotFound));
}

/// A machine monitor that reads the dialer's line and answers with `answer`.
fn dial_hybrid(answer: &'static [u8]) -> (Result<Stream, Error>, String) {
    let path = path();
    let monitor = UnixListener::bind(&path).unwrap();
    let serving = std::thread::spawn(move || {
        let (mut stream, _) = monitor.accept().unwrap();
        let mut line = Vec::new();
        let mut byte = [0; 1];
        while byte != *b"\n" {
            stream.read_exact(&mut byte).unwrap();
            line.push(byte[0]);
        }
        stream.write_all(answer).unwrap();
        String::from_utf8(line).unwrap()
    });
    let outcome = Address::Hybrid { path: path.clone(), port: 5000 }.dial(HANG);
    let line = serving.join().unwrap();
    std::fs::remove_file(&path).unwrap();
    (outcome, line)
}

#[test]
fn a_hybrid_dialer_says_connect_and_leaves_what_follows_ok_to_the_stream() {
    let (stream, line) = dial_hybrid(b"OK 1073741824\nfirst bytes of the machine");
    assert_eq!(line, "CONNECT 5000\n");
    let mut rest = String::new();
    stream.unwrap().read_to_string(&mut rest).unwrap();
    assert_eq!(rest, "first bytes of the machine");
}

#[test]
fn a_hybrid_socket_that_does_not_say_ok_is_refused() {
    for answer in [&b""[..], b"OK", b"OK \n", b"OK 12a\n", b"NO 1\n", b"OK 10737418240000\n", b"\n"] {
        let (outcome, _) = dial_hybrid(answer);
        assert!(matches!(outcome, Err(Error::HybridRefused)), "{answer:?}: {outcome:?}");
    }
}

#[test]
fn a_hybrid_listener_stands_where_the_monitor_connects() {
    let path = path();
    let listener = Address::Hybrid { path: path.clone(), port: 5000 }.listen(0o600).unwrap();
    assert_eq!(listener.path().to_str().unwrap(), format!("{}_5000", path.display()));
}

#[test]
fn vsock_is_refused_by_name_in_this_build() {
    let address: Address = "vsock:16:5000".parse().unwrap();
    assert!(matches!(address.dial(HANG), Err(Error::VsockNotInThisBuild)));
    assert!(matches!(address.listen(0o600), Err(Error::VsockNotInThisBuild)));
}

#[test]
fn of_many_that_race_for_a_dead_socket_file_one_gets_it_and_keeps_it() {
    let path = path();
    for _ in 0..50 {
        // A file that nobody listens on, as a killed process leaves it.
        drop(UnixListener::bind(&path).unwrap());
        let start = Barrier::new(8);
        let found: Vec<_> = std::thread::scope(|scope| {
            let racer = || {
                start.wait();
                Address::Unix(path.clone()).listen(0o600)
            };
            let racers: Vec<_> = (0..8).map(|_| scope.spawn(racer)).collect();
            racers.into_iter().map(|racer| racer.join().unwrap()).collect()
        });
        let (mut won, lost): (Vec<_>, Vec<_>) = found.into_iter().partition(Result::is_ok);
        let listener = won.pop().unwrap().unwrap();
        assert!(won.is_empty(), "two listen at one path");
        for error in lost.into_iter().map(Result::unwrap_err) {
            assert_eq!(io_kind(&error), Some(ErrorKind::AddrInUse));
            assert!(error.to_string().contains("in use"), "{error}");
        }
        let _ours = Address::Unix(path.clone()).dial(HANG).unwrap();
        listener.accept().unwrap();
        drop(listener);
        assert!(!path.exists());
    }
    std::fs::remove_file(path.with_extension("lock")).unwrap();
}

#[test]
fn a_lock_that_is_a_link_is_not_followed() {
    let path = path();
    let target = path.with_extension("target");
    std::os::unix::fs::symlink(&target, path.with_extension("lock")).unwrap();
    assert!(Address::Unix(path.clone()).listen(0o600).is_err());
    assert!(!target.exists() && !path.exists());
    std::fs::remove_file(path.with_extension("lock")).unwrap();
}

#[test]
fn a_listener_that_goes_leaves_the_file_of_another_alone() {
    let path = path();
    let listener = Address::Unix(path.clone()).listen(0o600).unwrap();
    // Somebody who knows of no lock.
    std::fs::rename(&path, path.with_extension("moved")).unwrap();
    let _other = UnixListener::bind(&path).unwrap();
    drop(listener);
    assert!(path.exists());
    for extension in ["", "lock", "moved"] {
        std::fs::remove_file(path.with_extension(extension)).unwrap();
    }
}
