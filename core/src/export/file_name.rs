//! Names of files, and the header that carries them.

use std::fmt::Write as _;

use chrono::{DateTime, Utc};

use crate::{catalog::terms, locale::Locale};

/// `{domain}-{date}-{suffix}`, for example `example.com-2027-06-01-a11ycheck.json`: lower-case ASCII without a character
/// that a file system refuses. `suffix` is ours, not a user's.
pub fn file_name(domain: &str, checked_at: DateTime<Utc>, suffix: &str) -> String {
    let is_plain = |character: char| character.is_ascii_alphanumeric() || matches!(character, '.' | '-');
    // What an IPv6 address has besides: brackets around it, colons within.
    let domain: String = domain
        .trim_matches(|character| !is_plain(character))
        .chars()
        .map(|character| if is_plain(character) { character } else { '-' })
        .collect();
    // A leading dot hides a file, a leading hyphen makes it an option.
    format!("{}-{}-{suffix}", domain.trim_start_matches(['.', '-']), checked_at.format("%Y-%m-%d"))
}

/// The value of the header `Svc-Disclaimer`, which comes with every file. It is the English sentence in every language:
/// a header carries ASCII, and there is no encoding of other letters that all clients read.
pub fn disclaimer_header() -> &'static str {
    &terms(Locale::En).disclaimer
}

/// The value of `Content-Disposition` that offers a file under this name, whatever the name is: RFC 6266. A browser that
/// can't read the name in full gets it in ASCII.
pub fn content_disposition(file_name: &str) -> String {
    let name = harmless(file_name);
    // Browsers decode what looks percent-encoded in the plain form, too, each in its own way.
    let is_plain = |character: char| matches!(character, ' '..='~') && !matches!(character, '"' | '\\' | '%');
    let plain: String = name.chars().map(|character| if is_plain(character) { character } else { '_' }).collect();
    let mut value = format!("attachment; filename=\"{plain}\"");
    if plain != name {
        value.push_str("; filename*=UTF-8''");
        for byte in name.bytes() {
            // RFC 8187, `attr-char`.
            if byte.is_ascii_alphanumeric() || b"!#$&+-.^_`|~".contains(&byte) {
                value.push(char::from(byte));
            } else {
                // Writing to a string does not fail.
                let _ = write!(value, "%{byte:02X}");
            }
        }
    }
    value
}

/// No path, no control character, nothing that turns the direction of writing (`exe.gpj`), not hidden, not endless.
fn harmless(name: &str) -> String {
    const MAX: usize = 200;
    let line = super::text::one_line(name);
    let name: String =
        line.trim_start_matches('.')
            .chars()
            .map(|character| {
                if matches!(character, '/' | '\\' | ':' | '*' | '?' | '"' | '<' | '>' | '|') { '_' } else { character }
            })
            .collect();
    // The end of a name says what the file is.
    let surplus = name.chars().count().saturating_sub(MAX);
    let name: String = name.chars().skip(surplus).collect();
    if name.is_empty() { "export".to_owned() } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_named_after_site_and_day() {
        let day = DateTime::<Utc>::from_timestamp(1_811_851_200, 0).unwrap();
        assert_eq!(file_name("example.com", day, "a11ycheck.json"), "example.com-2027-06-01-a11ycheck.json");
        assert_eq!(file_name("[2001:db8::1]", day, "a11ycheck.md"), "2001-db8--1-2027-06-01-a11ycheck.md");
        assert_eq!(file_name("-x.example", day, "a11ycheck.md"), "x.example-2027-06-01-a11ycheck.md");
    }

    #[test]
    fn the_disclaimer_fits_a_header() {
        let value = disclaimer_header();
        assert!(value.bytes().all(|byte| matches!(byte, b' '..=b'~')), "{value}");
        assert!(value.contains("automated check") && value.contains("not a full audit"), "{value}");
    }

    #[test]
    fn a_plain_name_stands_in_quotes() {
        assert_eq!(content_disposition("a.b-1.csv"), "attachment; filename=\"a.b-1.csv\"");
    }

    #[test]
    fn a_name_in_any_language_reaches_those_who_can_read_it() {
        assert_eq!(
            content_disposition("звіт 1.csv"),
            "attachment; filename=\"____ 1.csv\"; filename*=UTF-8''%D0%B7%D0%B2%D1%96%D1%82%201.csv"
        );
    }

    #[test]
    fn no_name_leaves_its_folder_or_its_header() {
        let hostile = "../../etc\r\nSet-Cookie: a=b\"; filename=\"x.exe\\..\u{202e}\0%22";
        let value = content_disposition(hostile);
        assert_eq!(value.matches('"').count(), 2, "{value}");
        assert!(value.is_ascii() && !value.contains(['\r', '\n', '/', '\\', '\0']), "{value}");
        assert!(value.starts_with("attachment; filename=\"_.._etc Set-Cookie_ a=b_; filename=_x.exe_"), "{value}");
        assert_eq!(content_disposition("..."), "attachment; filename=\"export\"");
        assert!(content_disposition(&"x".repeat(1_000_000)).len() < 300);
    }
}
