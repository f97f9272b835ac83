//! The output of commands: lines for people, JSON for scripts.

use std::fmt::Write as _;

use a11ycheck_core::paging::Page;
use indexmap::IndexMap;
use serde::Serialize;
use serde_json::value::RawValue;

/// The output of a command, with the fields of each thing in the order in which its type has them.
#[derive(Debug, PartialEq)]
pub(super) struct Outcome {
    json: String,
    lines: String,
}

/// A thing that was deleted.
#[derive(Debug, Serialize)]
pub(super) struct Deleted<I> {
    pub(super) id: I,
    pub(super) deleted: bool,
}

/// A page of a list, with its place in the list.
#[derive(Serialize)]
struct JsonPage<'a, T> {
    data: &'a [T],
    meta: Meta,
}

#[derive(Serialize)]
struct Meta {
    current_page: u32,
    per_page: u32,
    last_page: u64,
    total: u64,
}

/// A thing with its log.
#[derive(Serialize)]
struct WithLog<'a, T, L> {
    #[serde(flatten)]
    thing: &'a T,
    log: &'a [L],
}

impl Outcome {
    pub(super) fn thing(thing: &impl Serialize) -> Self {
        Self { json: in_json(thing), lines: lines(std::slice::from_ref(thing)) }
    }

    pub(super) fn list(things: &[impl Serialize]) -> Self {
        Self { json: in_json(&things), lines: lines(things) }
    }

    /// Returns a page of a list, whose items are shown as `things`.
    pub(super) fn page<T>(page: &Page<T>, things: &[impl Serialize]) -> Self {
        let (current_page, per_page) = (page.request.page(), page.request.per_page());
        let (last_page, total) = (page.last_page(), page.total);
        let meta = Meta { current_page, per_page, last_page, total };
        let where_it_lies = format!("page {current_page} of {last_page}, {total} in all\n");
        Self { json: in_json(&JsonPage { data: things, meta }), lines: lines(things) + &where_it_lies }
    }

    /// Returns a thing with a list that belongs to it: `log` in JSON, further lines for people.
    pub(super) fn with_log(thing: &impl Serialize, log: &[impl Serialize]) -> Self {
        let all_lines = lines(std::slice::from_ref(thing)) + &lines(log);
        Self { json: in_json(&WithLog { thing, log }), lines: all_lines }
    }

    /// Adds sentences for people. Scripts don't see them.
    pub(super) fn with_note(mut self, note: &str) -> Self {
        self.lines.push_str(note);
        self
    }

    pub(super) fn in_json(&self) -> &str {
        &self.json
    }

    /// Returns a line per thing, `name: value` by `name: value`; nested things are JSON.
    pub(super) fn in_lines(&self) -> &str {
        &self.lines
    }
}

fn in_json(value: &impl Serialize) -> String {
    // Things are texts, numbers, words and lists of them under names: nothing that JSON lacks.
    let mut json = serde_json::to_string_pretty(value).unwrap_or_default();
    json.push('\n');
    json
}

fn lines<T: Serialize>(things: &[T]) -> String {
    let mut lines = String::new();
    for thing in things {
        for (index, (name, value)) in fields(thing).into_iter().enumerate() {
            let text = serde_json::from_str::<String>(value.get());
            let value = text.map_or_else(|_| value.get().to_owned(), |text| on_one_line(&text));
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

/// Returns the fields of a thing in its order, each value as JSON.
fn fields(thing: &impl Serialize) -> IndexMap<String, Box<RawValue>> {
    let json = serde_json::to_string(thing).unwrap_or_default();
    serde_json::from_str(&json).unwrap_or_default()
}

/// Returns a text on one line, with characters escaped that would end the line or control a terminal: names come from
/// people, excerpts of responses from receivers.
pub(crate) fn on_one_line(text: &str) -> String {
    let is_plain = |character: char| !character.is_control() && !matches!(character, '\u{2028}' | '\u{2029}');
    let mut line = String::with_capacity(text.len());
    for character in text.chars() {
        // Marks that change the direction of the following text would show a line in another order than it has.
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

    #[derive(Serialize)]
    struct Thing {
        id: &'static str,
        /// Its name precedes `id` in the alphabet.
        age: Option<u32>,
    }

    const A: Thing = Thing { id: "a", age: Some(1) };
    const B: Thing = Thing { id: "b", age: None };

    #[test]
    fn a_thing_is_a_line_and_an_empty_list_says_none() {
        assert_eq!(Outcome::list(&[A, B]).in_lines(), "id: a  age: 1\nid: b  age: null\n");
        assert_eq!(Outcome::thing(&A).in_lines(), "id: a  age: 1\n");
        assert_eq!(Outcome::list(&[A; 0]).in_lines(), "none\n");
    }

    #[test]
    fn things_within_things_are_json_in_their_order() {
        #[derive(Serialize)]
        struct Holder {
            thing: Thing,
            all: Vec<Thing>,
        }

        let shown = Outcome::thing(&Holder { thing: A, all: vec![B] });
        assert_eq!(shown.in_lines(), "thing: {\"id\":\"a\",\"age\":1}  all: [{\"id\":\"b\",\"age\":null}]\n");
    }

    #[test]
    fn a_name_with_line_breaks_or_control_characters_stays_on_its_line() {
        #[derive(Serialize)]
        struct Names {
            name: &'static str,
            umlaut: &'static str,
        }

        let names =
            Names { name: "Zwei\nZeilen\r\t\u{1b}[31m\u{2028}\u{202e}", umlaut: "Grün & Co, «ціна» 🙂" };
        let expected = r"name: Zwei\nZeilen\r\t\u{1b}[31m\u{2028}\u{202e}  umlaut: Grün & Co, «ціна» 🙂";
        assert_eq!(Outcome::thing(&names).in_lines(), format!("{expected}\n"));
    }

    #[test]
    fn json_has_the_order_of_the_lines() {
        assert_eq!(Outcome::thing(&A).in_json(), "{\n  \"id\": \"a\",\n  \"age\": 1\n}\n");
        assert_eq!(Outcome::list(&[A; 0]).in_json(), "[]\n");
        let shown = Outcome::with_log(&B, &[A]);
        assert_eq!(shown.in_lines(), "id: b  age: null\nid: a  age: 1\n");
        let json: String = shown.in_json().split_whitespace().collect();
        assert_eq!(json, r#"{"id":"b","age":null,"log":[{"id":"a","age":1}]}"#);
    }

    #[test]
    fn a_page_says_how_many_there_are() {
        let page = Page { request: PageRequest::new(2, 1), items: vec![()], total: 3 };
        let shown = Outcome::page(&page, &[B]);
        assert_eq!(shown.in_lines(), "id: b  age: null\npage 2 of 3, 3 in all\n");
        let json: String = shown.in_json().split_whitespace().collect();
        assert_eq!(
            json,
            r#"{"data":[{"id":"b","age":null}],"meta":{"current_page":2,"per_page":1,"last_page":3,"total":3}}"#
        );
    }
}
