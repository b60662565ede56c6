//! The committed session, which a second implementation has confirmed byte for byte.

#[path = "../examples/vectors.rs"]
#[allow(dead_code)] // its `main`
mod vectors;

#[test]
fn the_committed_vectors_are_what_this_build_makes() {
    let committed = include_str!("../vectors/session.txt");
    let made = vectors::vectors();
    for (made, committed) in made.lines().zip(committed.lines()) {
        assert_eq!(made, committed);
    }
    assert_eq!(made.lines().count(), committed.lines().count());
    assert!(committed.lines().any(|line| line.starts_with("vault_65536 ")));
}
