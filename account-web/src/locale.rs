//! The language of a page.

use a11ycheck_core::locale::Locale;

use crate::{cookies, places::Places, request::Request};

/// Returns the language that was chosen in the browser, or else the person's, or else the first of `Accept-Language` that the pages
/// have, or else English.
pub(crate) fn locale(request: &Request, places: &Places, person: Option<Locale>) -> Locale {
    let accepted = || request.header("accept-language").and_then(accepted);
    cookies::language(request, places).or(person).or_else(accepted).unwrap_or(Locale::En)
}

/// Returns the language that a browser prefers (RFC 9110, 12.5.4). Regions do not matter.
fn accepted(header: &str) -> Option<Locale> {
    let mut wanted: Vec<(Locale, f32)> = header
        .split(',')
        .filter_map(|item| {
            let mut parts = item.split(';').map(str::trim);
            let locale = parts.next()?.split('-').next()?.to_ascii_lowercase().parse().ok()?;
            let weight =
                parts.find_map(|part| part.strip_prefix("q=")).map_or(Some(1.0), |weight| weight.parse().ok())?;
            (weight > 0.0).then_some((locale, weight))
        })
        .collect();
    // The sort is stable: of languages with the same weight, the first one counts.
    wanted.sort_by(|(_, one), (_, other)| other.total_cmp(one));
    wanted.first().map(|(locale, _)| *locale)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_browser_is_answered_in_the_language_that_it_prefers() {
        for (header, locale) in [
            ("de-DE,de;q=0.9,en;q=0.8", Some(Locale::De)),
            ("fr, en;q=0.3, uk;q=0.7", Some(Locale::Uk)),
            ("pl;q=0, cs", Some(Locale::Cs)),
            ("fr", None),
            ("", None),
            ("en;q=x, ro", Some(Locale::Ro)),
        ] {
            assert_eq!(accepted(header), locale, "{header}");
        }
    }
}
