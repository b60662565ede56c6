//! One run of the workload under callgrind, and what it counted.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::Fault;
use crate::payloads::Payload;
use crate::workload::CALLS;

/// Instructions of one call each.
pub(crate) struct Counted {
    pub(crate) decoder: u64,
    /// The reference, without hashing.
    pub(crate) walk: u64,
    /// Keccak-f\[1600\] as the decoder needs it.
    pub(crate) keccak: Hashing,
    /// SHA-256 blocks as the decoder needs them.
    pub(crate) sha256: Hashing,
}

/// A hash function's share of a decoder.
pub(crate) struct Hashing {
    /// Permutations or blocks.
    pub(crate) times: u64,
    /// Instructions of all of them.
    pub(crate) instructions: u64,
}

/// Counts a payload.
///
/// # Errors
/// Without valgrind; when the workload fails or callgrind's file lacks one of the functions.
pub(crate) fn count(payload: &Payload) -> Result<Counted, Fault> {
    in_folder(|folder| count_in(folder, payload)).map_err(|fault| format!("{}: {fault}", payload.kind).into())
}

fn count_in(folder: &Path, payload: &Payload) -> Result<Counted, Fault> {
    let input = folder.join("payload");
    std::fs::write(&input, &payload.bytes)?;
    let arguments = [OsStr::new("--workload"), payload.form.as_ref(), input.as_os_str()];
    let profile = profile_in(folder, &arguments)?;
    Ok(Counted {
        decoder: profile.of("workload_decoder", CALLS)?,
        walk: profile.of("workload_reference", CALLS)?,
        keccak: profile.hashing(&["keccak", "sha3"], "workload_permutation")?,
        sha256: profile.hashing(&["sha256", "sha2"], "workload_compression")?,
    })
}

/// Runs this program with `arguments` under callgrind.
///
/// # Errors
/// Without valgrind; when the program fails.
pub(crate) fn profile(arguments: &[&OsStr]) -> Result<Profile, Fault> {
    in_folder(|folder| profile_in(folder, arguments))
}

fn in_folder<T>(work: impl FnOnce(&Path) -> Result<T, Fault>) -> Result<T, Fault> {
    let folder = std::env::temp_dir().join(format!("decode-cost-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let done = work(&folder);
    std::fs::remove_dir_all(&folder)?;
    done
}

fn profile_in(folder: &Path, arguments: &[&OsStr]) -> Result<Profile, Fault> {
    let output = folder.join("callgrind");
    let ran = Command::new("valgrind")
        .args(["--tool=callgrind", "--compress-strings=no", "--compress-pos=no"])
        .arg(format!("--callgrind-out-file={}", output.display()))
        .arg(std::env::current_exe()?)
        .args(arguments)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .output()
        .map_err(|error| format!("valgrind: {error}"))?;
    if !ran.status.success() {
        let told = String::from_utf8_lossy(&ran.stderr);
        let why = told.lines().find(|line| !line.starts_with("==")).unwrap_or_default();
        return Err(format!("the workload ended with {}: {why}", ran.status).into());
    }
    Profile::read(&std::fs::read_to_string(&output)?)
}

/// What callgrind wrote.
#[derive(Default)]
pub(crate) struct Profile {
    functions: HashMap<String, Function>,
}

#[derive(Default)]
struct Function {
    calls: u64,
    /// Of the function alone, over all calls.
    own: u64,
    /// With what it calls, over all calls.
    inclusive: u64,
}

impl Profile {
    /// Reads the format: `fn=` names a function, `cfn=` one that it calls, `calls=` how often; a line that begins
    /// with a number ends with instructions, inclusive ones after `calls=`.
    fn read(text: &str) -> Result<Self, Fault> {
        let mut profile = Self::default();
        let (mut function, mut called, mut lines) = ("", "", text.lines());
        while let Some(line) = lines.next() {
            match line.split_once('=') {
                Some(("fn", name)) => function = name,
                Some(("cfn", name)) => called = name,
                Some(("calls", count)) => {
                    let called = profile.functions.entry(called.into()).or_default();
                    called.calls += count.split(' ').next().unwrap_or_default().parse::<u64>()?;
                    called.inclusive += instructions(lines.next().unwrap_or_default())?;
                }
                None if line.starts_with(|first: char| first.is_ascii_digit()) => {
                    profile.functions.entry(function.into()).or_default().own += instructions(line)?;
                }
                _ => {}
            }
        }
        Ok(profile)
    }

    /// Instructions of one of `calls` calls.
    ///
    /// # Errors
    /// When not exactly one function is called so.
    pub(crate) fn of(&self, name: &str, calls: u64) -> Result<u64, Fault> {
        let found: Vec<_> = self.functions.iter().filter(|(function, _)| function.contains(name)).collect();
        match found[..] {
            [(_, function)] => Ok(function.inclusive / calls),
            _ => Err(format!("{} functions are called {name}", found.len()).into()),
        }
    }

    /// The decoder's share of a hash function: how often one step of it fits into the functions of its crate,
    /// wherever the step was inlined to, less the workload's own step. The reference does not hash.
    fn hashing(&self, crates: &[&str], workload: &str) -> Result<Hashing, Fault> {
        let one = self.of(workload, CALLS)?;
        let is_hash = |name: &str| name.contains(workload) || crates.iter().any(|hash| name.contains(hash));
        let hashing = self.functions.iter().filter(|(name, function)| function.calls > 0 && is_hash(name));
        // A call makes a whole number of steps unless it compresses block after block; a step alone is a little
        // shorter than with the workload's call around it.
        let steps: u64 = hashing
            .map(|(name, function)| match name.contains("compress") {
                true => (function.own + one / 2) / one,
                false => function.calls * (function.own / function.calls * 100 / (one * 95)),
            })
            .sum();
        let times = (steps / CALLS).saturating_sub(1);
        Ok(Hashing { times, instructions: times * one })
    }
}

fn instructions(line: &str) -> Result<u64, Fault> {
    Ok(line.rsplit(' ').next().unwrap_or_default().parse()?)
}
