//! The real program, started and ended.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc;

use rustix::process::{Pid, Signal, kill_process};
use wire::receipt::Receipt;

use super::{Folder, HANG, POLICY, read_frame, sealed};

pub const PROGRAM: &str = env!("CARGO_BIN_EXE_portcullis-host");

pub struct Daemon {
    pub child: Child,
    pub listen: PathBuf,
    pub receipts: PathBuf,
    pub lines: mpsc::Receiver<String>,
}

impl Daemon {
    pub fn start(folder: &Folder, more: &[&str]) -> Self {
        Self::start_as(Command::new(PROGRAM), folder, more)
    }

    /// Starts it with `program`, which is to run it with the arguments that follow.
    pub fn start_as(program: Command, folder: &Folder, more: &[&str]) -> Self {
        let (listen, receipts) = (folder.0.join("bots"), folder.0.join("receipts"));
        let mut child = command(program, folder, more).stderr(Stdio::piped()).spawn().unwrap();
        let stderr = BufReader::new(child.stderr.take().unwrap());
        let (tell, lines) = mpsc::channel();
        std::thread::spawn(move || {
            for line in stderr.lines() {
                let _ = tell.send(line.unwrap());
            }
        });
        let daemon = Self { child, listen, receipts, lines };
        daemon.wait_for_line(" started ");
        daemon
    }

    pub fn wait_for_line(&self, part: &str) -> String {
        loop {
            let line = self.lines.recv_timeout(HANG).unwrap();
            if line.contains(part) {
                return line;
            }
        }
    }

    pub fn connect(&self) -> UnixStream {
        let stream = UnixStream::connect(&self.listen).unwrap();
        stream.set_read_timeout(Some(HANG)).unwrap();
        stream
    }

    pub fn signal(&self, signal: Signal) {
        let pid = Pid::from_raw(i32::try_from(self.child.id()).unwrap()).unwrap();
        kill_process(pid, signal).unwrap();
    }

    /// Ends the daemon as an operator would, and says its exit code.
    pub fn stop(mut self) -> Option<i32> {
        self.signal(Signal::TERM);
        self.child.wait().unwrap().code()
    }

    pub fn admin(&self) -> String {
        format!("{}.admin", self.listen.display())
    }

    pub fn verify(&self, more: &[&str]) -> Output {
        let receipts = self.receipts.to_str().unwrap();
        program(&[&["receipts", "verify", receipts], more].concat())
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The command that runs it.
pub fn command(mut program: Command, folder: &Folder, more: &[&str]) -> Command {
    let path = |name| folder.0.join(name);
    program
        .arg("run")
        .args(["--vault", &format!("unix:{}", path("vault").display())])
        .args(["--control", &format!("unix:{}", path("control").display())])
        .args(identity(folder, "host"))
        .arg("--listen")
        .arg(path("bots"))
        .arg("--receipts")
        .arg(path("receipts"))
        .args(more);
    program
}

pub fn program(args: &[&str]) -> Output {
    Command::new(PROGRAM).args(args).output().unwrap()
}

pub fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

/// The arguments of who comes with a throw-away key.
pub fn identity(folder: &Folder, name: &str) -> Vec<String> {
    let (key, hash) =
        (folder.key(name).display().to_string(), POLICY.map(|byte| format!("{byte:02x}")).concat());
    ["--key", &key, "--policy-hash", &hash, "--root", "development"].map(str::to_owned).to_vec()
}

/// Asks, and gives the record that comes back.
pub fn ask(bot: &mut UnixStream, content: &[u8]) -> Vec<u8> {
    bot.write_all(&sealed(content)).unwrap();
    read_frame(bot).unwrap()[2..].to_vec()
}

/// The code of what is asked.
pub fn sign(bot: &mut UnixStream) -> u16 {
    Receipt::read(&ask(bot, b"payload")).unwrap().code
}

pub fn assert_closed(bot: &mut UnixStream) {
    assert!(matches!(bot.read(&mut [0; 1]), Ok(0) | Err(_)), "not closed");
}
