//! Stored files, with which texts are compared.

use std::path::Path;

/// Compares with `golden/{name}`. `UPDATE_GOLDEN=1` stores `actual` in its place: then read the difference.
pub(crate) fn assert_same(name: &str, actual: &str) {
    assert_file(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/formats/golden").join(name), actual);
}

/// Compares with a file of this crate in the same way.
pub(crate) fn assert_file(path: &Path, actual: &str) {
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(path, actual).unwrap();
        return;
    }
    let stored = std::fs::read_to_string(path).unwrap_or_default();
    let differs = stored.lines().zip(actual.lines()).position(|(stored, actual)| stored != actual);
    let line = differs.unwrap_or_else(|| stored.lines().count().min(actual.lines().count()));
    assert!(
        stored == actual,
        "{} differs from line {} on:\n  stored: {:?}\n  actual: {:?}\nIf that is meant: UPDATE_GOLDEN=1 cargo test -p a11ycheck-cli --test formats",
        path.display(),
        line + 1,
        stored.lines().nth(line),
        actual.lines().nth(line),
    );
}
