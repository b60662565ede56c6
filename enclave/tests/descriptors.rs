//! A process that has run out of descriptors still takes a kill. Alone in its process: the test uses up all of
//! them.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)] // helpers of tests are tests too

use std::io::{Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::time::Duration;

use enclave::serve::{Clock, Limits, Place, Serve, Server, Verdict};
use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType, connect, socket_with};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use transport::Address;
use wire::Now;

struct Obeys;

impl Serve for Obeys {
    fn handle(&mut self, _: Now, _: Place, _: &[u8], reply: &mut [u8]) -> Verdict {
        reply[..2].copy_from_slice(b"ok");
        Verdict::Reply(2)
    }

    fn resume(&mut self, _: Now, _: Place, _: &mut [u8]) -> Verdict {
        Verdict::Close
    }

    fn forget(&mut self, _: Place) {}

    fn has_session(&self, _: Place) -> bool {
        false
    }

    fn acknowledged(&self) -> u64 {
        0
    }

    fn note_clock(&mut self, _now: Now, _system_wall_ms: u64) {}
}

fn allow(current: u64) {
    setrlimit(Resource::Nofile, Rlimit { current: Some(current), ..getrlimit(Resource::Nofile) }).unwrap();
}

#[test]
fn too_few_descriptors_are_refused_at_the_start_and_a_kill_gets_in_when_none_is_left() {
    let folder = std::env::temp_dir().join(format!("descriptors-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let address = |name| Address::Unix(folder.join(name));
    let limits = Limits { stranger_idle_ms: 60_000, ..Limits::default() };
    let bind = || Server::bind(&address("requests"), &address("control"), limits);

    allow(64 + 8 + 8);
    let refused = bind().unwrap_err().to_string();
    assert!(refused.contains("may have 80"), "{refused}");
    assert!(!folder.join("control").exists());

    allow(128);
    let server = bind().unwrap();
    let stop = server.stop();
    let serving = std::thread::spawn(move || server.run(Obeys, Clock::start()).unwrap());
    // The loop is up, and holds its reserve, once it answers.
    let mut first = UnixStream::connect(folder.join("control")).unwrap();
    first.write_all(b"\x04\0\0\0kill").unwrap();
    first.read_exact(&mut [0; 6]).unwrap();

    let open = || socket_with(AddressFamily::UNIX, SocketType::STREAM, SocketFlags::CLOEXEC, None);
    let mut killers: Vec<_> = (0..20).map(|_| UnixStream::from(open().unwrap())).collect();
    let mut hoard = Vec::new();
    while let Ok(socket) = open() {
        hoard.push(socket);
    }
    let control = SocketAddrUnix::new(folder.join("control")).unwrap();
    for killer in &mut killers {
        killer.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        connect(&*killer, &control).unwrap();
        killer.write_all(b"\x04\0\0\0kill").unwrap();
        let mut answer = [0; 6];
        killer.read_exact(&mut answer).unwrap();
        assert_eq!(&answer[4..], b"ok");
    }
    drop((first, hoard));
    stop.stop();
    let counts = serving.join().unwrap();
    // The first got the reserve, each one after it the place of another that had its answer.
    assert_eq!((counts.frames, counts.displaced), (21, 19));
    let _ = std::fs::remove_dir_all(&folder);
}
