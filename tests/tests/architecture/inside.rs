//! The order inside core, and circles of files inside every crate.

use std::path::Path;

use crate::sources::Crate;

/// The modules of core: each may name those before it, and nothing else. ARCHITECTURE.md draws the same.
const CORE: &[&[&str]] = &[
    &["id", "clock", "locale", "timestamp"],
    &["sealing"],
    &["domain", "paging"],
    &["net", "catalog"],
    &["ranking"],
    &["scanner", "store"],
    &["report", "export"],
    &["webhook", "mail"],
    &["error"],
    &["service"],
    &["engine"],
];

/// The crates, by their root files, with the number of circles of files across folders that each has. A number may only
/// go down: a change that opens a circle lowers it.
const CIRCLES: &[(&str, usize)] = &[
    ("a11ycheck/src/lib.rs", 0),
    ("api-v1/src/lib.rs", 0),
    ("core/src/lib.rs", 0),
    ("scanner-chromium/src/lib.rs", 0),
    ("signing/src/lib.rs", 0),
    ("account-web/src/lib.rs", 0),
    ("server-warp/src/lib.rs", 0),
    ("server-warp/src/bin/a11ycheck-server/main.rs", 0),
    ("storage-memory/src/lib.rs", 0),
    ("storage-postgres/src/lib.rs", 0),
    ("storage-sqlite/src/lib.rs", 0),
    ("storage-testkit/src/lib.rs", 0),
    ("tests/src/lib.rs", 0),
    ("xtask/src/main.rs", 0),
];

fn read(root: &str) -> Crate {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    Crate::read(&workspace.join(root))
}

#[test]
fn inside_core_each_module_names_only_what_stands_before_it() {
    let core = read("core/src/lib.rs");
    let order: Vec<&str> = CORE.concat();
    let mut listed = order.clone();
    listed.sort_unstable();
    let mut found: Vec<&str> = core.top_level().collect();
    found.sort_unstable();
    assert_eq!(found, listed, "every module of core has a place in the order");

    let place = |module: &str| order.iter().position(|listed| *listed == module).unwrap();
    for (from, named) in core.arrows() {
        for to in named {
            let (Some(above), Some(below)) = (from.first(), to.first()) else { continue };
            let (from, to) = (core.file(from), core.file(to));
            assert!(place(below) <= place(above), "{from} names {to}, and {above} stands before {below}");
        }
    }
}

#[test]
fn the_order_inside_core_is_the_one_that_is_drawn() {
    let drawn = CORE.iter().map(|group| group.join(", ")).collect::<Vec<_>>().join(" ← ");
    let document = include_str!("../../../ARCHITECTURE.md").split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(document.contains(&drawn), "ARCHITECTURE.md does not draw this:\n{drawn}");
}

#[test]
fn no_circle_of_files_spans_folders() {
    for (root, known) in CIRCLES {
        let circles = read(root).circles_across_folders();
        let count = circles.len();
        assert!(count <= *known, "{root} has more circles of files across folders than {known}: {circles:#?}");
        assert!(count == *known, "{root} has {count} circles of files across folders: lower its number from {known}");
    }
}
