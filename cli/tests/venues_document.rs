//! `docs/venues.md` is made from the code: what the decoders know, the rules' own documentation, the refusals.
//! `UPDATE_DOCS=1 cargo test -p portcullis --test venues_document` writes it anew.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::collections::BTreeSet;
use std::fmt::Write as _;

use venues::book_value::{BookValue, Described};
use venues::{Catalogue, Known, evm, hyperliquid, polymarket, solana, uniswapx};
use wire::Refusal;

/// A venue's catalogue, its rules, and the hundreds digit of its refusals.
struct Venue {
    catalogue: &'static Catalogue,
    rules: Vec<&'static Described>,
    digit: u16,
}

fn venues() -> Vec<Venue> {
    fn rules<T: BookValue>() -> Vec<&'static Described> {
        let mut rules: Vec<&'static Described> = Vec::new();
        T::describe(&mut |described| {
            if !rules.contains(&described) {
                rules.push(described);
            }
        });
        rules
    }
    vec![
        Venue { catalogue: &evm::CATALOGUE, rules: rules::<evm::rules::Limits<'_>>(), digit: 1 },
        Venue { catalogue: &uniswapx::CATALOGUE, rules: rules::<uniswapx::rules::Limits<'_>>(), digit: 2 },
        Venue {
            catalogue: &polymarket::CATALOGUE,
            rules: rules::<polymarket::rules::Limits<'_>>(),
            digit: 3,
        },
        Venue {
            catalogue: &hyperliquid::CATALOGUE,
            rules: rules::<hyperliquid::rules::Limits<'_>>(),
            digit: 4,
        },
        Venue { catalogue: &solana::CATALOGUE, rules: rules::<solana::rules::Limits<'_>>(), digit: 5 },
    ]
}

#[test]
fn the_document_is_what_the_code_says() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/venues.md");
    let rendered = render(&venues());
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(path, &rendered).unwrap();
    }
    let committed = std::fs::read_to_string(path).unwrap_or_default();
    assert!(committed == rendered, "docs/venues.md differs; UPDATE_DOCS=1 writes it anew");
}

#[test]
fn every_refusal_stands_in_the_document_once() {
    let rendered = render(&venues());
    for refusal in Refusal::ALL {
        let row = format!("| {} | `{}` |", refusal.code(), refusal.name());
        assert_eq!(rendered.matches(&row).count(), 1, "{row}");
    }
}

#[test]
fn nothing_is_named_twice() {
    for venue in venues() {
        let names = venue.catalogue.understood.iter().chain(venue.catalogue.refused).map(|known| known.name);
        let names: Vec<_> = names.collect();
        let once: BTreeSet<_> = names.iter().collect();
        assert_eq!(once.len(), names.len(), "{}", venue.catalogue.venue);
    }
}

fn render(venues: &[Venue]) -> String {
    let mut text = String::from(
        "# Venues\n\nWhat the vault understands of each venue, what it judges, and what it refuses. Made from the \
         code by\n`UPDATE_DOCS=1 cargo test -p portcullis --test venues_document`; a test compares the two. How a \
         book grants these\nthings is in `policies/README.md`, the bytes of each payload in the README of \
         `venues/src/<venue>/`.\n\nWhat is not listed is refused: an unknown call, action, instruction, type or \
         member has no way to a signature.\n",
    );
    for venue in venues {
        render_venue(&mut text, venue).unwrap();
    }
    text.push_str("\n## Refusals that any venue may give\n\n");
    refusals(&mut text, 0).unwrap();
    text
}

fn render_venue(text: &mut String, venue: &Venue) -> std::fmt::Result {
    let Venue { catalogue, rules, digit } = venue;
    writeln!(text, "\n## {}\n\n### Understood\n\n| name | what it does |\n|---|---|", catalogue.venue)?;
    known(text, catalogue.understood)?;
    writeln!(
        text,
        "\n### Judged\n\nThe rules a book can state, under their names in the source and in the units that the vault \
         stores (a book file takes decimals and words: `policies/README.md`)."
    )?;
    for described in rules {
        let name = described.path.rsplit("::").next().unwrap_or_default();
        writeln!(text, "\n**{name}**: {}\n\n| | |\n|---|---|", sentence(described.doc))?;
        for (member, doc) in described.members {
            writeln!(text, "| `{member}` | {} |", sentence(doc))?;
        }
    }
    writeln!(text, "\n### Refused by name\n\n| name | why |\n|---|---|")?;
    known(text, catalogue.refused)?;
    writeln!(text, "\n### Refusals\n")?;
    refusals(text, *digit)
}

fn known(text: &mut String, known: &[Known]) -> std::fmt::Result {
    known.iter().try_for_each(|Known { name, what }| writeln!(text, "| `{name}` | {what} |"))
}

/// The codes whose hundreds digit is `digit`.
fn refusals(text: &mut String, digit: u16) -> std::fmt::Result {
    writeln!(text, "| code | rule | family | why |\n|---|---|---|---|")?;
    for refusal in Refusal::ALL.iter().filter(|refusal| refusal.code() / 100 % 10 == digit) {
        let (code, name) = (refusal.code(), refusal.name());
        writeln!(
            text,
            "| {code} | `{name}` | {} | {} |",
            refusal.family().as_str(),
            sentence(refusal.explanation())
        )?;
    }
    Ok(())
}

/// Documentation as one table cell: links of the source lose their brackets, bars are escaped.
fn sentence(doc: &str) -> String {
    doc.trim().replace("[`", "`").replace("`]", "`").replace('|', "\\|").replace('\n', " ")
}
