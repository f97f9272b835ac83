//! Headers of answers: what the published document says of each, and the values of those that come with files.

use std::fmt::Write as _;

use a11ycheck_core::{catalog::terms, id::ScanId, locale::Locale};
use schemars::JsonSchema;

use crate::samples;

/// The headers of answers, beside those of HTTP itself, by their names. No answer has all of them.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "a frontend writes each header where its value is known")]
pub(crate) struct Headers {
    /// The methods of the path.
    #[schemars(rename = "Allow", example = &"GET, HEAD")]
    allow: String,
    /// `attachment` with the name of the file. The name of a CSV file ends with `-automated-check-no-audit.csv`.
    #[schemars(rename = "Content-Disposition", regex(pattern = "^attachment; filename="))]
    #[schemars(example = content_disposition("lund-daughters-2027-06-01-en-accessibility-issues.json"))]
    content_disposition: String,
    /// The number of bytes of the file, also on HEAD.
    #[schemars(rename = "Content-Length", example = 48_211)]
    content_length: u64,
    /// The number of seconds to wait.
    #[schemars(rename = "Retry-After", range(min = 1), example = 42)]
    retry_after: u64,
    /// The statement that the file comes from an automated check, in English and in ASCII whatever the language of the file. Formats
    /// with a place for it say so in the file's language, too; a CSV file has a row per element and nothing else, and carries the
    /// sentence here and in its name.
    #[schemars(rename = "Svc-Disclaimer", example = disclaimer())]
    disclaimer: String,
    /// The id of the check that the file is made of.
    #[schemars(rename = "Svc-Scan", example = samples::SCAN)]
    scan: ScanId,
    /// The scheme of tokens.
    #[schemars(rename = "WWW-Authenticate", extend("const" = "Bearer"), example = &"Bearer")]
    scheme: String,
    /// The number of requests that the counter admits within a minute. Requests for files (PDF, exports, ACR) count in two counters,
    /// and show the one with less left.
    #[schemars(rename = "X-RateLimit-Limit", example = 60)]
    rate_limit: u32,
    /// The number of requests that the counter has left after this one.
    #[schemars(rename = "X-RateLimit-Remaining", example = 59)]
    rate_remaining: u32,
    /// The instant at which the counter starts again, in Unix seconds.
    #[schemars(rename = "X-RateLimit-Reset", example = 1_811_851_260)]
    rate_reset: u64,
    /// The id of the request in the service's logs: the one that the request carried in the header of the same name, else a new one.
    #[schemars(rename = "X-Request-Id", skip_serializing_if = "String::is_empty")]
    #[schemars(example = &"req_5f0c1d9a7be24c3f8a6d2e1b0c9f8a7d")]
    request_id: String,
}

/// Returns the value of the header `Svc-Disclaimer`, which comes with every file. It is the English sentence in every language:
/// a header carries ASCII, and there is no encoding of other letters that all clients read.
pub fn disclaimer() -> &'static str {
    &terms(Locale::En).disclaimer
}

/// Returns the value of `Content-Disposition` that offers a file under this name, whatever the name is: RFC 6266. A browser that
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

/// Returns the name without paths, control characters and marks that turn the direction of writing (`exe.gpj`), not hidden, and bounded.
fn harmless(name: &str) -> String {
    const MAX: usize = 200;
    let line = name.split_whitespace().collect::<Vec<_>>().join(" ");
    let character = |character: char| match character {
        '/' | '\\' | ':' | '*' | '?' | '"' | '<' | '>' | '|' => '_',
        // Unicode's explicit directional formatting (UAX #9, section 2).
        '\u{200e}' | '\u{200f}' | '\u{061c}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
            char::REPLACEMENT_CHARACTER
        }
        other if other.is_control() => char::REPLACEMENT_CHARACTER,
        other => other,
    };
    let name: String = line.trim_start_matches('.').chars().map(character).collect();
    // The end of a name says what the file is.
    let surplus = name.chars().count().saturating_sub(MAX);
    let name: String = name.chars().skip(surplus).collect();
    if name.is_empty() { "export".to_owned() } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_disclaimer_fits_a_header() {
        let value = disclaimer();
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
