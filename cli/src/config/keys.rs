//! Keys that a file has and this program does not know.

use toml::{Table, Value};

/// The keys of each table, by the name of the table.
const KEYS: [(&str, &[&str]); 4] = [
    (
        "",
        &[
            "accept",
            "allow-network",
            "allow-unchecked",
            "base-url",
            "baseline",
            "exclude",
            "gate",
            "headers",
            "include",
            "lang",
            "name",
            "output",
            "page-seconds",
            "pages",
            "pages-at-once",
            "pictures",
            "ready-seconds",
            "ready-url",
            "rebase",
            "robots",
            "sample",
            "serve",
            "sitemap",
            "sitemap-replace",
            "spa",
            "standard",
            "start",
            "strict",
            "strict-baseline",
            "urls",
            "viewport",
        ],
    ),
    ("gate", &["level", "max", "new-only", "pages", "rules"]),
    ("gate.pages", &["level", "match", "max", "rule"]),
    ("accept", &["note", "pages", "reason", "rule", "selector", "template", "until"]),
];

/// A key that no table of this name has.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct UnknownKey {
    pub(super) key: String,
    pub(super) nearest: String,
}

/// Returns the first key that is not known, with the nearest one that is.
pub(super) fn unknown(file: &Table) -> Option<UnknownKey> {
    in_table("", file)
}

fn in_table(name: &str, table: &Table) -> Option<UnknownKey> {
    let (_, known) = KEYS.iter().find(|(table, _)| *table == name)?;
    table.iter().find_map(|(key, value)| {
        let path = if name.is_empty() { key.clone() } else { format!("{name}.{key}") };
        if !known.contains(&key.as_str()) {
            let likeness = |known: &str| strsim::normalized_damerau_levenshtein(known, key);
            let nearest = known.iter().max_by(|a, b| likeness(a).total_cmp(&likeness(b)));
            let nearest = nearest.copied().unwrap_or_default();
            let nearest = if name.is_empty() { nearest.to_owned() } else { format!("{name}.{nearest}") };
            return Some(UnknownKey { key: path, nearest });
        }
        match value {
            Value::Table(table) => in_table(&path, table),
            Value::Array(entries) => {
                entries.iter().filter_map(Value::as_table).find_map(|table| in_table(&path, table))
            }
            _ => None,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unknown_in(text: &str) -> Option<(String, String)> {
        unknown(&text.parse().unwrap()).map(|unknown| (unknown.key, unknown.nearest))
    }

    #[test]
    fn a_mistyped_key_is_named_with_the_one_that_was_meant() {
        let named = |key: &str, nearest: &str| Some((key.to_owned(), nearest.to_owned()));
        assert_eq!(unknown_in("url = []"), named("url", "urls"));
        assert_eq!(unknown_in("[gate]\nlevl = 'x'"), named("gate.levl", "gate.level"));
        assert_eq!(unknown_in("[[gate.pages]]\nmatches = '/x'"), named("gate.pages.matches", "gate.pages.match"));
        assert_eq!(unknown_in("[[accept]]\nreasn = 'x'"), named("accept.reasn", "accept.reason"));
        assert_eq!(unknown_in("[gate.rules]\ncolor-contrast = 5"), None);
    }
}
