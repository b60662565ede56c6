//! `enclave-dev`: the same vault as the enclave, over unix sockets, with keys that this machine can read.

use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Parser, Subcommand, ValueEnum};
use enclave::serve::{Clock, Limits, Server};
use enclave::{Boot, Vault};
use enclave_dev::hexadecimal;
use enclave_dev::keys::KeyFolder;
use rustix::process::{DumpableBehavior, Resource, Rlimit, set_dumpable_behavior, setrlimit};
use session_dev::DevelopmentAttestor;
use signing::KeyScheme;
use transport::Address;
use venues::PublicKey;

/// Largest book read, bytes.
const BOOK_SIZE_MAX: u64 = 1024 * 1024;

#[derive(Parser)]
#[command(
    name = "enclave-dev",
    version,
    about = "Portcullis' development vault. Its keys are NOT protected."
)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Serve a book until SIGTERM or SIGINT.
    Serve {
        /// The desk's book (TOML).
        #[arg(long)]
        book: PathBuf,
        /// Folder of key files; throw-away keys need none.
        #[arg(long, default_value = "dev-keys")]
        keys: PathBuf,
        /// Where requests are taken, unix:/path.
        #[arg(long)]
        listen: Address,
        /// Where control messages are taken, unix:/path.
        #[arg(long)]
        control: Address,
    },
    /// Make and import keys.
    Keys {
        /// Folder of key files.
        #[arg(long, default_value = "dev-keys", global = true)]
        keys: PathBuf,
        #[command(subcommand)]
        command: KeysCommand,
    },
}

#[derive(Subcommand)]
enum KeysCommand {
    /// A new random key.
    New {
        /// The key's name.
        name: String,
        /// Which curve.
        #[arg(long)]
        scheme: Scheme,
    },
    /// A key of your own: 64 hex digits on standard input.
    Import {
        /// The key's name.
        name: String,
        /// Which curve.
        #[arg(long)]
        scheme: Scheme,
    },
    /// The public key of a throw-away key, which anybody can derive from its name.
    ThrowAway {
        /// The slot's name.
        name: String,
        /// Which curve.
        #[arg(long)]
        scheme: Scheme,
    },
}

#[derive(Clone, Copy, ValueEnum)]
enum Scheme {
    Secp256k1,
    Ed25519,
}

impl From<Scheme> for KeyScheme {
    fn from(scheme: Scheme) -> Self {
        match scheme {
            Scheme::Secp256k1 => Self::Secp256k1,
            Scheme::Ed25519 => Self::Ed25519,
        }
    }
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let outcome = forbid_dumps().and_then(|()| match arguments.command {
        Command::Serve { book, keys, listen, control } => serve(&book, keys, &listen, &control),
        Command::Keys { keys, command } => manage(&KeyFolder::new(keys), command),
    });
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(fault) => {
            eprintln!("enclave-dev: {fault}");
            ExitCode::FAILURE
        }
    }
}

type Fault = Box<dyn std::error::Error>;

fn serve(book: &Path, keys: PathBuf, listen: &Address, control: &Address) -> Result<(), Fault> {
    let text = read_book(book)?;
    let book = compile::compile(&book.display().to_string(), &text)
        .map_err(|faults| faults.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))?;
    let keyring = KeyFolder::new(keys).keyring(book)?;
    let (mut id, mut seed) = ([0; 16], [0; 32]);
    getrandom::fill(&mut id)?;
    getrandom::fill(&mut seed)?;
    let clock = Clock::start();
    let attestor = Box::new(DevelopmentAttestor::new());
    let vault = Vault::at_boot(book, keyring, attestor, Boot { id, seed, now: clock.now() })?;
    eprintln!(
        "enclave-dev: DEVELOPMENT VAULT, its keys are not protected; desk {}, {} keys",
        book.desk,
        book.slots.len()
    );
    let server = Server::bind(listen, control, Limits::default())?;
    for signal in [signal_hook::consts::SIGTERM, signal_hook::consts::SIGINT] {
        signal_hook::low_level::pipe::register_raw(signal, server.stop().teller()?)?;
    }
    server.run(vault, clock)?;
    Ok(())
}

/// Reads the book's text, and no more than a book has: the path may be a device without end.
fn read_book(path: &Path) -> Result<String, Fault> {
    let mut text = String::new();
    let size = std::fs::File::open(path)
        .and_then(|file| file.take(BOOK_SIZE_MAX + 1).read_to_string(&mut text))
        .map_err(|error| format!("{}: {error}", path.display()))?;
    if u64::try_from(size).unwrap_or(u64::MAX) > BOOK_SIZE_MAX {
        return Err(format!("{}: longer than a book may be, {BOOK_SIZE_MAX} bytes", path.display()).into());
    }
    Ok(text)
}

/// A core dump would hold every key, and so would what another process of this user reads with ptrace(2).
fn forbid_dumps() -> Result<(), Fault> {
    setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) })?;
    Ok(set_dumpable_behavior(DumpableBehavior::NotDumpable)?)
}

fn manage(folder: &KeyFolder, command: KeysCommand) -> Result<(), Fault> {
    let public = match command {
        KeysCommand::New { name, scheme } => folder.create(&name, scheme.into())?,
        KeysCommand::Import { name, scheme } => {
            folder.import(&name, scheme.into(), std::io::stdin().lock())?
        }
        KeysCommand::ThrowAway { name, scheme } => {
            signing::public_key_of(scheme.into(), &enclave_dev::keys::throw_away(&name))?
        }
    };
    print_public(&public);
    Ok(())
}

fn print_public(public: &PublicKey) {
    match public {
        PublicKey::Secp256k1 { compressed, address } => {
            println!("public_key = {{ secp256k1 = \"{}\" }}", hexadecimal::text(compressed));
            println!("# address {}", hexadecimal::text(address));
        }
        PublicKey::Ed25519 { key } => {
            println!("public_key = {{ ed25519 = \"{}\" }}", bs58::encode(key).into_string())
        }
    }
}
