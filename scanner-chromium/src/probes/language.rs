//! The language of a text against the one that its page says it is in.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use whatlang::{Detector, Info, Lang};

/// Letters below which nothing is said about a text: a name or a heading may be of any language.
const FEWEST_LETTERS: usize = 40;
/// Letters below which the detector is not relied on where small words speak for the language that the page says.
const FEW_LETTERS: usize = 60;
/// Letters from which a detected language is certain.
const CERTAIN_LETTERS: usize = 150;
const CERTAIN: f64 = 0.98;
/// Different small words of a language from which a short text is certain to be in it, if it has none of the language that it says.
const CERTAIN_WORDS: usize = 4;
/// The number of words of such a text among which at least one must be a small word.
const CERTAIN_SHARE: usize = 3;
/// Different small words of the language that the page says from which a text may be in both, if they are one in so many of the other's.
const MIXED_WORDS: usize = 3;
const MIXED_SHARE: usize = 4;

/// Groups of languages whose texts are alike, by their codes (ISO 639): languages of a group are never distinguished.
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

/// The judgement of a text.
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
    let is_long = letters >= CERTAIN_LETTERS && info.is_reliable() && info.confidence() >= CERTAIN;
    let small = SmallWords::of(found, primary, &claimed.text);
    if (is_long && !small.as_ref().is_some_and(SmallWords::are_of_both))
        || small.as_ref().is_some_and(SmallWords::are_of_one)
    {
        return verdict("failed");
    }
    if letters < FEW_LETTERS && small.is_some_and(|small| small.are_of_the_claimed()) {
        return verdict("passed");
    }
    if info.is_reliable() { verdict("undecided") } else { None }
}

/// The small words of a text that only one of two languages has.
struct SmallWords {
    /// The number of all words of the text.
    words: usize,
    /// The number of small words of the language that was found, and of different ones among them.
    found: (usize, usize),
    /// The same for the language that the page says.
    claimed: (usize, usize),
}

impl SmallWords {
    /// Counts them; `None` if the small words of one of the languages are not known.
    fn of(found: &str, claimed: &str, text: &str) -> Option<Self> {
        let words = |code: &str| SMALL_WORDS.iter().find(|(known, _)| *known == code).map(|(_, words)| *words);
        let (found, claimed) = (words(found)?, words(claimed)?);
        let is_in = |list: &str, word: &str| list.split(' ').any(|known| known == word);
        let text = text.to_lowercase();
        let said = || text.split(|character: char| !character.is_alphabetic()).filter(|word| !word.is_empty());
        let only_in = |one: &str, other: &str| {
            let own: Vec<&str> = said().filter(|word| is_in(one, word) && !is_in(other, word)).collect();
            (own.len(), own.iter().collect::<BTreeSet<_>>().len())
        };
        Some(Self { words: said().count(), found: only_in(found, claimed), claimed: only_in(claimed, found) })
    }

    /// Returns whether a short text is certain to be in the language that was found.
    const fn are_of_one(&self) -> bool {
        let (found, different) = self.found;
        // A sentence among the names of a menu has them, too.
        different >= CERTAIN_WORDS && found * CERTAIN_SHARE >= self.words && self.claimed.0 == 0
    }

    /// Returns whether a text of which the detector is not certain has small words of the language that the page says, and none of the other's.
    const fn are_of_the_claimed(&self) -> bool {
        self.claimed.0 > 0 && self.found.0 == 0
    }

    /// Returns whether a good part of the text is in the language that the page says.
    const fn are_of_both(&self) -> bool {
        let (claimed, different) = self.claimed;
        different >= MIXED_WORDS && claimed * MIXED_SHARE >= self.found.0
    }
}

/// The small words of languages that hardly a sentence is without, and that are no words for things.
const SMALL_WORDS: [(&str, &str); 17] = [
    (
        "en",
        "the of and to is that it was for are with as they be at have this from or had by but not what all were we when your can there \
         an which their if will about then them these would into has than been who its did our you he she his her how no on in do only",
    ),
    (
        "de",
        "in der die das und ist nicht ein eine einen einem einer mit auf für von dem den des sich auch als wie bei oder aber wir sie ihr ihre \
         sind wird werden haben hat kann nach aus zum zur noch nur über durch wenn dass was ich es im am um vor",
    ),
    (
        "fr",
        "le la les des du de et est un une dans que qui pour pas sur avec ce cette ces il elle nous vous ils sont être au aux par plus mais \
         ou où son sa ses leur notre votre ne se je en été comme tout fait",
    ),
    (
        "es",
        "el la los las de del y es un una en que por para con no se su sus lo al como más pero este esta estos son fue ha han muy ya también \
         entre desde hasta cuando donde nos nuestro usted",
    ),
    (
        "it",
        "in il lo la i gli le di del della dei delle e è un una che per con non si nel nella sono come più ma anche questo questa dal alla al da \
         ha hanno suo sua loro noi voi essere tra quando dove",
    ),
    (
        "nl",
        "in de het een en van is dat niet op met voor zijn aan er om ook als maar bij hij zij ze wij je uw naar door wordt worden heeft hebben kan \
         nog geen deze dit die uit over meer dan wat te tot onze wel of",
    ),
    (
        "pt",
        "o a os as de do da dos das e é um uma em no na que não por para com se mais como mas ao seu sua são foi também pelo pela este esta \
         isso você nos muito já quando ou",
    ),
    (
        "pl",
        "i w na z do nie się jest to że o od po za jak ale przez co dla oraz są tak który która które tym tego jego ich czy może być ma już \
         tylko aby lub nas pod przy",
    ),
    (
        "cs",
        "a v na se je že z do to s o pro jako ale za po při jsou byl být od ve ze který která které nebo jeho jejich také už jen tak aby podle \
         co si není jsme vás může",
    ),
    (
        "ro",
        "și în de la cu nu este pe un o din care pentru că mai sau sunt ce fi au a al ale lui prin după dar se să ca acest această când dacă \
         fost noastre vă",
    ),
    (
        "ru",
        "и в не на что с по как это но к из у за от для так же или до если его их мы вы он она они был была были быть есть при только также \
         который которые чтобы все о об",
    ),
    (
        "uk",
        "і в не на що з до як це але за від для та про у або якщо його їх ми ви він вона вони був була були бути є при тільки також який \
         які щоб всі по із",
    ),
    (
        "sv",
        "och att det som en på är av för med den till inte om ett har de vi men var sig från så kan när eller jag ni hans hon han vid också \
         efter under mycket",
    ),
    (
        "da",
        "og at det som en på er af for med den til ikke om et har de vi men var sig fra så kan når eller jeg hans hun han ved også efter under \
         meget der",
    ),
    (
        "hu",
        "a az és nem hogy egy is ez meg de van volt csak mint vagy már ha azt még el ki be lesz kell minden között után által ezt",
    ),
    (
        "fi",
        "ja on ei että se oli hän mutta ovat kun myös niin kuin joka tai jos voi sen ole ollut mukaan sekä kanssa jälkeen nyt vain",
    ),
    (
        "tr",
        "ve bir bu da de için ile olarak çok daha olan gibi ne var kadar sonra ama ya en o mi her değil veya ki göre",
    ),
];

/// The languages that can be detected, by their codes (ISO 639-1).
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
    fn small_words_tell_of_a_short_text_too() {
        let dutch = "Hij ging gisteren met de kippen op stok en dat is niet voor het eerst";
        assert_eq!(judged("en", dutch), Some(("failed", Some("nl"))));
        assert_eq!(judged("nl", dutch), Some(("passed", Some("nl"))));
        let english = "It was the best of times for all who had been there with us, and we have said what it is about";
        assert_eq!(judged("fr", english), Some(("failed", Some("en"))));
        // One word of the language that it says is enough for a doubt.
        let both = "Der Laden: it was the best of times for all who had been there with us, and we have said it";
        assert_ne!(judged("de", both).map(|(outcome, _)| outcome), Some("failed"));
        // And where the text has none of the other language, it is no doubt about the page.
        assert_eq!(
            judged("en", "Cookie settings. Town museum. Do you accept cookies? Yes No").map(|(outcome, _)| outcome),
            Some("passed")
        );
        // Names and titles have none.
        assert_ne!(
            judged("de", "Pearl Jam, Foo Fighters, Red Hot Chili Peppers, Green Day, Blink").map(|(o, _)| o),
            Some("failed")
        );
    }

    #[test]
    fn a_text_of_two_languages_is_left_to_a_person() {
        let quoted = "The letter ends like this, and we have read it to all who were there. Wir danken Ihnen herzlich für Ihre Hilfe und \
            hoffen, dass wir Sie im nächsten Sommer wieder bei uns am See begrüßen dürfen, wenn das Wetter es zulässt.";
        assert_ne!(judged("en", quoted).map(|(outcome, _)| outcome), Some("failed"));
        // The words of a menu make no page one in their language.
        let menu = format!("Home About us What we do {}", format!("{POLISH} ").repeat(4));
        assert_eq!(judged("en", &menu), Some(("failed", Some("pl"))));
    }

    #[test]
    fn no_list_of_small_words_has_one_twice() {
        for (code, words) in SMALL_WORDS {
            let mut sorted: Vec<&str> = words.split(' ').collect();
            sorted.sort_unstable();
            let known = sorted.len();
            sorted.dedup();
            assert!(sorted.len() == known && sorted.iter().all(|word| !word.is_empty()), "{code}");
            assert!(super::known(code).is_some(), "{code}");
        }
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
