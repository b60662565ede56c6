//! The real program between a bot and a vault, over real unix sockets.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)] // helpers of tests are tests too

mod world;

use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::UnixStream;
use std::sync::mpsc;

use rustix::process::{Signal, geteuid};
use world::daemon::{Daemon, assert_closed, program, sign, text};
use world::{Folder, HANG, Vault, framed, read_frame, request};

#[test]
fn requests_are_relayed_and_their_receipts_verify() {
    let folder = Folder::new();
    let vault = Vault::start(&folder.0, 1);
    let daemon = Daemon::start(&folder, &[]);
    let bots: Vec<_> = (0..8_u64)
        .map(|bot| {
            let mut stream = daemon.connect();
            std::thread::spawn(move || {
                for n in 0..50 {
                    assert_eq!(sign(&mut stream, bot * 100 + n), 0);
                }
            })
        })
        .collect();
    for bot in bots {
        bot.join().unwrap();
    }
    let output = daemon.verify(&["--admin", &daemon.admin()]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    assert!(text(&output).contains("400 receipts (400 signed, 0 refused) of 1 boots in 1 segments"));
    assert_eq!(daemon.stop(), Some(0));
    assert_eq!(vault.chain.lock().unwrap().sequence, 400);
}

#[test]
fn a_receipt_is_on_disk_before_its_reply_and_in_its_turn() {
    let folder = Folder::new();
    let vault = Vault::start(&folder.0, 1);
    let daemon = Daemon::start(&folder, &[]);
    let mut held = daemon.connect();
    held.write_all(&framed(&request(1, b"hold"))).unwrap();
    // Its receipt is the first of the chain before anyone else asks.
    while vault.chain.lock().unwrap().sequence == 0 {
        std::thread::yield_now();
    }
    let mut other = daemon.connect();
    other.write_all(&framed(&request(2, b"payload"))).unwrap();
    while vault.chain.lock().unwrap().sequence == 1 {
        std::thread::yield_now();
    }
    vault.release();
    for bot in [&mut held, &mut other] {
        assert!(read_frame(bot).is_some());
    }
    let output = daemon.verify(&["--admin", &daemon.admin()]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
}

#[test]
fn receipts_verify_after_the_daemon_was_killed_under_load() {
    let folder = Folder::new();
    let vault = Vault::start(&folder.0, 1);
    let mut daemon = Daemon::start(&folder, &[]);
    let (tell, told) = mpsc::channel();
    let bots: Vec<_> = (0..4_u64)
        .map(|bot| {
            let (mut stream, tell) = (daemon.connect(), tell.clone());
            std::thread::spawn(move || {
                for n in 0.. {
                    let frame = framed(&request(bot << 32 | n, b"payload"));
                    if stream.write_all(&frame).is_err() || read_frame(&mut stream).is_none() {
                        return;
                    }
                    let _ = tell.send(());
                }
            })
        })
        .collect();
    for _ in 0..100 {
        told.recv_timeout(HANG).unwrap();
    }
    daemon.child.kill().unwrap();
    daemon.child.wait().unwrap();
    for bot in bots {
        bot.join().unwrap();
    }
    let handed_out = 100 + told.try_iter().count();
    let output = daemon.verify(&[]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    let kept: usize = text(&output).split(' ').next().unwrap().parse().unwrap();
    assert!(kept >= handed_out, "{kept} kept, {handed_out} handed out");
    drop(vault);
}

#[test]
fn a_daemon_that_starts_again_continues_the_chain() {
    let folder = Folder::new();
    let _vault = Vault::start(&folder.0, 1);
    for _ in 0..3 {
        let mut daemon = Daemon::start(&folder, &[]);
        assert_eq!(sign(&mut daemon.connect(), 1), 0);
        daemon.child.kill().unwrap();
        daemon.child.wait().unwrap();
        let output = daemon.verify(&[]);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    }
}

#[test]
fn a_frame_of_a_foreign_kind_is_not_passed_on() {
    let folder = Folder::new();
    let vault = Vault::start(&folder.0, 1);
    let daemon = Daemon::start(&folder, &[]);
    for kind in [0x00, 0x02, 0x10, 0x11, 0x20] {
        let mut bot = daemon.connect();
        bot.write_all(&framed(&[1, kind, 1, 0, 0, 0])).unwrap();
        assert_closed(&mut bot);
    }
    // Not even a kill that came through the wrong door.
    assert!(!*vault.is_halted.lock().unwrap());
    assert_eq!(vault.chain.lock().unwrap().sequence, 0);
}

#[test]
fn a_frame_above_the_cap_is_cut_on_its_prefix() {
    let folder = Folder::new();
    let _vault = Vault::start(&folder.0, 1);
    let daemon = Daemon::start(&folder, &[]);
    let mut bot = daemon.connect();
    bot.write_all(&[0xff; 4]).unwrap();
    assert_closed(&mut bot);
    assert!(daemon.wait_for_line("bot_cut").contains("4294967295"));
}

#[test]
fn a_user_who_is_not_on_the_list_is_refused() {
    let folder = Folder::new();
    let vault = Vault::start(&folder.0, 1);
    let own = geteuid().as_raw();
    let daemon = Daemon::start(&folder, &["--allow-uid", &(own + 1).to_string()]);
    let mut bot = daemon.connect();
    let _ = bot.write_all(&framed(&request(1, b"payload")));
    assert_closed(&mut bot);
    assert!(daemon.wait_for_line("peer_refused").contains(&format!("uid={own}")));
    assert_eq!(vault.chain.lock().unwrap().sequence, 0);
}

#[test]
fn the_sockets_are_for_their_users_alone() {
    let folder = Folder::new();
    let _vault = Vault::start(&folder.0, 1);
    let daemon = Daemon::start(&folder, &["--group"]);
    let mode = |path: &str| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(daemon.listen.to_str().unwrap()), 0o660);
    assert_eq!(mode(&daemon.admin()), 0o600);
    assert_eq!(mode(daemon.receipts.to_str().unwrap()), 0o700);
}

#[test]
fn a_kill_halts_while_every_bot_floods() {
    let folder = Folder::new();
    let _vault = Vault::start(&folder.0, 1);
    let daemon = Daemon::start(&folder, &[]);
    let bots: Vec<_> = (0..16)
        .map(|_| {
            let mut stream = daemon.connect();
            std::thread::spawn(move || while sign(&mut stream, 1) == 0 {})
        })
        .collect();
    let output = program(&["kill", "--admin", &daemon.admin()]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    assert!(text(&output).starts_with("HALTED"), "{}", text(&output));
    // Every bot hears of it.
    for bot in bots {
        bot.join().unwrap();
    }
    let output = program(&["status", "--admin", &daemon.admin()]);
    assert!(text(&output).starts_with("HALTED"), "{}", text(&output));
}

#[test]
fn a_kill_works_without_a_daemon() {
    let folder = Folder::new();
    let vault = Vault::start(&folder.0, 1);
    let control = format!("unix:{}", vault.control.display());
    let output = program(&["status", "--control", &control]);
    assert!(text(&output).starts_with("live"), "{}", text(&output));
    let output = program(&["kill", "--control", &control]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    assert!(*vault.is_halted.lock().unwrap());
    vault.die();
    assert_eq!(program(&["kill", "--control", &control]).status.code(), Some(1));
}

#[test]
fn a_request_in_flight_is_finished_before_the_daemon_ends() {
    let folder = Folder::new();
    let vault = Vault::start(&folder.0, 1);
    let daemon = Daemon::start(&folder, &[]);
    let mut idle = daemon.connect();
    assert_eq!(sign(&mut idle, 1), 0);
    let mut bot = daemon.connect();
    bot.write_all(&framed(&request(2, b"hold"))).unwrap();
    while vault.chain.lock().unwrap().sequence == 1 {
        std::thread::yield_now();
    }
    daemon.signal(Signal::TERM);
    // The idle bot's end shows that the daemon is on its way out.
    assert_closed(&mut idle);
    vault.release();
    assert!(read_frame(&mut bot).is_some());
    assert_closed(&mut bot);
    let (listen, receipts) = (daemon.listen.clone(), daemon.receipts.clone());
    assert_eq!(daemon.stop(), Some(0));
    assert!(!listen.exists());
    let output = program(&["receipts", "verify", receipts.to_str().unwrap()]);
    assert!(text(&output).contains("2 receipts"), "{}", text(&output));
}

#[test]
fn a_bot_that_is_gone_still_leaves_its_receipt() {
    let folder = Folder::new();
    let vault = Vault::start(&folder.0, 1);
    let daemon = Daemon::start(&folder, &[]);
    let mut bot = daemon.connect();
    bot.write_all(&framed(&request(1, b"hold"))).unwrap();
    while vault.chain.lock().unwrap().sequence == 0 {
        std::thread::yield_now();
    }
    drop(bot);
    vault.release();
    // The next receipt has its turn only when that one is there.
    assert_eq!(sign(&mut daemon.connect(), 2), 0);
    let output = daemon.verify(&["--admin", &daemon.admin()]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    assert!(text(&output).contains("2 receipts"), "{}", text(&output));
}

#[test]
fn a_vault_that_restarts_ends_its_bots_connections_and_is_found_again() {
    let folder = Folder::new();
    let vault = Vault::start(&folder.0, 1);
    let daemon = Daemon::start(&folder, &[]);
    let mut bot = daemon.connect();
    assert_eq!(sign(&mut bot, 1), 0);
    vault.die();
    assert_closed(&mut bot);
    // Away: the bot is closed, the door stays open.
    assert_closed(&mut daemon.connect());
    let _vault = Vault::start(&folder.0, 2);
    assert_eq!(sign(&mut daemon.connect(), 2), 0);
    let output = daemon.verify(&["--admin", &daemon.admin()]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    assert!(text(&output).contains("of 2 boots"), "{}", text(&output));
}

#[test]
fn a_daemon_that_starts_late_takes_all_that_the_vault_has_before_a_gap_is_final() {
    let folder = Folder::new();
    let vault = Vault::start(&folder.0, 1);
    *vault.kept.lock().unwrap() = vault.chain.lock().unwrap().seal_many(40);
    let daemon = Daemon::start(&folder, &[]);
    assert_eq!(sign(&mut daemon.connect(), 1), 0);
    let output = daemon.verify(&["--admin", &daemon.admin()]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    assert!(text(&output).contains("41 receipts"), "{}", text(&output));
}

#[test]
fn a_lost_receipt_is_a_gap_with_its_place() {
    let folder = Folder::new();
    let _vault = Vault::start(&folder.0, 1);
    let daemon = Daemon::start(&folder, &[]);
    assert_eq!(sign(&mut daemon.connect(), 1), 0);
    let mut bot = daemon.connect();
    bot.write_all(&framed(&request(2, b"die"))).unwrap();
    assert_closed(&mut bot);
    assert_eq!(sign(&mut daemon.connect(), 3), 0);
    let output = daemon.verify(&[]);
    assert_eq!(output.status.code(), Some(8), "{}", text(&output));
    assert!(text(&output).contains("a gap: receipts 1 to 1 are missing"), "{}", text(&output));
    assert!(text(&output).contains("-00000000.log offset "), "{}", text(&output));
}

#[test]
fn a_reply_whose_receipt_cannot_be_kept_does_not_go_on_and_the_switch_still_works() {
    let folder = Folder::new();
    let vault = Vault::start(&folder.0, 1);
    let daemon = Daemon::start(&folder, &[]);
    let mut idle = daemon.connect();
    // Under an open segment.
    assert_eq!(sign(&mut idle, 7), 0);
    std::fs::remove_dir_all(&daemon.receipts).unwrap();
    let mut bot = daemon.connect();
    bot.write_all(&framed(&request(1, b"payload"))).unwrap();
    assert_closed(&mut bot);
    daemon.wait_for_line("receipts_not_kept");
    // Nobody is served any more.
    assert_closed(&mut idle);
    daemon.wait_for_line("relay_ended");
    assert!(UnixStream::connect(&daemon.listen).is_err());
    let output = program(&["kill", "--admin", &daemon.admin()]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    assert!(*vault.is_halted.lock().unwrap());
    assert_eq!(daemon.stop(), Some(1));
}
