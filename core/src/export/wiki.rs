//! Texts of unknown origin as Jira's wiki markup. Everything here is for use within a line.

use super::text::one_line;

/// Returns the text as it is, without markup, macro, link or mention.
pub(super) fn text(raw: &str) -> String {
    let line: Vec<char> = one_line(raw).chars().collect();
    let mut escaped = String::with_capacity(line.len() + 8);
    for (at, character) in line.iter().copied().enumerate() {
        let before = at.checked_sub(1).and_then(|at| line.get(at)).copied().unwrap_or(' ');
        let after = line.get(at + 1).copied().unwrap_or(' ');
        let is_markup = match character {
            '{' | '}' | '[' | ']' | '|' => true,
            // Within a word, they are letters like any other.
            '*' | '_' | '-' | '+' | '^' | '~' => !(before.is_alphanumeric() && after.is_alphanumeric()),
            '?' => before == '?' || after == '?',
            '!' => !after.is_whitespace(),
            // `(/)` and the like are pictures.
            '(' => line.get(at + 2) == Some(&')'),
            '#' => at == 0,
            _ => false,
        };
        match character {
            // Two of them end a line, so one can't be escaped by another.
            '\\' => escaped.push_str("&#92;"),
            _ if is_markup => escaped.extend(['\\', character]),
            _ => escaped.push(character),
        }
    }
    // `h1.` and `bq.` begin a heading and a quotation at the start of a line.
    if is_block_start(&escaped) { escaped.replacen('.', "&#46;", 1) } else { escaped }
}

/// Returns a text of the catalogue, with its `code` in backticks; a text with an unpaired backtick is treated like any other text.
pub(super) fn prose(raw: &str) -> String {
    if raw.matches('`').count() % 2 == 1 {
        return text(raw);
    }
    let parts = raw.split('`').enumerate().map(|(number, part)| {
        let blank = |is_there: bool| if is_there { " " } else { "" };
        let before = blank(part.starts_with(char::is_whitespace));
        let after = blank(part.ends_with(char::is_whitespace) && !part.trim().is_empty());
        if number % 2 == 1 { format!("{{{{{}}}}}", text(part)) } else { format!("{before}{}{after}", text(part)) }
    });
    parts.collect::<String>().trim().to_owned()
}

/// Returns a line for the inside of `{noformat}`: it can't leave the block, and nothing in it is markup.
pub(super) fn unformatted(raw: &str) -> String {
    one_line(raw).replace('{', "{\u{200b}")
}

/// Returns an address as a link that shows it, or as text if it can't be a link.
pub(super) fn link(url: &str) -> String {
    let is_web = url.starts_with("https://") || url.starts_with("http://");
    if !is_web || one_line(url) != url || url.contains(char::is_whitespace) {
        return text(url);
    }
    // In an address, these mean the same when they are percent-encoded; in a link they would be markup.
    let mut address = String::with_capacity(url.len());
    for character in url.chars() {
        match character {
            '[' => address.push_str("%5B"),
            ']' => address.push_str("%5D"),
            '{' => address.push_str("%7B"),
            '}' => address.push_str("%7D"),
            '|' => address.push_str("%7C"),
            '\\' => address.push_str("%5C"),
            '^' => address.push_str("%5E"),
            '!' => address.push_str("%21"),
            '*' => address.push_str("%2A"),
            other => address.push(other),
        }
    }
    format!("[{address}]")
}

fn is_block_start(text: &str) -> bool {
    let bytes = text.as_bytes();
    matches!(bytes, [b'h', b'1'..=b'6', b'.', ..] | [b'b', b'q', b'.', ..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_of_a_page_is_no_markup() {
        assert_eq!(text("{code} [~admin] !x.png! *b*"), "\\{code\\} \\[\\~admin\\] \\!x.png! \\*b\\*");
        assert_eq!(text("a\\\\b"), "a&#92;&#92;b");
        assert_eq!(text("h1. x"), "h1&#46; x");
        assert_eq!(text("# a\n* b"), "\\# a \\* b");
        assert_eq!(text("-del- +ins+ ??cite?? (/) |a|"), "\\-del\\- \\+ins\\+ \\?\\?cite\\?\\? \\(/) \\|a\\|");
        assert_eq!(text("A drag-and-drop area (one). Is it? Yes!"), "A drag-and-drop area (one). Is it? Yes!");
    }

    #[test]
    fn code_of_the_catalogue_stays_code() {
        assert_eq!(prose("Add `alt=\"\"` to it."), "Add {{alt=\"\"}} to it.");
        assert_eq!(prose("a ` b"), "a ` b");
    }

    #[test]
    fn a_selector_does_not_leave_its_block() {
        let line = unformatted("a{noformat}\n{NoFormat}*b*");
        assert!(!line.to_lowercase().contains("{noformat") && !line.contains('\n'), "{line}");
    }

    #[test]
    fn an_address_does_not_leave_its_link() {
        assert_eq!(link("https://a.example/?a[]=1|x"), "[https://a.example/?a%5B%5D=1%7Cx]");
        assert_eq!(link("javascript:x"), "javascript:x");
    }
}
