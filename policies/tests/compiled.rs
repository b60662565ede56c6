//! The const data of this build is the book that its file says.

use policies::{BOOK, POLICY_HASH};

#[test]
fn the_compiled_book_is_the_one_of_its_file() {
    let file = format!("{}/book/{}.toml", env!("CARGO_MANIFEST_DIR"), BOOK.desk);
    let text = std::fs::read_to_string(&file).unwrap();
    let book = compile::compile(&file, &text).unwrap();
    assert_eq!(BOOK, *book);
    assert_eq!(POLICY_HASH, book::policy_hash(book));
}

#[test]
fn the_policy_hash_is_the_one_of_the_compiled_book() {
    assert_eq!(POLICY_HASH, book::policy_hash(&BOOK));
}
