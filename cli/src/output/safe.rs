//! Texts of pages that do nothing where they are shown.
//!
//! A page chooses its title, its selectors and its source. On a terminal, control characters in them would move the cursor, change
//! colours or set links; in the log of a CI runner, a line may be a command. GitHub's runner trims blanks before it looks for `::`
//! at the start of a line, and looks for `##[` anywhere in it (`ActionCommand.cs` of actions/runner); Azure's does so for `##vso[`,
//! `TeamCity`'s for `##teamcity[`.

use std::{
    borrow::Cow,
    io::{self, Write},
};

pub use a11ycheck_core::export::text::{clipped_line, one_line};

/// Returns the text as one line that is no command for a CI runner, for logs and for standard error: without control characters and
/// line ends, and with an invisible character (U+200B) where a command would begin.
pub fn for_log(text: &str) -> String {
    let line = one_line(text);
    let mut safe = String::with_capacity(line.len());
    if line.starts_with("::") {
        safe.push(ZERO_WIDTH_SPACE);
    }
    let mut last = ' ';
    for character in line.chars() {
        if (last, character) == ('#', '#') {
            safe.push(ZERO_WIDTH_SPACE);
        }
        safe.push(character);
        last = character;
    }
    safe
}

/// Returns the text without characters that XML 1.0 forbids (section 2.2), which become U+FFFD.
pub(super) fn for_xml(text: &str) -> Cow<'_, str> {
    let is_forbidden = |character: char| match character {
        '\t' | '\n' | '\r' => false,
        '\u{fffe}' | '\u{ffff}' => true,
        // Those from U+0080 to U+009F are permitted, and of no use.
        other => other.is_control(),
    };
    if text.contains(is_forbidden) { text.replace(is_forbidden, "\u{fffd}").into() } else { text.into() }
}

/// Passes JSON on in which no `##` remains: the second character becomes `\u0023`, which JSON reads as the same.
///
/// Nothing else in JSON can be a command: within a line, only `##` begins one, and no line begins with a text of a page, since line
/// ends within strings are escaped.
#[derive(Debug)]
pub(super) struct JsonWithoutCommands<W> {
    out: W,
    was_hash: bool,
}

impl<W: Write> JsonWithoutCommands<W> {
    pub(super) const fn new(out: W) -> Self {
        Self { out, was_hash: false }
    }
}

impl<W: Write> Write for JsonWithoutCommands<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut written = 0;
        for (at, byte) in bytes.iter().enumerate() {
            let is_hash = *byte == b'#';
            if is_hash && self.was_hash {
                self.out.write_all(&bytes[written..at])?;
                // A character of JSON outside of strings is never `#`.
                self.out.write_all(b"\\u0023")?;
                written = at + 1;
                self.was_hash = false;
            } else {
                self.was_hash = is_hash;
            }
        }
        self.out.write_all(&bytes[written..])?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

const ZERO_WIDTH_SPACE: char = '\u{200b}';

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_title_can_neither_steer_a_terminal_nor_a_runner() {
        assert_eq!(for_log(" \t::set-output name=x::y"), "\u{200b}::set-output name=x::y");
        assert_eq!(for_log("a ##[set-env]b"), "a #\u{200b}#[set-env]b");
        assert_eq!(for_log("a\n::error::x\r##vso[task]"), "a ::error::x #\u{200b}#vso[task]");
        let escaped = for_log("\u{1b}[31mred\u{1b}]8;;https://evil.example\u{7}link");
        assert!(!escaped.contains(char::is_control), "{escaped:?}");
    }

    proptest! {
        #[test]
        fn json_without_commands_reads_as_the_same(text in "[#a\\\\\"\n]{0,12}", cut in 0_usize..12) {
            let json = serde_json::to_vec(&text).unwrap();
            let mut safe = Vec::new();
            let mut out = JsonWithoutCommands::new(&mut safe);
            let (head, tail) = json.split_at(cut.min(json.len()));
            out.write_all(head).unwrap();
            out.write_all(tail).unwrap();
            prop_assert!(!safe.windows(2).any(|pair| pair == b"##"));
            prop_assert_eq!(serde_json::from_slice::<String>(&safe).unwrap(), text);
        }
    }
}
