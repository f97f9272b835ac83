//! The language of a text against the one that its page says it is in.

use serde::{Deserialize, Serialize};
use whatlang::{Detector, Info, Lang};

/// Letters below which nothing is said about a text: a name or a heading may be of any language.
const FEWEST_LETTERS: usize = 40;
/// Letters from which a detected language is certain.
const CERTAIN_LETTERS: usize = 150;
const CERTAIN: f64 = 0.98;

/// Languages whose texts are alike, so that one is never held against another: by their codes in ISO 639-1.
const ALIKE: [&[&str]; 8] = [
    &["da", "nb", "nn", "no", "sv"],
    &["cs", "sk", "sl"],
    &["bs", "hr", "sr", "sh", "mk", "bg", "sl"],
    &["be", "bg", "mk", "ru", "sr", "uk"],
    &["ca", "es", "gl", "pt", "oc", "an", "ast", "it"],
    &["id", "ms", "jv", "su"],
    &["af", "nl", "fy", "nds", "li"],
    &["hi", "mr", "ne", "sa"],
];

/// A text of a page that says of which language it is.
#[derive(Debug, Deserialize)]
pub(super) struct Claimed {
    /// The language tag, in lower case.
    lang: String,
    /// The text, without the parts that name another language.
    text: String,
}

/// What is said about a text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct Verdict {
    /// `passed`, `failed`, or `undecided` if a person must read it.
    outcome: &'static str,
    /// The language that was found, as a code.
    found: Option<&'static str>,
}

impl Verdict {
    /// Returns whether the text may be in another language than the page says.
    pub(super) fn accuses(&self) -> bool {
        self.outcome != "passed"
    }
}

/// Returns what is to be said about a text; `None` if it is too short, or the language is not among those that can be
/// detected.
pub(super) fn judge(claimed: &Claimed) -> Option<Verdict> {
    let primary = claimed.lang.split(['-', '_']).next().unwrap_or_default();
    let letters = claimed.text.chars().filter(|character| character.is_alphabetic()).count();
    let said = known(primary)?;
    if letters < FEWEST_LETTERS {
        return None;
    }
    let info: Info = Detector::new().detect(&claimed.text)?;
    let found = code(info.lang())?;
    let is_alike = |group: &&[&str]| group.contains(&found) && group.contains(&primary);
    let verdict = |outcome| Some(Verdict { outcome, found: Some(found) });
    if info.lang() == said || ALIKE.iter().any(is_alike) {
        return verdict("passed");
    }
    if !info.is_reliable() {
        return None;
    }
    let is_certain = letters >= CERTAIN_LETTERS && info.confidence() >= CERTAIN;
    verdict(if is_certain { "failed" } else { "undecided" })
}

/// The languages that are told apart, by their codes in ISO 639-1.
const LANGUAGES: [(&str, Lang); 33] = [
    ("ar", Lang::Ara),
    ("be", Lang::Bel),
    ("bg", Lang::Bul),
    ("ca", Lang::Cat),
    ("cs", Lang::Ces),
    ("da", Lang::Dan),
    ("de", Lang::Deu),
    ("el", Lang::Ell),
    ("en", Lang::Eng),
    ("es", Lang::Spa),
    ("et", Lang::Est),
    ("fi", Lang::Fin),
    ("fr", Lang::Fra),
    ("he", Lang::Heb),
    ("hi", Lang::Hin),
    ("hr", Lang::Hrv),
    ("hu", Lang::Hun),
    ("it", Lang::Ita),
    ("ja", Lang::Jpn),
    ("ko", Lang::Kor),
    ("lt", Lang::Lit),
    ("lv", Lang::Lav),
    ("nb", Lang::Nob),
    ("nl", Lang::Nld),
    ("pl", Lang::Pol),
    ("pt", Lang::Por),
    ("ro", Lang::Ron),
    ("ru", Lang::Rus),
    ("sk", Lang::Slk),
    ("sl", Lang::Slv),
    ("sv", Lang::Swe),
    ("tr", Lang::Tur),
    ("uk", Lang::Ukr),
];

fn known(code: &str) -> Option<Lang> {
    let code = if matches!(code, "no" | "nn") { "nb" } else { code };
    LANGUAGES.iter().find(|(known, _)| *known == code).map(|(_, lang)| *lang)
}

fn code(lang: Lang) -> Option<&'static str> {
    LANGUAGES.iter().find(|(_, known)| *known == lang).map(|(code, _)| *code)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(lang: &str, text: &str) -> Option<(&'static str, Option<&'static str>)> {
        judge(&Claimed { lang: lang.to_owned(), text: text.to_owned() }).map(|verdict| (verdict.outcome, verdict.found))
    }

    const ENGLISH: &str = "Our shop has been selling bicycles in the old town for more than thirty years. We repair what can be \
        repaired, we lend what you need for a weekend, and we are happy to show you how to look after your own bicycle.";
    const POLISH: &str = "Nasz sklep sprzedaje rowery na starym mieście od ponad trzydziestu lat. Naprawiamy wszystko, co da się \
        naprawić, wypożyczamy to, czego potrzebujesz na weekend, i chętnie pokażemy, jak dbać o własny rower.";

    #[test]
    fn a_long_text_in_another_language_is_certain() {
        assert_eq!(judged("pl", ENGLISH), Some(("failed", Some("en"))));
        assert_eq!(judged("en-GB", POLISH), Some(("failed", Some("pl"))));
        assert_eq!(judged("en-gb", ENGLISH), Some(("passed", Some("en"))));
        assert_eq!(judged("pl", POLISH), Some(("passed", Some("pl"))));
    }

    #[test]
    fn a_short_text_and_a_language_that_cannot_be_told_apart_are_never_a_fault() {
        assert_eq!(judged("pl", "Search results"), None);
        assert_eq!(judged("gd", ENGLISH), None);
        assert_ne!(
            judged("sk", "Náš obchod prodává jízdní kola na starém městě již více než třicet let a opravuje je."),
            Some(("failed", Some("cs")))
        );
        assert_eq!(judged("en", "12345 — 67890 ".repeat(100).as_str()), None);
    }
}
