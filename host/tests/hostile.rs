//! The real program where its surroundings are against it.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)] // helpers of tests are tests too

mod world;

use std::io::{Read as _, Write as _};
use std::os::fd::OwnedFd;
use std::os::unix::net::{UnixListener, UnixStream};
use std::process::{Command, Stdio};

use wire::session::{Denial, read_denied};
use world::daemon::{Daemon, PROGRAM, assert_closed, command, identity, program, sign, text};
use world::{Folder, HANG, Vault, framed, read_frame};

/// The program behind a shell that first sets a limit.
fn limited(limit: &str) -> Command {
    let mut shell = Command::new("sh");
    shell.args(["-c", &format!("ulimit {limit} && exec \"$0\" \"$@\""), PROGRAM]);
    shell
}

/// A standard error or output that is full and that nobody reads: the other end has to be kept.
fn full() -> (OwnedFd, UnixStream) {
    let (mut ours, theirs) = UnixStream::pair().unwrap();
    ours.set_nonblocking(true).unwrap();
    while ours.write(&[b'x'; 4096]).is_ok() {}
    while ours.write(b"x").is_ok() {}
    ours.set_nonblocking(false).unwrap();
    (ours.into(), theirs)
}

#[test]
fn a_file_size_limit_is_a_failure_of_the_disk_and_the_switch_still_works() {
    let folder = Folder::new();
    let vault = Vault::start(&folder.0, 1);
    // One block of 512 or 1024 bytes, as the shell has it.
    let daemon = Daemon::start_as(limited("-f 1"), &folder, &[]);
    // More than a block.
    vault.seal(8);
    daemon.wait_for_line("relay_ended");
    // Whole records and nothing else, and nothing acknowledged that is not there.
    let output = daemon.verify(&[]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    let records = portcullis_host::receipts::verify(&daemon.receipts, &[]).unwrap().records;
    assert!(records < 8 && vault.state().acknowledged <= records, "{records}");
    let output = program(&["kill", "--admin", &daemon.admin()]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    assert!(vault.state().is_halted);
    assert_eq!(daemon.stop(), Some(1));
}

#[test]
fn a_standard_error_that_nobody_reads_stops_nothing() {
    let folder = Folder::new();
    let vault = Vault::start(&folder.0, 1);
    let (stderr, _unread) = full();
    let mut child = command(Command::new(PROGRAM), &folder, &[]).stderr(Stdio::from(stderr)).spawn().unwrap();
    let listen = folder.0.join("bots");
    let connect = || {
        loop {
            if let Ok(stream) = UnixStream::connect(&listen) {
                stream.set_read_timeout(Some(HANG)).unwrap();
                return stream;
            }
            std::thread::yield_now();
        }
    };
    for _ in 0..20 {
        // Each of these is worth a line.
        let mut bad = connect();
        bad.write_all(&[0xff; 4]).unwrap();
        assert_closed(&mut bad);
    }
    assert_eq!(sign(&mut connect()), 0);
    let output = program(&["kill", "--admin", &format!("{}.admin", listen.display())]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    assert!(vault.state().is_halted);
    let pid = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn a_closed_standard_output_changes_no_exit_code() {
    let folder = Folder::new();
    let vault = Vault::start(&folder.0, 1);
    let daemon = Daemon::start(&folder, &[]);
    assert_eq!(sign(&mut daemon.connect()), 0);
    let receipts = daemon.receipts.to_str().unwrap();
    let run = |args: &[&str]| {
        let (stdout, reader) = UnixStream::pair().unwrap();
        drop(reader);
        let (stderr, reader) = UnixStream::pair().unwrap();
        drop(reader);
        let mut program = Command::new(PROGRAM);
        program.args(args).stdout(OwnedFd::from(stdout)).stderr(OwnedFd::from(stderr));
        program.status().unwrap().code()
    };
    assert_eq!(run(&["receipts", "verify", receipts]), Some(0));
    assert_eq!(run(&["receipts", "tail", receipts]), Some(0));
    assert_eq!(run(&["receipts", "tail", "/nowhere/at/all"]), Some(1));
    assert_eq!(run(&["kill", "--admin", &daemon.admin()]), Some(0));
    assert!(vault.state().is_halted);
    // A broken chain keeps its own code.
    vault.wait_for(|state| state.acknowledged == 1);
    vault.change(|state| state.first_kept = 2);
    vault.seal(2);
    vault.wait_for(|state| state.acknowledged == 3);
    assert_eq!(run(&["receipts", "verify", receipts]), Some(8));
}

#[test]
fn a_verify_of_a_live_system_waits_for_a_record_that_is_on_its_way() {
    let folder = Folder::new();
    let vault = Vault::start(&folder.0, 1);
    let daemon = Daemon::start(&folder, &[]);
    let mut verify = Command::new(PROGRAM);
    verify.args(["receipts", "verify", daemon.receipts.to_str().unwrap(), "--admin", &daemon.admin()]);
    vault.change(|state| state.withholds = true);
    vault.seal(1);
    let verify = verify.stdout(Stdio::piped()).spawn().unwrap();
    // The vault has said that it sealed one; its record is not there yet.
    vault.wait_for(|state| !state.commands.is_empty());
    vault.change(|state| state.withholds = false);
    let output = verify.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    assert!(text(&output).starts_with("1 receipts"), "{}", text(&output));
}

#[test]
fn idle_operators_do_not_keep_a_kill_out() {
    let folder = Folder::new();
    let vault = Vault::start(&folder.0, 1);
    let daemon = Daemon::start(&folder, &[]);
    let mut idle: Vec<_> = (0..40).map(|_| UnixStream::connect(daemon.admin()).unwrap()).collect();
    let output = program(&["kill", "--admin", &daemon.admin()]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    assert!(vault.state().is_halted);
    // And those who say nothing do not stay.
    for operator in &mut idle {
        operator.set_read_timeout(Some(HANG)).unwrap();
        assert!(matches!(operator.read(&mut [0; 1]), Ok(0)));
    }
}

#[test]
fn a_kill_asks_again_when_its_connection_is_lost() {
    let folder = Folder::new();
    let vault = Vault::start(&folder.0, 1);
    // Cuts the first two connections and passes the third on.
    let path = folder.0.join("flaky");
    let listener = UnixListener::bind(&path).unwrap();
    let control = vault.control.clone();
    let flaky = std::thread::spawn(move || {
        for _ in 0..2 {
            drop(listener.accept().unwrap());
        }
        let (mut operator, _) = listener.accept().unwrap();
        let mut vault = UnixStream::connect(control).unwrap();
        while let Some(frame) = read_frame(&mut operator) {
            vault.write_all(&framed(&frame)).unwrap();
            operator.write_all(&framed(&read_frame(&mut vault).unwrap())).unwrap();
        }
    });
    let control = format!("unix:{}", path.display());
    let identity = identity(&folder, "host");
    let kill = ["kill", "--control", &control].into_iter().chain(identity.iter().map(String::as_str));
    let kill: Vec<_> = kill.collect();
    let output = program(&kill);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    flaky.join().unwrap();
    assert!(vault.state().is_halted);
    // Nobody listens there any more.
    let output = program(&kill);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output).contains(" attempts: "), "{}", text(&output));
    assert!(!text(&output).contains("no answer in 1 attempts"), "{}", text(&output));
}

#[test]
fn too_few_descriptors_are_found_out_at_the_start() {
    let folder = Folder::new();
    let _vault = Vault::start(&folder.0, 1);
    let output = command(limited("-n 100"), &folder, &[]).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output).contains("RLIMIT_NOFILE"), "{}", text(&output));
    assert!(!folder.0.join("bots").exists());
}

#[test]
fn one_bot_too_many_hears_why_it_is_turned_away() {
    let folder = Folder::new();
    let _vault = Vault::start(&folder.0, 1);
    let daemon = Daemon::start(&folder, &[]);
    let mut bots: Vec<_> = (0..64).map(|_| daemon.connect()).collect();
    // All of them have their place.
    for bot in &mut bots {
        assert_eq!(sign(bot), 0);
    }
    let mut one_more = daemon.connect();
    let body = read_frame(&mut one_more).unwrap();
    assert_eq!(read_denied(&body), Ok(Denial::SessionsFull.code()));
    assert_closed(&mut one_more);
    assert_eq!(sign(&mut bots[0]), 0);
}

#[test]
fn a_bot_that_says_nothing_does_not_keep_its_place_and_one_in_a_session_does() {
    let folder = Folder::new();
    let _vault = Vault::start(&folder.0, 1);
    let daemon = Daemon::start(&folder, &[]);
    let mut quiet = daemon.connect();
    assert_eq!(sign(&mut quiet), 0);
    let mut silent = daemon.connect();
    assert_closed(&mut silent);
    assert!(daemon.wait_for_line("bot_cut").contains("error="));
    assert_eq!(sign(&mut quiet), 0);
}
