//! `conformance`: answers questions about payloads, one a line (see `enclave_dev::conformance`).

use std::io::{self, BufRead, Write};
use std::process::ExitCode;

use enclave_dev::conformance::{Question, answer};

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(fault) => {
            eprintln!("conformance: {fault}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Box<dyn std::error::Error>> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    for (number, line) in io::stdin().lock().lines().enumerate() {
        let line = line?;
        if line.trim().is_empty() {
            continue;
        }
        let question: Question =
            serde_json::from_str(&line).map_err(|error| format!("line {}: {error}", number + 1))?;
        writeln!(
            out,
            "{}",
            answer(&question).map_err(|fault| format!("question {}: {fault}", question.id))?
        )?;
    }
    out.flush()?;
    Ok(())
}
