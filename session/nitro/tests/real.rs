//! Real documents, judged as two other libraries judged them: the folder beside the checkout says how, in a table.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)] // helpers of tests are tests too

mod pki;

use std::path::Path;

use session_nitro::{AWS_ROOT_SHA256, At, CertificateFault, Document, DocumentFault, verify};

/// Long after every document of the folder.
const NOW_MS: u64 = 1_790_000_000_000;

#[test]
fn real_documents_are_judged_as_the_table_says() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/attestation");
    let Ok(table) = std::fs::read_to_string(folder.join("README.md")) else {
        println!("SKIPPED: real attestation documents are not beside this checkout");
        return;
    };
    let rows = table.lines().filter_map(|line| line.strip_prefix("| ")).filter(|row| row.contains(".cbor |"));
    let mut judged = 0;
    for row in rows {
        let cells: Vec<_> = row.split('|').map(str::trim).collect();
        let bytes = std::fs::read(folder.join(cells[0])).unwrap();
        let document = Document::read(&bytes).unwrap();
        let found = verify(&document, &AWS_ROOT_SHA256, At::Document);
        let expected = match cells[5] {
            "valid" => Ok(()),
            "signature valid, refused as debug" => Err(DocumentFault::Debug),
            "COSE signature wrong: refused" => Err(DocumentFault::SignatureWrong),
            other => panic!("{}: what is expected by {other:?}?", cells[0]),
        };
        assert_eq!(found, expected, "{}", cells[0]);
        let pcr0: String = document.pcr(0).unwrap().iter().map(|byte| format!("{byte:02x}")).collect();
        assert!(pcr0.starts_with(cells[2].trim_end_matches('…')), "{}: {pcr0}", cells[0]);
        // None of their certificates is valid any more, and nobody may take them for a vault of today.
        let now = verify(&document, &AWS_ROOT_SHA256, At::Time(NOW_MS));
        let is_expired = |fault: &DocumentFault| {
            matches!(fault, DocumentFault::Certificate { fault: CertificateFault::Expired { .. }, .. })
        };
        assert!(now.as_ref().is_err_and(is_expired), "{}: {now:?}", cells[0]);
        assert_eq!(verify(&document, &[0; 32], At::Document), Err(DocumentFault::RootUnknown));
        pki::note("real, at its time", &bytes, &AWS_ROOT_SHA256, "document", found.is_ok());
        pki::note("real, now", &bytes, &AWS_ROOT_SHA256, &NOW_MS.to_string(), false);
        judged += 1;
    }
    println!("{judged} real documents");
    assert!(judged >= 5);
}
