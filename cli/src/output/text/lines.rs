//! Lines of at most 80 columns, in which no text of a page does anything.

use std::io::{self, Write};

use anstyle::{AnsiColor, Style};
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

use crate::output::safe::one_line;

/// The greatest number of columns of a line that has no address.
const WIDTH: usize = 80;
/// The most characters of an address.
const MAX_ADDRESS: usize = 400;

/// A text with its style. It is one line without control characters.
pub(in crate::output) struct Paint {
    text: String,
    style: Style,
}

impl Paint {
    fn new(text: &str, style: Style) -> Self {
        Self { text: text.to_owned(), style }
    }

    pub(super) fn plain(text: &str) -> Self {
        Self::new(text, Style::new())
    }

    pub(super) fn bold(text: &str) -> Self {
        Self::new(text, Style::new().bold())
    }

    pub(super) fn dim(text: &str) -> Self {
        Self::new(text, Style::new().dimmed())
    }

    pub(super) fn good(text: &str) -> Self {
        Self::new(text, AnsiColor::Green.on_default().bold())
    }

    pub(super) fn bad(text: &str) -> Self {
        Self::new(text, AnsiColor::Red.on_default().bold())
    }

    pub(super) fn doubtful(text: &str) -> Self {
        Self::new(text, AnsiColor::Yellow.on_default().bold())
    }
}

/// Writes lines.
pub(in crate::output) struct Lines<'a> {
    out: &'a mut dyn Write,
    colours: bool,
}

impl<'a> Lines<'a> {
    pub(super) fn new(out: &'a mut dyn Write, colours: bool) -> Self {
        Self { out, colours }
    }

    pub(super) fn empty(&mut self) -> io::Result<()> {
        self.out.write_all(b"\n")
    }

    /// Writes a line of our own texts; what of it is a page's was made one line before.
    pub(super) fn line(&mut self, parts: &[Paint]) -> io::Result<()> {
        let mut line = String::new();
        for Paint { text, style } in parts {
            if self.colours && *style != Style::new() {
                line.push_str(&format!("{style}{text}{style:#}"));
            } else {
                line.push_str(text);
            }
        }
        writeln!(self.out, "{}", line.trim_end())
    }

    /// Writes a severity, a title, and the id of a rule at the right edge; on a line of its own where both have no room.
    pub(super) fn head(&mut self, severity: Paint, title: &str, id: &str) -> io::Result<()> {
        let (title, id) = (one_line(title), one_line(id));
        let left = severity.text.width() + 2;
        let room = WIDTH.saturating_sub(left);
        let taken = title.width();
        if taken + 2 + id.width() <= room {
            let gap = " ".repeat(room - taken - id.width());
            return self.line(&[
                severity,
                Paint::plain("  "),
                Paint::bold(&title),
                Paint::plain(&gap),
                Paint::dim(&id),
            ]);
        }
        let mut title_lines = wrap(&title, room).into_iter();
        let first = title_lines.next().unwrap_or_default();
        self.line(&[severity, Paint::plain("  "), Paint::bold(&first)])?;
        for line in title_lines.chain([clipped(&id, room)]) {
            self.line(&[Paint::plain(&" ".repeat(left)), Paint::dim(&line)])?;
        }
        Ok(())
    }

    /// Writes a text over as many lines as it takes, each after `indent`. Backticks around code stay.
    pub(super) fn wrapped(&mut self, indent: &str, text: &str) -> io::Result<()> {
        for line in wrap(&one_line(text), WIDTH - indent.width()) {
            self.line(&[Paint::plain(indent), Paint::plain(&line)])?;
        }
        Ok(())
    }

    /// Writes an address, which is never divided.
    pub(super) fn address(&mut self, indent: &str, address: &str) -> io::Result<()> {
        let address = clipped(&one_line(address), MAX_ADDRESS);
        self.line(&[Paint::plain(indent), Paint::bold(&address)])
    }

    /// Writes a text, cut to what has room, with a mark at the right edge, which has at most half of the line.
    pub(super) fn marked(&mut self, indent: &str, text: &str, mark: Option<&str>) -> io::Result<()> {
        let mark = clipped(&mark.map(one_line).unwrap_or_default(), WIDTH / 2);
        let taken = indent.width() + if mark.is_empty() { 0 } else { mark.width() + 2 };
        let room = WIDTH.saturating_sub(taken);
        let text = clipped(&one_line(text), room);
        // A sequence of characters may be wider than they are one by one.
        let gap = " ".repeat(room.saturating_sub(text.width()) + if mark.is_empty() { 0 } else { 2 });
        self.line(&[Paint::plain(indent), Paint::plain(&text), Paint::plain(&gap), Paint::doubtful(&mark)])
    }
}

/// Returns the beginning of a line that takes at most so many columns, with an ellipsis if something is missing.
pub(super) fn clipped(line: &str, columns: usize) -> String {
    if line.width() <= columns {
        return line.to_owned();
    }
    let mut clipped = String::new();
    let mut taken = 1;
    for character in line.chars() {
        taken += character.width().unwrap_or(0);
        if taken > columns {
            break;
        }
        clipped.push(character);
    }
    clipped.push('…');
    clipped
}

/// Divides a line between words; a word that is too long is divided within.
fn wrap(line: &str, columns: usize) -> Vec<String> {
    let columns = columns.max(2);
    let mut lines: Vec<String> = Vec::new();
    let mut current = String::new();
    for word in line.split(' ').filter(|word| !word.is_empty()) {
        if !current.is_empty() && current.width() + 1 + word.width() > columns {
            lines.push(std::mem::take(&mut current));
        }
        if !current.is_empty() {
            current.push(' ');
        }
        for character in word.chars() {
            if current.width() + character.width().unwrap_or(0) > columns {
                lines.push(std::mem::take(&mut current));
            }
            current.push(character);
        }
    }
    if !current.is_empty() {
        lines.push(current);
    }
    lines
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn no_line_is_wider_than_its_columns_and_no_word_is_lost(
            text in "[a ž中🙂\u{301}]{0,60}", columns in 2_usize..20,
        ) {
            let lines = wrap(&one_line(&text), columns);
            prop_assert!(lines.iter().all(|line| line.width() <= columns), "{:?}", lines);
            let joined: String = lines.concat().split(' ').collect();
            prop_assert_eq!(joined, one_line(&text).split(' ').collect::<String>());
            prop_assert!(clipped(&text, columns).width() <= columns.max(text.width().min(columns)));
        }
    }
}
