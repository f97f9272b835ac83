//! The order of the folders, read from their files: each names only folders before it.

use std::{fs, path::Path};

/// The folders, the most basic first.
const ORDER: [&str; 11] =
    ["cdp", "guard", "browser", "evidence", "platform", "axe", "probes", "opening", "visit", "crawl", "scanner"];

/// Returns the modules of this crate that a file names, outside of its tests.
fn named(source: &str) -> Vec<&str> {
    let code = source.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
    let mut named = Vec::new();
    let mut is_within = false;
    for line in code.lines().filter(|line| !line.trim_start().starts_with("//")) {
        let word = |text: &'_ str| text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
        for (at, _) in line.match_indices("crate::") {
            let rest = &line[at + "crate::".len()..];
            is_within |= rest.starts_with('{') && !rest.contains('}');
            named.push(&rest[..word(rest)]);
            // `use crate::{axe::AxeSource, browser::Tab};` in one line.
            if let Some(list) = rest.strip_prefix('{').and_then(|list| list.split('}').next()) {
                named.extend(list.split(", ").map(|item| &item[..word(item)]));
            }
        }
        // The items one level deep in `use crate::{`, as rustfmt writes them; there may be several in a line.
        if let Some(items) = line.strip_prefix("    ").filter(|line| is_within && !line.starts_with(' ')) {
            named.extend(items.split(", ").map(|item| &item[..word(item)]));
        }
        is_within &= line != "};";
    }
    named
}

fn check(path: &Path, place: usize) {
    if path.is_dir() {
        fs::read_dir(path).unwrap().for_each(|entry| check(&entry.unwrap().path(), place));
    } else if path.extension().is_some_and(|extension| extension == "rs") {
        let source = fs::read_to_string(path).unwrap();
        for name in named(&source) {
            let known = ORDER.iter().position(|folder| *folder == name);
            assert!(known.is_none_or(|known| known <= place), "{} names `{name}`", path.display());
        }
    }
}

#[test]
fn a_folder_names_only_folders_before_it() {
    let sources = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/src"));
    for (place, folder) in ORDER.iter().enumerate() {
        let path = sources.join(folder);
        check(&if path.is_dir() { path } else { path.with_extension("rs") }, place);
    }
}

#[test]
fn a_name_is_found_wherever_it_stands() {
    let source = "use crate::{\n    Evidence,\n    axe::{self, Collected},\n    parts::Parts, visit::Visits,\n};\n\
                  use crate::{guard::Guard, tls};\nfn f() -> crate::crawl::X {}\n// crate::cdp\n\
                  #[cfg(test)]\nmod tests {\n    use crate::browser;\n}\n";
    let folders: Vec<_> = named(source).into_iter().filter(|name| ORDER.contains(name)).collect();
    assert_eq!(folders, ["axe", "visit", "guard", "crawl"]);
}
