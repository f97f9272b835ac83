//! Spaces at which a line must not break.
//!
//! The files of the catalogue contain only ordinary spaces, which can be seen in an editor. When the files are read, spaces
//! at which the typography of the language forbids a line break become no-break spaces (U+00A0). The PDF and browsers keep
//! them; Markdown and the texts of Jira fold them into ordinary ones. Nothing else in a text changes.
//!
//! | rule | example | languages |
//! |---|---|---|
//! | a number stays with its unit | `24 px`, `200 %`, `3 Sekunden` | all (DIN 5008, ČSN 01 6910) |
//! | a placeholder stays with an abbreviated unit | `{limit} MB` | all |
//! | both numbers stay with the multiplication sign between them | `24 × 24` | all |
//! | a dash stays with the word before it, so that no line begins with a dash | `text — text` | all |
//! | a one-letter preposition or conjunction stays with the word after it | `w tekście`, `k obsahu`, `в тексте`, `й текст` | pl, cs (ČSN 01 6910), uk, ru |
//!
//! `Code` in backticks stays as it is, and so do names with a number, such as EN 301 549 or WCAG 2.2: people and programs
//! search files for them as they are typed.

use crate::locale::Locale;

/// The no-break space.
const NO_BREAK: char = '\u{A0}';

/// Returns `text` with no-break spaces in place of the ordinary ones at which a line must not break.
pub(super) fn with_no_breaks(locale: Locale, text: &str) -> String {
    let mut is_code = false;
    text.char_indices()
        .map(|(at, character)| {
            is_code ^= character == '`';
            let may_not_break = character == ' ' && !is_code && holds(locale, &text[..at], &text[at + 1..]);
            if may_not_break { NO_BREAK } else { character }
        })
        .collect()
}

/// Returns whether the space between the two parts of a text must not break.
fn holds(locale: Locale, before: &str, after: &str) -> bool {
    let left = before.rsplit(is_left_edge).next().unwrap_or_default();
    let right = after.split(' ').next().unwrap_or_default();
    let is_number = left.starts_with(|first: char| first.is_ascii_digit()) && left.ends_with(is_digit);
    let is_placeholder = left.starts_with('{') && left.ends_with('}');
    let unit = right.trim_end_matches(is_right_edge);
    matches!(right, "—" | "–" | "×")
        || left == "×"
        || is_number && is_unit(locale, unit)
        || is_placeholder && is_abbreviated_unit(unit)
        || is_one_letter_word(locale, left)
}

fn is_digit(character: char) -> bool {
    character.is_ascii_digit()
}

/// Returns whether a character is white space, or opens a bracket or a quotation.
fn is_left_edge(character: char) -> bool {
    character.is_whitespace() || matches!(character, '(' | '[' | '„' | '“' | '«')
}

/// Returns whether a character ends a sentence, a part of a sentence, a bracket or a quotation.
fn is_right_edge(character: char) -> bool {
    matches!(character, '.' | ',' | ';' | ':' | '!' | '?' | ')' | ']' | '“' | '”' | '»')
}

/// Returns whether a word is a unit that stays with the number before it: an abbreviation, or a word that the texts of the
/// catalogue use.
fn is_unit(locale: Locale, word: &str) -> bool {
    let words: &[&str] = match locale {
        Locale::En => &["pixels", "seconds", "hours"],
        Locale::De => &["Pixel", "Pixeln", "Sekunden", "Stunden", "Grad"],
        Locale::Pl => &["piksele", "pikseli", "sekundy", "sekund", "godzin", "godzinach"],
        Locale::Cs => &["pixelů", "sekundy", "sekund", "hodin", "hodinách"],
        Locale::Uk => &["пікселі", "пікселів", "секунди", "секунд", "годин"],
        Locale::Ru => &["пикселя", "пикселей", "CSS-пикселей", "секунды", "секунд", "часов"],
        // From 20 upwards, a number takes “de” before its noun.
        Locale::Ro => &["pixeli", "secunde", "ore", "de"],
    };
    is_abbreviated_unit(word) || words.contains(&word)
}

/// Returns whether a word, without the full stop that may end it, is the abbreviation of a unit.
fn is_abbreviated_unit(word: &str) -> bool {
    matches!(word, "%" | "px" | "em" | "s" | "сек" | "MB" | "МБ")
}

/// Returns whether a word is one of those that must not end a line in the language.
fn is_one_letter_word(locale: Locale, word: &str) -> bool {
    let letters = match locale {
        Locale::Pl => "aiouwz",
        Locale::Cs => "aikosuvz",
        Locale::Uk => "авзійоуя",
        Locale::Ru => "авикосуя",
        Locale::En | Locale::De | Locale::Ro => return false,
    };
    let mut characters = word.chars();
    let (Some(letter), None) = (characters.next(), characters.next()) else { return false };
    letter.to_lowercase().all(|letter| letters.contains(letter))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Shows no-break spaces as `~`.
    fn shown(locale: Locale, text: &str) -> String {
        with_no_breaks(locale, text).replace(NO_BREAK, "~")
    }

    #[test]
    fn a_number_and_its_unit_stay_on_one_line_in_every_language() {
        for (locale, text, expected) in [
            (Locale::En, "(24 px and larger)", "(24~px and larger)"),
            (Locale::En, "more than 20 hours.", "more than 20~hours."),
            (Locale::De, "bei 200 % Zoom, länger als 3 Sekunden", "bei 200~% Zoom, länger als 3~Sekunden"),
            (Locale::De, "0,12 em zwischen Buchstaben", "0,12~em zwischen Buchstaben"),
            (Locale::Pl, "od 18,66 px; 24 pikseli", "od 18,66~px; 24~pikseli"),
            (Locale::Cs, "na 200 %. (0 sekund)", "na 200~%. (0~sekund)"),
            (Locale::Uk, "з масштабом 200 %", "з~масштабом 200~%"),
            (Locale::Ru, "дольше 3 секунд", "дольше 3~секунд"),
            (Locale::Ru, "меньше 24 на 24 CSS-пикселей", "меньше 24 на 24~CSS-пикселей"),
            (Locale::Uk, "лише 0 сек. або", "лише 0~сек. або"),
            (Locale::Ro, "după 20 de ore, 3 secunde", "după 20~de ore, 3~secunde"),
        ] {
            assert_eq!(shown(locale, text), expected);
        }
    }

    #[test]
    fn a_placeholder_and_an_abbreviated_unit_stay_on_one_line() {
        for (locale, text, expected) in [
            (Locale::En, "larger than {limit} MB.", "larger than {limit}~MB."),
            (Locale::Uk, "Через {delay} сек. сторінка", "Через {delay}~сек. сторінка"),
            (Locale::De, "({size} px), {width} × {height} px", "({size}~px), {width}~×~{height}~px"),
        ] {
            assert_eq!(shown(locale, text), expected);
        }
    }

    #[test]
    fn a_placeholder_and_its_noun_may_be_on_two_lines() {
        assert_eq!(shown(Locale::Ro, "{n} de probleme"), "{n} de probleme");
        assert_eq!(shown(Locale::En, "{pages} of {checked}"), "{pages} of {checked}");
    }

    #[test]
    fn names_that_people_search_for_keep_the_spaces_that_they_type() {
        for text in
            ["EN 301 549 v3.2.1", "New in WCAG 2.2", "(status 301 or 302), clauses 4, 5 and 12", "WCAG {version}"]
        {
            assert_eq!(shown(Locale::En, text), text);
        }
    }

    #[test]
    fn no_line_begins_with_a_dash_or_with_a_multiplication_sign() {
        assert_eq!(shown(Locale::Uk, "термін — першим"), "термін~— першим");
        assert_eq!(shown(Locale::De, "oben – nicht unten"), "oben~– nicht unten");
        assert_eq!(shown(Locale::Cs, "24 × 24 pixelů"), "24~×~24~pixelů");
    }

    #[test]
    fn a_polish_line_does_not_end_with_a_one_letter_word() {
        assert_eq!(shown(Locale::Pl, "W tekście i w menu (z ikoną) „o nas”"), "W~tekście i~w~menu (z~ikoną) „o~nas”");
        assert_eq!(shown(Locale::Pl, "na stronie do menu"), "na stronie do menu");
    }

    #[test]
    fn a_czech_line_does_not_end_with_a_one_letter_word() {
        assert_eq!(shown(Locale::Cs, "K obsahu a s odkazem v nabídce"), "K~obsahu a~s~odkazem v~nabídce");
    }

    #[test]
    fn a_ukrainian_line_does_not_end_with_a_one_letter_word() {
        assert_eq!(shown(Locale::Uk, "У меню й на сторінці, а «в тексті»"), "У~меню й~на сторінці, а~«в~тексті»");
    }

    #[test]
    fn a_russian_line_does_not_end_with_a_one_letter_word() {
        assert_eq!(shown(Locale::Ru, "В меню и на странице, к тексту"), "В~меню и~на странице, к~тексту");
    }

    #[test]
    fn one_letter_words_of_other_languages_may_end_a_line() {
        assert_eq!(shown(Locale::En, "a link and I"), "a link and I");
        assert_eq!(shown(Locale::Ro, "a fost o pagină"), "a fost o pagină");
    }

    #[test]
    fn code_stays_as_it_is() {
        let text = "w `a i b` i `width: 24 px`";
        assert_eq!(shown(Locale::Pl, text), "w~`a i b` i~`width: 24 px`");
    }

    #[test]
    fn nothing_but_spaces_changes() {
        let text = "„A” 3 × 4 — `x y` 24 px i w";
        assert_eq!(with_no_breaks(Locale::Pl, text).replace(NO_BREAK, " "), text);
    }
}
