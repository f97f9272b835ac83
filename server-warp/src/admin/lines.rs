//! What a command prints: lines for people, JSON for scripts.

use std::fmt::Write as _;

use a11ycheck_core::paging::Page;
use serde_json::{Value, json};

/// What there is to print.
#[derive(Debug, PartialEq)]
pub(super) enum Outcome {
    /// A thing, or a list of things.
    Things(Value),
    /// A page of a list, and where it lies in the list.
    Page { things: Vec<Value>, page: u32, per_page: u32, last_page: u64, total: u64 },
    /// A thing and a list that belongs to it, under this name.
    Detail { thing: Value, name: &'static str, parts: Vec<Value> },
}

impl From<Value> for Outcome {
    fn from(things: Value) -> Self {
        Self::Things(things)
    }
}

impl Outcome {
    /// A page of a list, whose items are shown as `things`.
    pub(super) fn page<T>(page: &Page<T>, things: Vec<Value>) -> Self {
        let (number, per_page) = (page.request.page(), page.request.per_page());
        Self::Page { things, page: number, per_page, last_page: page.last_page(), total: page.total }
    }

    pub(super) fn in_json(self) -> String {
        let value = match self {
            Self::Things(things) => things,
            Self::Page { things, page, per_page, last_page, total } => {
                let meta = json!({"current_page": page, "per_page": per_page, "last_page": last_page, "total": total});
                json!({"data": things, "meta": meta})
            }
            Self::Detail { mut thing, name, parts } => {
                thing[name] = parts.into();
                thing
            }
        };
        format!("{value:#}\n")
    }

    /// A line per thing, `name: value` by `name: value`; things within things as JSON.
    pub(super) fn in_lines(&self) -> String {
        match self {
            Self::Things(Value::Array(things)) => lines(things),
            Self::Things(thing) => lines(std::slice::from_ref(thing)),
            Self::Page { things, page, last_page, total, .. } => {
                format!("{}page {page} of {last_page}, {total} in all\n", lines(things))
            }
            Self::Detail { thing, parts, .. } => format!("{}{}", lines(std::slice::from_ref(thing)), lines(parts)),
        }
    }
}

fn lines(things: &[Value]) -> String {
    let mut lines = String::new();
    for thing in things {
        for (index, (name, value)) in thing.as_object().into_iter().flatten().enumerate() {
            let value = value.as_str().map_or_else(|| value.to_string(), on_one_line);
            // Writing to a string does not fail.
            let _ = write!(lines, "{}{name}: {value}", if index == 0 { "" } else { "  " });
        }
        lines.push('\n');
    }
    if things.is_empty() {
        lines.push_str("none\n");
    }
    lines
}

/// A text as it is, but for what would end the line or steer a terminal: names come from people, answers from receivers.
pub(super) fn on_one_line(text: &str) -> String {
    let is_plain = |character: char| !character.is_control() && !matches!(character, '\u{2028}' | '\u{2029}');
    let mut line = String::with_capacity(text.len());
    for character in text.chars() {
        // Marks that turn the direction of what follows would show a line in another order than it has.
        let turns = matches!(character, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        if is_plain(character) && !turns {
            line.push(character);
        } else {
            line.extend(character.escape_default());
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use a11ycheck_core::paging::PageRequest;

    use super::*;

    fn in_lines(things: Value) -> String {
        Outcome::from(things).in_lines()
    }

    #[test]
    fn a_thing_is_a_line_and_an_empty_list_says_none() {
        assert_eq!(in_lines(json!([{"id": "a", "n": 1}, {"id": "b", "n": null}])), "id: a  n: 1\nid: b  n: null\n");
        assert_eq!(in_lines(json!({"id": "a"})), "id: a\n");
        assert_eq!(in_lines(json!([])), "none\n");
    }

    #[test]
    fn a_name_with_line_breaks_or_control_characters_stays_on_its_line() {
        let line =
            in_lines(json!({"name": "Zwei\nZeilen\r\t\u{1b}[31m\u{2028}\u{202e}", "umlaut": "Grün & Co, «ціна» 🙂"}));
        let expected = r"name: Zwei\nZeilen\r\t\u{1b}[31m\u{2028}\u{202e}  umlaut: Grün & Co, «ціна» 🙂";
        assert_eq!(line, format!("{expected}\n"));
    }

    #[test]
    fn a_page_says_how_many_there_are() {
        let page = Page { request: PageRequest::new(2, 1), items: vec![()], total: 3 };
        let shown = Outcome::page(&page, vec![json!({"id": "b"})]);
        assert_eq!(shown.in_lines(), "id: b\npage 2 of 3, 3 in all\n");
        let read: Value = serde_json::from_str(&shown.in_json()).unwrap();
        assert_eq!(read["data"], json!([{"id": "b"}]));
        assert_eq!(read["meta"], json!({"current_page": 2, "per_page": 1, "last_page": 3, "total": 3}));
    }
}
