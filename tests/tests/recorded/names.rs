//! Ids and addresses that differ in every run, named by the order in which they appear.

use std::collections::HashMap;

/// The prefixes of the ids of the contract and of requests.
const KINDS: [&str; 9] = ["team_", "site_", "scan_", "evt_", "dlv_", "whe_", "tok_", "req_", "node_"];

/// The names given so far.
#[derive(Debug, Default)]
pub(crate) struct Names {
    given: HashMap<String, String>,
    counts: HashMap<&'static str, usize>,
}

impl Names {
    /// Returns the text with each id replaced by its kind and the number of its first appearance, the server's port by a word, and
    /// the instant of the next check, which depends on the id of the site, by another.
    pub(crate) fn named(&mut self, text: &str) -> String {
        let text = without_spread(&without_ports(text));
        let mut out = String::with_capacity(text.len());
        let mut rest = text.as_str();
        while let Some((at, kind)) = KINDS.iter().filter_map(|kind| Some((rest.find(kind)?, *kind))).min() {
            let id = &rest[at + kind.len()..];
            let length = id.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(id.len());
            out.push_str(&rest[..at]);
            // A ULID has 26 characters, the id of a request 32.
            if matches!(length, 26 | 32) {
                out.push_str(&self.name(kind, &id[..length]));
            } else {
                out.push_str(&rest[at..at + kind.len() + length]);
            }
            rest = &id[length..];
        }
        out.push_str(rest);
        out
    }

    fn name(&mut self, kind: &'static str, id: &str) -> String {
        let Self { given, counts } = self;
        given
            .entry(format!("{kind}{id}"))
            .or_insert_with(|| {
                let count = counts.entry(kind).or_default();
                *count += 1;
                format!("{kind}{count}")
            })
            .clone()
    }
}

fn without_ports(text: &str) -> String {
    let mut parts = text.split("127.0.0.1:");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        out.push_str("SERVER");
        out.push_str(part.trim_start_matches(|c: char| c.is_ascii_digit()));
    }
    out
}

fn without_spread(text: &str) -> String {
    const FIELD: &str = r#""next_scan_at":""#;
    let mut parts = text.split(FIELD);
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        out.push_str(FIELD);
        out.push_str("SPREAD");
        out.push_str(&part[part.find('"').unwrap_or(0)..]);
    }
    out
}
