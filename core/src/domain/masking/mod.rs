//! Masking: personal data is replaced before anything about a page is stored.
//!
//! Values of fields, e-mail addresses, numbers of cards and accounts, and values that look like tokens are replaced
//! when findings are made, before keys and pictures are, and in findings of earlier releases when they are read. The
//! name of a field or a parameter stays, since a developer finds the element by it.
//!
//! Masking protects against data that is in markup by accident, and proves nothing: a name in a text is not recognised
//! as one.

mod markup;
mod numbers;
mod selector;

use std::{borrow::Cow, sync::LazyLock};

use regex::{Captures, Regex};

pub use markup::masked_html;
pub use selector::{masked_selector, reveals_people};

/// The text that replaces a masked value.
pub const MASK: &str = "***";

/// Returns the text without e-mail addresses, numbers of cards and accounts, signed tokens, and values of parameters
/// that are tokens by their name or look like tokens. Masking is idempotent.
pub fn masked_text(text: &str) -> Cow<'_, str> {
    masked_values(masked_parameters(text, |name, value| is_private(name) || looks_like_token(value)))
}

/// Returns whether the address of a script, style sheet, picture or font has personal data, in a page that was visited without a login:
/// what [`masked_text`] masks in it, with one difference. A value that tells versions of a file apart, or the site to a service, may
/// look like a token and is none (`site.css?v=47DEQpj8HBSa1TImW`, `maps.js?key=AIzaSyD0`): each visitor gets it, or it was drawn for this
/// visit.
pub fn file_address_reveals_people(address: &str) -> bool {
    let is_of_file = |name: &str| OF_FILES.iter().any(|known| known.eq_ignore_ascii_case(name));
    masked_values(masked_parameters(address, |name, _| is_private(name) && !is_of_file(name))) != address
}

/// Returns the text without those values that are recognised wherever they stand.
fn masked_values(text: Cow<'_, str>) -> Cow<'_, str> {
    let text = replaced(text, &SIGNED_TOKEN, |_| true);
    let text = replaced(text, &EMAIL, |found| !ends_like_a_file(found));
    let text = replaced(text, &CUT_EMAIL, |found| !names_a_density(found));
    let text = rewritten(text, &ACCOUNT, numbers::masked_accounts);
    rewritten(text, &CARD, numbers::masked_cards)
}

/// An e-mail address such as `jane@example.org`; its `@` may be percent-encoded.
static EMAIL: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?i)[a-z0-9][a-z0-9._+-]{0,63}(?:@|%40)(?:[a-z0-9-]{1,63}\.){1,8}[a-z]{2,24}"));
/// The beginning of an e-mail address: axe-core cuts the values of attributes to 20 characters and adds three dots.
static CUT_EMAIL: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"(?i)[a-z0-9][a-z0-9._+-]{0,63}(?:@|%40)(?:[a-z0-9-]{1,63}\.){0,8}[a-z0-9-]{0,63}\.\.\.")
});
/// A JSON Web Token (RFC 7519), which begins with `{"` in base64.
static SIGNED_TOKEN: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{4,}(?:\.[A-Za-z0-9_-]*)?"));
/// A run of letters and digits, with spaces or without, that begins as an IBAN (ISO 13616) and has the length of the shortest. Here and
/// below, letters beyond ASCII are no part of a word: a number may stand behind one without a space, and the search for words of Unicode is
/// far slower in texts with such letters.
static ACCOUNT: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?-u:\b)[A-Z]{2}[0-9]{2}(?:[ \u{a0}]?[A-Z0-9]){11,}(?-u:\b)"));
/// A run of at least thirteen digits, in groups or without separators.
static CARD: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?-u:\b)[0-9](?:[ \u{a0}-]?[0-9]){12,}(?-u:\b)"));
/// A parameter of an address, in its query or its fragment.
static PARAMETER: LazyLock<Regex> =
    LazyLock::new(|| pattern(r#"([?&#;])([A-Za-z][A-Za-z0-9_.\[\]-]{0,63})=([^&#;"'\\<>\s]+)"#));
/// A fragment that is probably not the name of an anchor, such as the token of a personal link.
static FRAGMENT: LazyLock<Regex> = LazyLock::new(|| pattern(r#"(/[^\s"'<>#]*#)([A-Za-z0-9_-]{20,})"#));

/// Compiles a pattern of this file.
#[expect(clippy::unwrap_used, reason = "the patterns are constants, and the tests use each of them")]
fn pattern(text: &str) -> Regex {
    Regex::new(text).unwrap()
}

/// The words that make the value of a parameter or an attribute private, whatever it looks like. They are compared in
/// lower case with each word of a name. Words are separated by anything but ASCII letters, and, a second time, by capital
/// letters as in `resetToken`.
const PRIVATE_NAMES: [&str; 33] = [
    "access",
    "apikey",
    "auth",
    "authorization",
    "csrf",
    "csrfmiddlewaretoken",
    "csrftoken",
    "email",
    "hash",
    "hmac",
    "iban",
    "jsessionid",
    "jwt",
    "key",
    "login",
    "mail",
    "nonce",
    "otp",
    "passwd",
    "password",
    "phone",
    "phpsessid",
    "pin",
    "secret",
    "session",
    "sessionid",
    "sid",
    "sig",
    "signature",
    "ticket",
    "token",
    "user",
    "xsrf",
];

/// The names of parameters that are private in the address of a page, and say nothing about people in that of a file: keys that a service
/// gives to a site, checksums, and signatures of addresses.
const OF_FILES: [&str; 8] = ["api-key", "api_key", "apikey", "hash", "hmac", "key", "sig", "signature"];

/// Returns whether a value of this name is masked, whatever it looks like.
fn is_private(name: &str) -> bool {
    let is_private = |word: &str| PRIVATE_NAMES.iter().any(|private| private.eq_ignore_ascii_case(word));
    name.split(|character: char| !character.is_ascii_alphabetic())
        .any(|part| is_private(part) || camel_case_words(part).any(is_private))
}

/// Returns the words of `resetToken`, `APIKey` or `userID`: a word begins with a capital letter that follows a small one,
/// or that a small one follows.
fn camel_case_words(part: &str) -> impl Iterator<Item = &str> {
    let letters = part.as_bytes();
    let begins_word = move |at: usize| {
        at > 0
            && letters[at].is_ascii_uppercase()
            && (letters[at - 1].is_ascii_lowercase() || letters.get(at + 1).is_some_and(u8::is_ascii_lowercase))
    };
    let ends = (0..letters.len()).filter(move |at| begins_word(*at)).chain([letters.len()]);
    ends.scan(0, move |start, end| Some(&part[std::mem::replace(start, end)..end]))
}

/// Returns whether a value looks like a token: at least 16 characters, of which some run of 12 or more mixes letters
/// and digits. Names of articles and files have hyphens between short words, and numbers have no letters.
fn looks_like_token(value: &str) -> bool {
    let is_of_token = |byte: u8| {
        byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'~' | b'%' | b'+' | b'/' | b'=')
    };
    if value.len() < 16 || !value.bytes().all(is_of_token) {
        return false;
    }
    value.split(['-', '.', '/', '+', '~', '=', '%']).any(|word| {
        let digits = word.bytes().filter(u8::is_ascii_digit).count();
        let has_both_cases =
            word.bytes().any(|byte| byte.is_ascii_lowercase()) && word.bytes().any(|byte| byte.is_ascii_uppercase());
        word.len() >= 12 && digits < word.len() && (digits >= 3 || (digits >= 1 && has_both_cases))
    })
}

/// Masks the values of the parameters that `is_masked` names, and fragments that look like tokens.
fn masked_parameters(text: &str, is_masked: impl Fn(&str, &str) -> bool) -> Cow<'_, str> {
    let parameters = PARAMETER.replace_all(text, |found: &Captures<'_>| {
        let value = if is_masked(&found[2], &found[3]) { MASK } else { &found[3] };
        format!("{}{}={value}", &found[1], &found[2])
    });
    let fragment = |text: &str| {
        let masked = FRAGMENT.replace_all(text, |found: &Captures<'_>| {
            let fragment = if looks_like_token(&found[2]) { MASK } else { &found[2] };
            format!("{}{fragment}", &found[1])
        });
        (masked != text).then(|| masked.into_owned())
    };
    match fragment(&parameters) {
        Some(masked) => Cow::Owned(masked),
        None => parameters,
    }
}

/// Masks each match of the pattern that `is_one` confirms.
fn replaced<'a>(text: Cow<'a, str>, pattern: &Regex, is_one: impl Fn(&str) -> bool) -> Cow<'a, str> {
    rewritten(text, pattern, |found| Cow::Borrowed(if is_one(found) { MASK } else { found }))
}

/// Puts what `rewrite` makes of it in the place of each match of the pattern.
fn rewritten<'a>(text: Cow<'a, str>, pattern: &Regex, rewrite: impl Fn(&str) -> Cow<'_, str>) -> Cow<'a, str> {
    let masked = pattern.replace_all(&text, |found: &Captures<'_>| rewrite(&found[0]).into_owned());
    match masked {
        Cow::Owned(masked) if *masked != *text => Cow::Owned(masked),
        Cow::Owned(_) | Cow::Borrowed(_) => text,
    }
}

/// Returns whether the beginning of an address is that of a picture for dense screens: `logo@2x...`.
fn names_a_density(address: &str) -> bool {
    let after = address.rsplit_once('@').map_or("", |(_, after)| after);
    let digits = after.trim_start_matches(|character: char| character.is_ascii_digit());
    digits.len() < after.len() && digits.starts_with(['x', 'X', '.'])
}

/// Returns whether an address is the name of a file, such as `logo@2x.png`, a picture for dense screens.
fn ends_like_a_file(address: &str) -> bool {
    let extension = address.rsplit_once('.').map_or("", |(_, extension)| extension).to_ascii_lowercase();
    matches!(
        extension.as_str(),
        "avif"
            | "css"
            | "gif"
            | "htm"
            | "html"
            | "ico"
            | "jpeg"
            | "jpg"
            | "js"
            | "json"
            | "mjs"
            | "mp"
            | "pdf"
            | "png"
            | "svg"
            | "webp"
            | "woff"
    )
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn addresses_and_numbers_of_people_go() {
        for (text, masked) in [
            ("Write to jane.doe+x@mail.example.org!", "Write to ***!"),
            ("/unsubscribe/jane%40example.org/now", "/unsubscribe/***/now"),
            ("<a href=\"mailto:jane.doe@exam...\">", "<a href=\"mailto:***\">"),
            ("mailto:jane.a.doe@...", "mailto:***"),
            ("IBAN DE89 3704 0044 0532 0130 00.", "IBAN ***."),
            ("GB82WEST12345698765432", "***"),
            ("4111 1111 1111 1111", "***"),
            ("Card 5555-5555-5555-4444, thanks", "Card ***, thanks"),
            ("卡号4111111111111111。СчётGB82WEST12345698765432", "卡号***。Счёт***"),
            ("Room 12 4111 1111 1111 1111", "Room 12 ***"),
            ("é123 4111111111111111", "é123 ***"),
            ("2026-11-22 3782-822463-10005 3056 9309 0259 04", "2026-11-22 *** ***"),
            ("4111 1111 1111 1111 5555-5555-5555-4444 01/30", "*** *** 01/30"),
            ("5105 1051 0510 5100 1234 5678 9012", "*** 1234 5678 9012"),
            ("BE68 5390 0754 7034 EUR", "*** EUR"),
            ("AB12 AT61 1904 3002 3457 3201 BIC", "AB12 *** BIC"),
            ("Bearer eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl", "Bearer ***"),
        ] {
            assert_eq!(masked_text(text), masked);
        }
    }

    #[test]
    fn parameters_that_are_tokens_go_and_their_names_stay() {
        for (text, masked) in [
            ("/reset?token=abc&lang=de", "/reset?token=***&lang=de"),
            ("/a?resetToken=abc&APIKey=def&userID=7", "/a?resetToken=***&APIKey=***&userID=***"),
            ("/a?token2=abc&x=1;jsessionid=5", "/a?token2=***&x=1;jsessionid=***"),
            ("/a?keyboard=de&assignment=3&Monkey=4", "/a?keyboard=de&assignment=3&Monkey=4"),
            ("/a?lang=de&amp;session_id=1&amp;page=2", "/a?lang=de&amp;session_id=***&amp;page=2"),
            ("/a?t=9f86d081884c7d659a2feaa0c55ad015", "/a?t=***"),
            ("https://a.example/#access_token=x1&expires=3600", "https://a.example/#access_token=***&expires=3600"),
            ("https://a.example/view#9f86d081884c7d659a2feaa0c55ad015", "https://a.example/view#***"),
        ] {
            assert_eq!(masked_text(text), masked);
        }
    }

    #[test]
    fn versions_and_keys_in_addresses_of_files_are_not_personal_and_all_else_that_is_masked_is() {
        for (address, is_personal) in [
            ("/site.css?v=47DEQpj8HBSa1TImW5JCeuQeRkm5NMpJWZG3hSuFU", false),
            ("https://maps.example/api/js?callback=map&key=AIzaSyD0a1b2c3d4e5f6", false),
            ("https://cdn.example/a.jpg?w=800&sig=9f86d081884c7d659a2feaa0c55ad015&HASH=1", false),
            ("/a.jpg?token=abc", true),
            ("/a.jpg?resetKey=abc", true),
            ("/a.jpg?key=jane.doe@example.org", true),
            ("/a.jpg?key=4111111111111111", true),
            ("/a.js?v=eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl", true),
            ("https://a.example/a.svg#9f86d081884c7d659a2feaa0c55ad015", true),
        ] {
            assert_eq!(file_address_reveals_people(address), is_personal, "{address}");
            assert_ne!(masked_text(address), address, "no text keeps it");
        }
        assert!(!file_address_reveals_people("/logo@2x.png?v=3"));
    }

    #[test]
    fn what_belongs_to_the_page_stays() {
        for text in [
            "logo@2x.png",
            "src=\"/img/icon-wide@2x...\"",
            "src=\"/img/icon-wide@1.5...\"",
            "@media (min-width: 40em)",
            "/articles?page=12&sort=price-descending",
            "/news/2026/11/accessibility-of-online-shops-in-europe",
            "/docs#installation-on-debian-and-ubuntu-12",
            "Order 1763791234567 of 2026-11-22",
            "EN 301 549 v3.2.1, WCAG 2.1 AA",
            "4006381333931",
            // A card's digits with its check digit, in groups that no card is written in.
            "7 41 1111 111 111 1111 of 2",
            "EN30 1549 AND MORE CODES 2026",
            "fill=#73879c&x=1",
        ] {
            assert_eq!(masked_text(text), text);
        }
    }

    proptest! {
        #[test]
        fn masking_twice_is_masking_once(text in r#"[a-z@.%40?&#=/ 0-9A-Z"<>'-]{0,80}"#) {
            let once = masked_text(&text).into_owned();
            prop_assert_eq!(masked_text(&once).into_owned(), once);
        }

        #[test]
        fn a_card_goes_whatever_numbers_stand_around_it(
            before in "([0-9]{1,3}[ -]){0,3}",
            card in prop::sample::select(vec!["4111 1111 1111 1111", "5555555555554444", "3782-822463-10005", "30569309025904"]),
            after in "([ -][0-9]{1,3}){0,3}",
        ) {
            let masked = masked_text(&format!("{before}{card}{after}")).into_owned();
            prop_assert!(masked.contains(MASK) && !masked.contains(card), "{masked}");
        }

        #[test]
        fn numbers_masked_twice_are_masked_once(text in "([0-9]{1,5}|4111 1111 1111 1111|5555555555554444|DE89|AT61 1904 3002 3457 3201|[ -]){0,24}") {
            let once = masked_text(&text).into_owned();
            prop_assert_eq!(masked_text(&once).into_owned(), once);
        }
    }
}
