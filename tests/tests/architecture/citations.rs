//! Everything that comments cite exists: sections of the contract, decisions, and pages below `docs`.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

/// Returns the numbers of the contract's sections: `6` and `6.3`.
fn sections() -> BTreeSet<String> {
    let contract = std::fs::read_to_string(root().join("docs/contract-v1.md")).unwrap();
    let headings = contract.lines().filter(|line| line.starts_with("## ") || line.starts_with("### "));
    headings.filter_map(|line| line.split_whitespace().nth(1).map(str::to_owned)).collect()
}

/// Returns the numbers of the decisions: `0010`.
fn decisions() -> BTreeSet<String> {
    let entries = std::fs::read_dir(root().join("docs/decisions")).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.filter_map(|name| name.split_once('-').map(|(number, _)| number.to_owned())).collect()
}

/// Returns all files that we wrote, by their extensions.
fn files() -> Vec<PathBuf> {
    const OURS: [&str; 5] = ["rs", "md", "js", "sql", "toml"];
    const NOT_OURS: [&str; 3] = ["target", "node_modules", ".git"];
    let mut found = Vec::new();
    let mut folders = vec![root().to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap();
            if path.is_symlink() || NOT_OURS.contains(&name) {
                continue;
            }
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| OURS.iter().any(|ours| extension == *ours)) {
                found.push(path);
            }
        }
    }
    found
}

/// Returns the text after each occurrence of `mark`, up to the first character that is no part of it.
fn after<'a>(text: &'a str, mark: &str, is_part: fn(char) -> bool) -> Vec<&'a str> {
    let rests = text.match_indices(mark).map(|(place, _)| &text[place + mark.len()..]);
    rests.map(|rest| rest.split(|character| !is_part(character)).next().unwrap_or_default()).collect()
}

#[test]
fn every_citation_leads_somewhere() {
    let (sections, decisions) = (sections(), decisions());
    assert!(sections.contains("6.3") && decisions.contains("0010"), "{sections:?} {decisions:?}");
    let mut lost = Vec::new();
    for path in files() {
        let text = std::fs::read_to_string(&path).unwrap();
        let name = path.strip_prefix(root()).unwrap().display().to_string();
        if name.ends_with("architecture/citations.rs") {
            continue;
        }
        for section in after(&text, "ontract §", |character| character.is_ascii_digit() || character == '.') {
            let section = section.trim_end_matches('.');
            if !sections.contains(section) {
                lost.push(format!("{name}: §{section}"));
            }
        }
        for number in after(&text, "decision ", |character| character.is_ascii_digit()) {
            if number.len() == 4 && !decisions.contains(number) {
                lost.push(format!("{name}: decision {number}"));
            }
        }
        let is_of_path = |character: char| character.is_ascii_alphanumeric() || "-_./".contains(character);
        for page in after(&text, "docs/", is_of_path).into_iter().filter(|page| page.ends_with(".md")) {
            if !root().join("docs").join(page).is_file() {
                lost.push(format!("{name}: docs/{page}"));
            }
        }
        for gone in ["design §", "ontract, \""] {
            if text.contains(gone) {
                lost.push(format!("{name}: cites with `{gone}`, which names nothing in this repository"));
            }
        }
    }
    assert!(lost.is_empty(), "{lost:#?}");
}
