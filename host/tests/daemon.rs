//! The real program between a bot and a vault, over real unix sockets.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)] // helpers of tests are tests too

mod world;

use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::UnixStream;
use std::sync::mpsc;

use portcullis_host::receipts::{Held, Ledger, heads, verify};
use rustix::process::{Signal, geteuid};
use wire::session::{Denial, read_denied};
use world::daemon::{Daemon, ask, assert_closed, identity, program, sign, text};
use world::{Chain, Folder, HANG, Vault, framed, read_frame, sealed};

#[test]
fn requests_are_relayed_and_their_receipts_verify() {
    let folder = Folder::new();
    let vault = Vault::start(&folder.0, 1);
    let daemon = Daemon::start(&folder, &[]);
    let bots: Vec<_> = (0..8)
        .map(|_| {
            let mut stream = daemon.connect();
            std::thread::spawn(move || {
                for _ in 0..50 {
                    assert_eq!(sign(&mut stream), 0);
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
    assert_eq!(vault.state().records.len(), 400);
}

#[test]
fn a_vault_that_waits_for_the_disk_has_every_record_there_before_its_reply_when_the_daemon_is_killed() {
    let folder = Folder::new();
    let vault = Vault::start_with(&folder.0, 1, |state| state.is_durable = true);
    let mut daemon = Daemon::start(&folder, &[]);
    let (tell, told) = mpsc::channel();
    let bots: Vec<_> = (0..4)
        .map(|_| {
            let (mut stream, tell) = (daemon.connect(), tell.clone());
            std::thread::spawn(move || {
                while stream.write_all(&sealed(b"payload")).is_ok() {
                    let Some(body) = read_frame(&mut stream) else { return };
                    let _ = tell.send(body[2..].to_vec());
                }
            })
        })
        .collect();
    let mut given: Vec<_> = (0..100).map(|_| told.recv_timeout(HANG).unwrap()).collect();
    daemon.child.kill().unwrap();
    daemon.child.wait().unwrap();
    vault.change(|state| state.is_durable = false);
    for bot in bots {
        bot.join().unwrap();
    }
    given.extend(told.try_iter());
    let held: Vec<_> = given.iter().map(|record| Held::by_record(record, "a bot").unwrap()).collect();
    let report = verify(&daemon.receipts, &held).unwrap();
    assert_eq!(report.found, []);
}

#[test]
fn a_client_s_records_fill_what_the_ledger_lost() {
    let folder = Folder::new();
    let vault = Vault::start(&folder.0, 1);
    let daemon = Daemon::start(&folder, &[]);
    let mut bot = daemon.connect();
    let first = ask(&mut bot, b"payload");
    vault.wait_for(|state| state.acknowledged == 1);
    assert_eq!(daemon.stop(), Some(0));
    // Without a host the vault goes on, as its book lets it, and keeps only so many records.
    let mut alone = UnixStream::connect(&vault.requests).unwrap();
    let lost = [ask(&mut alone, b"payload"), ask(&mut alone, b"payload")];
    let last = ask(&mut alone, b"payload");
    vault.change(|state| state.first_kept = 3);
    let daemon = Daemon::start(&folder, &[]);
    assert!(daemon.wait_for_line("records_lost").contains("from=1 before=3"));
    vault.wait_for(|state| state.acknowledged == 4);
    let output = daemon.verify(&[]);
    assert_eq!(output.status.code(), Some(8), "{}", text(&output));
    // Handed in with one that the ledger has, twice, and with one that is none.
    for _ in 0..2 {
        let records = [&first[..], &lost[0], &lost[1], &last, b"no record"];
        let mut body = Box::new([0; wire::hand_in::HAND_IN_SIZE_MAX]);
        let (_, size) = wire::hand_in::write_hand_in(records, &mut body);
        let mut bot = daemon.connect();
        bot.write_all(&framed(&body[..size])).unwrap();
        assert_eq!(wire::hand_in::read_taken(&read_frame(&mut bot).unwrap()), Ok(4));
    }
    let output = daemon.verify(&["--admin", &daemon.admin()]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    assert!(text(&output).contains("2 of them are not in the ledger"), "{}", text(&output));
}

#[test]
fn a_host_that_the_book_does_not_name_hears_so_and_gives_no_command() {
    let folder = Folder::new();
    let vault = Vault::start(&folder.0, 1);
    let mut args = identity(&folder, "stranger");
    let control = format!("unix:{}", vault.control.display());
    args.extend(["--control".to_owned(), control]);
    let args: Vec<&str> = ["kill"].into_iter().chain(args.iter().map(String::as_str)).collect();
    let output = program(&args);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output).contains("ClientNotKnown"), "{}", text(&output));
    let state = vault.state();
    assert_eq!((state.commands.len(), state.sessions, state.is_halted), (0, 0, false));
}

#[test]
fn a_vault_with_another_book_is_given_nothing() {
    let folder = Folder::new();
    let vault = Vault::start(&folder.0, 1);
    let control = format!("unix:{}", vault.control.display());
    let (key, other) = (folder.key("host").display().to_string(), "08".repeat(32));
    let args =
        ["kill", "--control", &control, "--key", &key, "--policy-hash", &other, "--root", "development"];
    let output = program(&args);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        text(&output).contains("in 1 attempts") && text(&output).contains("not trusted"),
        "{}",
        text(&output)
    );
    assert!(!vault.state().is_halted);
}

#[test]
fn records_are_acknowledged_when_they_are_on_disk_and_nobody_else_says_so() {
    let folder = Folder::new();
    let vault = Vault::start(&folder.0, 1);
    let daemon = Daemon::start(&folder, &[]);
    vault.seal(3);
    vault.wait_for(|state| state.acknowledged == 3);
    assert_eq!(verify(&daemon.receipts, &[]).unwrap().records, 3);
    // Not through the operators' door.
    let mut operator = UnixStream::connect(daemon.admin()).unwrap();
    let mut body = [0; wire::CONTROL_SIZE_MAX];
    let take = wire::control::Command::Take { next: 0, acknowledged: 9, wait_ms: 0 };
    let size = wire::control::write_command(take, &mut body).unwrap();
    operator.write_all(&framed(&body[..size])).unwrap();
    assert_closed(&mut operator);
    assert_eq!(vault.state().acknowledged, 3);
}

#[test]
fn what_an_operator_asks_for_is_passed_on() {
    let folder = Folder::new();
    let vault = Vault::start(&folder.0, 1);
    let daemon = Daemon::start(&folder, &[]);
    let (admin, client) = (daemon.admin(), "07".repeat(32));
    let asked = [
        &["tighten", "--admin", &admin, "reduce-only"][..],
        &["tighten", "--admin", &admin, "--venue", "solana", "halted"],
        &["tighten", "--admin", &admin, "--client", &client, "cancel-only"],
        &["cut-client", "--admin", &admin, &client],
    ];
    for args in asked {
        let output = program(args);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    }
    let client = "[7, ".to_owned() + &"7, ".repeat(30) + "7]";
    assert_eq!(
        vault.state().commands,
        [
            "Tighten { scope: Everything, mode: ReduceOnly }".to_owned(),
            "Tighten { scope: Venue(Solana), mode: Halted }".to_owned(),
            format!("Tighten {{ scope: Client({client}), mode: CancelOnly }}"),
            format!("CutClient {{ client: {client} }}"),
        ]
    );
    // One session for all of them, and one for the records.
    assert_eq!(vault.state().sessions, 2);
    for mode in ["live", "faster"] {
        let output = program(&["tighten", "--admin", &admin, mode]);
        assert_eq!(output.status.code(), Some(1), "{}", text(&output));
    }
}

#[test]
fn a_daemon_that_starts_again_continues_the_chain() {
    let folder = Folder::new();
    let vault = Vault::start(&folder.0, 1);
    for _ in 0..3 {
        let mut daemon = Daemon::start(&folder, &[]);
        assert_eq!(sign(&mut daemon.connect()), 0);
        vault.wait_for(|state| state.acknowledged == state.records.len() as u64);
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
    for kind in [0x00, 0x01, 0x02, 0x10, 0x11, 0x21, 0x23, 0x25, 0x26, 0x27, 0x28, 0x2b] {
        let mut bot = daemon.connect();
        bot.write_all(&framed(&[1, kind, 1, 0, 0, 0])).unwrap();
        assert_closed(&mut bot);
    }
    // Nor is a record, once the vault is reached.
    let mut bot = daemon.connect();
    assert_eq!(sign(&mut bot), 0);
    bot.write_all(&framed(&[1, 0x2a])).unwrap();
    assert_closed(&mut bot);
    assert_eq!(vault.state().records.len(), 1);
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
    let _ = bot.write_all(&sealed(b"payload"));
    assert_closed(&mut bot);
    assert!(daemon.wait_for_line("peer_refused").contains(&format!("uid={own}")));
    assert_eq!(vault.state().records.len(), 0);
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
            std::thread::spawn(move || while sign(&mut stream) == 0 {})
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
    let identity = identity(&folder, "host");
    let run = |task| {
        let args = [task, "--control", &control].into_iter().chain(identity.iter().map(String::as_str));
        program(&args.collect::<Vec<_>>())
    };
    let output = run("status");
    assert!(text(&output).starts_with("live"), "{}", text(&output));
    let output = run("kill");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    assert!(vault.state().is_halted);
    vault.die();
    assert_eq!(run("kill").status.code(), Some(1));
}

#[test]
fn a_request_in_flight_is_finished_before_the_daemon_ends() {
    let folder = Folder::new();
    // Its reply waits for the disk: the records are taken to the end.
    let vault = Vault::start_with(&folder.0, 1, |state| state.is_durable = true);
    let daemon = Daemon::start(&folder, &[]);
    let mut idle = daemon.connect();
    assert_eq!(sign(&mut idle), 0);
    let mut bot = daemon.connect();
    bot.write_all(&sealed(b"hold")).unwrap();
    vault.wait_for(|state| state.records.len() == 2);
    daemon.signal(Signal::TERM);
    // The idle bot's end shows that the daemon is on its way out.
    assert_closed(&mut idle);
    vault.seal(20);
    vault.release();
    assert!(read_frame(&mut bot).is_some());
    assert_closed(&mut bot);
    let (listen, receipts) = (daemon.listen.clone(), daemon.receipts.clone());
    assert_eq!(daemon.stop(), Some(0));
    assert!(!listen.exists());
    let output = program(&["receipts", "verify", receipts.to_str().unwrap()]);
    assert!(text(&output).contains("22 receipts"), "{}", text(&output));
    assert_eq!(heads(&receipts).unwrap()[0].sequence, 21);
}

#[test]
fn a_bot_that_is_gone_still_leaves_its_receipt() {
    let folder = Folder::new();
    let vault = Vault::start(&folder.0, 1);
    let daemon = Daemon::start(&folder, &[]);
    let mut bot = daemon.connect();
    bot.write_all(&sealed(b"hold")).unwrap();
    vault.wait_for(|state| state.records.len() == 1);
    drop(bot);
    vault.release();
    assert_eq!(sign(&mut daemon.connect()), 0);
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
    assert_eq!(sign(&mut bot), 0);
    vault.wait_for(|state| state.acknowledged == 1);
    vault.die();
    assert_closed(&mut bot);
    // Away: whoever asks is closed, the door stays open.
    let mut early = daemon.connect();
    let _ = early.write_all(&sealed(b"payload"));
    assert_closed(&mut early);
    let _vault = Vault::start(&folder.0, 2);
    assert_eq!(sign(&mut daemon.connect()), 0);
    let output = daemon.verify(&["--admin", &daemon.admin()]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    assert!(text(&output).contains("of 2 boots"), "{}", text(&output));
}

#[test]
fn a_daemon_that_starts_late_takes_all_that_the_vault_has() {
    let folder = Folder::new();
    let vault = Vault::start(&folder.0, 1);
    vault.seal(40);
    let daemon = Daemon::start(&folder, &[]);
    assert_eq!(sign(&mut daemon.connect()), 0);
    let output = daemon.verify(&["--admin", &daemon.admin()]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    assert!(text(&output).contains("41 receipts"), "{}", text(&output));
}

#[test]
fn a_record_whose_reply_was_lost_is_on_disk_all_the_same() {
    let folder = Folder::new();
    let vault = Vault::start(&folder.0, 1);
    let daemon = Daemon::start(&folder, &[]);
    let mut bot = daemon.connect();
    bot.write_all(&sealed(b"die")).unwrap();
    assert_closed(&mut bot);
    vault.wait_for(|state| state.acknowledged == 1);
    let output = daemon.verify(&["--admin", &daemon.admin()]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
}

#[test]
fn what_the_vault_says_in_place_of_a_session_reaches_the_bot() {
    let folder = Folder::new();
    let vault = Vault::start(&folder.0, 1);
    let daemon = Daemon::start(&folder, &[]);
    let mut bot = daemon.connect();
    // This vault sends everything back that is not sealed.
    let hello = framed(&wire::session::write_hello(&[7; 32]));
    bot.write_all(&hello).unwrap();
    assert_eq!(framed(&read_frame(&mut bot).unwrap()), hello);
    // Turned away by a vault that is full, before anything was asked.
    vault.die();
    let listener = std::os::unix::net::UnixListener::bind(folder.0.join("vault")).unwrap();
    let full = std::thread::spawn(move || {
        let (mut bot, _) = listener.accept().unwrap();
        let _ = bot.write_all(&framed(&wire::session::write_denied(Denial::SessionsFull)));
        bot
    });
    let mut bot = daemon.connect();
    bot.write_all(&hello).unwrap();
    let denied = read_frame(&mut bot).unwrap();
    assert_eq!(read_denied(&denied), Ok(Denial::SessionsFull.code()));
    drop(full.join().unwrap());
}

#[test]
fn a_ledger_that_cannot_be_kept_ends_the_relay_and_the_switch_still_works() {
    let folder = Folder::new();
    let vault = Vault::start_with(&folder.0, 1, |state| state.is_durable = true);
    let daemon = Daemon::start(&folder, &[]);
    let mut idle = daemon.connect();
    // Under an open segment.
    assert_eq!(sign(&mut idle), 0);
    std::fs::remove_dir_all(&daemon.receipts).unwrap();
    vault.seal(1);
    daemon.wait_for_line("receipts_not_kept");
    // Nobody is served any more, and nothing was acknowledged.
    assert_closed(&mut idle);
    daemon.wait_for_line("relay_ended");
    assert_eq!(vault.state().acknowledged, 1);
    assert!(UnixStream::connect(&daemon.listen).is_err());
    let output = program(&["kill", "--admin", &daemon.admin()]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    assert!(vault.state().is_halted);
    assert_eq!(daemon.stop(), Some(1));
}

#[test]
fn a_vault_on_nitro_is_held_to_images_that_an_operator_signed() {
    let folder = Folder::new();
    let vault = Vault::start(&folder.0, 1);
    let control = format!("unix:{}", vault.control.display());
    let (key, hash) = (folder.key("host").display().to_string(), "09".repeat(32));
    let kill = |more: &[&str]| {
        let args = ["kill", "--control", &control, "--key", &key, "--policy-hash", &hash];
        let output = program(&[&args, more].concat());
        assert_eq!(output.status.code(), Some(1), "{}", text(&output));
        text(&output)
    };
    let (list, operator) = (folder.0.join("measurements.json"), "07".repeat(32));
    let nitro = ["--root", "nitro", "--measurements", list.to_str().unwrap(), "--operator", &operator];
    assert!(kill(&nitro[..2]).contains("needs --measurements and --operator"));
    assert!(kill(&[&["--root", "development"], &nitro[2..]].concat()).contains("are for --root nitro"));
    assert!(kill(&nitro).contains("measurements.json: "));
    std::fs::write(&list, "{}").unwrap();
    std::fs::write(list.with_extension("json.sig"), [0; 64]).unwrap();
    assert!(kill(&nitro).contains("not signed by this operator"));
    assert!(vault.state().commands.is_empty());
}

#[test]
fn records_of_the_running_boot_that_its_vault_has_not_sealed_are_acknowledged_to_nobody() {
    let folder = Folder::new();
    let (mut ledger, _) = Ledger::open(&folder.0.join("receipts")).unwrap();
    Chain::new(1).seal_many(5).iter().for_each(|record| ledger.append(record).unwrap());
    drop(ledger);
    let vault = Vault::start(&folder.0, 1);
    vault.seal(2);
    let daemon = Daemon::start(&folder, &[]);
    let line = daemon.wait_for_line("vault_silent");
    assert!(line.contains("up_to_5_where_the_vault_has_sealed_2"), "{line}");
    assert_eq!(vault.state().acknowledged, 0);
    // Once it has sealed as many nothing is held back; whether they are the same, the audit tells.
    vault.seal(3);
    vault.wait_for(|state| state.acknowledged == 5);
    assert_eq!(daemon.stop(), Some(0));
}
