//! The file of axe-core, read once and prepared for injection.

use std::{
    io,
    path::{Path, PathBuf},
};

use crate::browser::Script;

/// The version whose rules the catalogue knows. Rule ids and the border between "fails" and "needs review" change
/// between minor versions; patches only fix bugs.
pub(crate) const WANTED: &str = "4.14";

const SURVEY: &str = include_str!("survey.js");
const PAST_FIELDS: &str = include_str!("past_fields.js");

/// The properties that every list and every object has: axe-core reads them of many things, but never of a form.
const OF_ANYTHING: [&str; 3] = ["__proto__", "constructor", "length"];

/// The reason why there is no axe-core to run.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SourceError {
    /// It is in none of these places, which are in the order of the search.
    #[error("axe-core {WANTED} was not found")]
    NotFound { looked_for: Vec<PathBuf> },
    /// The file could not be read.
    #[error("axe-core at {} could not be read", path.display())]
    Unreadable { path: PathBuf, source: io::Error },
    /// The file is of a version whose rules the catalogue does not know.
    #[error("axe-core at {} is version {found}", path.display())]
    Version { path: PathBuf, found: String },
}

/// axe-core as an expression of JavaScript.
pub(crate) struct AxeSource {
    path: PathBuf,
    version: String,
    source: String,
    expression: Script,
}

impl std::fmt::Debug for AxeSource {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AxeSource").field("path", &self.path).field("version", &self.version).finish_non_exhaustive()
    }
}

impl AxeSource {
    /// Reads the first of these files that exists and has the version that is needed.
    ///
    /// # Errors
    /// The reason why the first file that exists can't be used, or [`SourceError::NotFound`] if there is none.
    pub(crate) fn first(places: Vec<PathBuf>) -> Result<Self, SourceError> {
        let mut refused = None;
        for path in places.iter().filter(|path| path.is_file()) {
            match Self::read(path) {
                Ok(found) => return Ok(found),
                // A distribution's own axe-core may be older; the right one may still follow.
                Err(error) => _ = refused.get_or_insert(error),
            }
        }
        Err(refused.unwrap_or(SourceError::NotFound { looked_for: places }))
    }

    pub(crate) fn read(path: &Path) -> Result<Self, SourceError> {
        let unreadable = |source| SourceError::Unreadable { path: path.to_owned(), source };
        Self::of_text(path, std::fs::read_to_string(path).map_err(unreadable)?)
    }

    /// Takes the content of a file; `path` says in messages where it is from.
    pub(crate) fn of_text(path: &Path, source: String) -> Result<Self, SourceError> {
        let found = version(&source).unwrap_or("unknown").to_owned();
        if !found.strip_prefix(WANTED).is_some_and(|rest| rest.starts_with('.')) {
            return Err(SourceError::Version { path: path.to_owned(), found });
        }
        let source = in_ascii(source);
        let expression = Script::new(&expression("", &source));
        Ok(Self { path: path.to_owned(), version: found, source, expression })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn version(&self) -> &str {
        &self.version
    }

    /// Returns the expression that injects axe-core into a document's world; its value is that of `survey.js`.
    pub(crate) const fn expression(&self) -> &Script {
        &self.expression
    }

    /// Returns the same expression for a document in which fields hide these properties of their forms, or elements those
    /// of the document: axe-core reads them past the fields. Apart from that it works as always. Without this, it fails
    /// on the whole page with `<input name=nodeName>` or `<form name=body>`, and with other names it never ends.
    ///
    /// There is no other way: such a form refuses any property of that name, in our world too, and renaming a field
    /// would change the page.
    pub(crate) fn past_fields(&self, names: &[String]) -> String {
        let names: Vec<&str> = names
            .iter()
            .map(String::as_str)
            .filter(|name| !OF_ANYTHING.contains(name) && !name.is_empty() && name.chars().all(is_of_name))
            .collect();
        let keys = format!("const $pastFields=({PAST_FIELDS})({});", serde_json::json!(names));
        expression(&keys, &with_keys(&self.source, &names))
    }
}

/// Returns the source with `\uXXXX` for each character beyond ASCII, which means the same in texts, patterns and names of
/// JavaScript. Because of one such character the browser would carry all of the source in two bytes for each character,
/// which takes it twice as long. The source is left as it is if one of them may stand where that is not so: a space, one
/// behind a backslash, or one beyond U+FFFF.
fn in_ascii(source: String) -> String {
    let may_differ = |(before, character): (char, char)| {
        before == '\\' || character.is_whitespace() || matches!(character, '\u{feff}' | '\u{10000}'..)
    };
    let pairs = std::iter::once(' ').chain(source.chars()).zip(source.chars());
    if source.is_ascii() || pairs.filter(|(_, character)| !character.is_ascii()).any(may_differ) {
        return source;
    }
    let mut out = String::with_capacity(source.len());
    for character in source.chars() {
        match character.is_ascii() {
            true => out.push(character),
            false => out.push_str(&format!("\\u{:04x}", u32::from(character))),
        }
    }
    out
}

fn expression(keys: &str, source: &str) -> String {
    // The parameters hide `module`, `exports` and `define`: axe-core's loader would otherwise take an element with such
    // an id for one of them. Its messages between frames would pass through the page's own scripts, so it neither sends
    // nor receives any.
    format!(
        "(function(module,exports,define){{{keys}{source}\n}})();\
         window.axe.frameMessenger({{open(){{}},post:()=>false}});({SURVEY})()"
    )
}

/// Returns the source with `.name` as `[$pastFields[0]]`, for the name with this number. In a string within the source
/// that would be wrong, but harmless: axe-core has no string with one of these names after a point that means anything
/// to a program.
fn with_keys(source: &str, names: &[&str]) -> String {
    let mut out = String::with_capacity(source.len() + source.len() / 8);
    let mut rest = source;
    while let Some(point) = rest.find('.') {
        let (before, after) = (&rest[..point], &rest[point + 1..]);
        let end = after.find(|character| !is_of_name(character)).unwrap_or(after.len());
        let number = names.iter().position(|name| *name == &after[..end]);
        out.push_str(before);
        match number {
            // `...rest` is no property.
            Some(number) if !out.ends_with('.') => {
                let optional = if out.ends_with('?') { "." } else { "" };
                out.push_str(&format!("{optional}[$pastFields[{number}]]"));
                rest = &after[end..];
            }
            _ => {
                out.push('.');
                rest = after;
            }
        }
    }
    out.push_str(rest);
    out
}

const fn is_of_name(character: char) -> bool {
    character.is_ascii_alphanumeric() || matches!(character, '_' | '$')
}

/// Returns the version that the file states.
fn version(source: &str) -> Option<&str> {
    let (_, rest) = source.split_once("axe.version=\"")?;
    rest.split('"').next().filter(|version| version.len() < 40)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn properties_that_fields_hide_are_read_by_keys() {
        let source = "e.nodeName.toLowerCase();f(...id,e?.id,e.idle,e.id=1,{id:1.5})";
        assert_eq!(
            with_keys(source, &["id", "nodeName"]),
            "e[$pastFields[1]].toLowerCase();f(...id,e?.[$pastFields[0]],e.idle,e[$pastFields[0]]=1,{id:1.5})"
        );
    }

    #[test]
    fn characters_beyond_ascii_are_escaped_unless_that_may_mean_something_else() {
        let escaped = r#"this.\u03b5=/[\u2026]/.test("\ufffd\n")"#;
        assert_eq!(in_ascii(r#"this.ε=/[…]/.test("�\n")"#.to_owned()), escaped);
        for kept in ["a='ε';𝒙=1", r"a='\ε'", "a='ε';b=\u{a0}1", "a='ε'\u{2028}b", "\u{feff}a='ε'"] {
            assert_eq!(in_ascii(kept.to_owned()), kept);
        }
    }

    #[test]
    fn the_first_axe_core_of_the_right_version_is_taken_and_what_is_wrong_with_others_is_said() {
        let machine = tempfile::tempdir().unwrap();
        let [missing, old, older, right] = ["missing", "old", "older", "right"].map(|name| machine.path().join(name));
        fs::write(&old, "axe.version=\"4.8.2\"").unwrap();
        fs::write(&older, "axe.version=\"3.0.0\"").unwrap();
        fs::write(&right, "axe.version=\"4.14.9\"").unwrap();

        let places = vec![missing.clone(), old.clone(), right.clone()];
        let found = AxeSource::first(places).unwrap();
        assert_eq!((found.path(), found.version()), (&*right, "4.14.9"));

        let error = AxeSource::first(vec![missing.clone(), old.clone(), older]).unwrap_err();
        assert!(matches!(&error, SourceError::Version { path, found } if *path == old && found == "4.8.2"));

        let nowhere = vec![missing, machine.path().join("none")];
        let error = AxeSource::first(nowhere.clone()).unwrap_err();
        assert!(matches!(&error, SourceError::NotFound { looked_for } if *looked_for == nowhere));
    }
}
