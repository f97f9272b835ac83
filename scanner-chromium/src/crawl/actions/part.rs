//! The parts of an address, and the words that they consist of.

use percent_encoding::percent_decode_str;
use url::Url;

use super::words as of;

/// The number of characters of a part of an address that are read.
const MAX_PART: usize = 200;
/// The number of parts of a path, and of parameters, that are read.
const MAX_PARTS: usize = 30;

/// A folder, a file, or the name or value of a parameter.
#[derive(Debug)]
pub(super) struct Part {
    pub(super) text: String,
    pub(super) words: Vec<String>,
    joined: String,
}

impl Part {
    pub(super) fn of(text: &str) -> Self {
        let text: String = percent_decode_str(text).decode_utf8_lossy().chars().take(MAX_PART).collect();
        let words = words(without_ending(&text));
        Self { joined: words.concat(), text, words }
    }

    pub(super) fn is_one_of(&self, known: &[&str]) -> bool {
        of::has(known, &self.joined)
    }

    /// Returns whether it consists of one of these actions, and at most of words for its object.
    pub(super) fn is_action_of(&self, verbs: &[&str]) -> bool {
        if self.is_one_of(verbs) {
            return true;
        }
        let words = || self.words.iter().map(String::as_str);
        let is_action = |rest: &mut dyn Iterator<Item = &str>| of::has(verbs, &rest.collect::<String>());
        // `confirm` is both.
        is_action(&mut words().filter(|word| !of::has(of::OBJECTS, word)))
            || is_action(&mut words().filter(|word| of::has(verbs, word) || !of::has(of::OBJECTS, word)))
    }

    /// Returns whether it changes a cart if it is below one: `add`, `addProduct`. `/compare/buy-or-rent` is a page.
    pub(super) fn is_change(&self) -> bool {
        self.words.split_first().is_some_and(|(first, rest)| {
            of::has(of::CHANGES, first) && rest.iter().all(|word| of::has(of::OBJECTS, word))
        })
    }

    /// Returns whether it is a link of Shopify that fills the cart: `/cart/36542:1,36543:2`.
    pub(super) fn is_content_of_cart(&self) -> bool {
        let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        self.text
            .split(',')
            .all(|item| item.split_once(':').is_some_and(|(id, count)| is_number(id) && is_number(count)))
    }

    pub(super) fn is_year(&self) -> bool {
        self.text.len() == 4
            && (self.text.starts_with("19") || self.text.starts_with("20"))
            && self.text.parse::<u16>().is_ok()
    }
}

pub(super) fn parts(path: &str) -> Vec<Part> {
    path.split('/').filter(|part| !part.is_empty()).take(MAX_PARTS).map(Part::of).collect()
}

pub(super) fn pairs(url: &Url) -> Vec<(Part, String)> {
    let bounded = |text: &str| text.chars().take(MAX_PART).collect::<String>();
    url.query_pairs().take(MAX_PARTS).map(|(name, value)| (Part::of(&name), bounded(&value))).collect()
}

/// Returns the name without an ending of programs or pages: `logout.php`, `delete.html`.
fn without_ending(name: &str) -> &str {
    const ENDINGS: [&str; 12] =
        ["action", "asp", "aspx", "cfm", "cgi", "do", "htm", "html", "jsp", "php", "shtml", "xhtml"];
    let known = |ending: &str| ENDINGS.iter().any(|known| ending.eq_ignore_ascii_case(known));
    name.rsplit_once('.').filter(|(stem, ending)| !stem.is_empty() && known(ending)).map_or(name, |(stem, _)| stem)
}

/// Returns the words of a name, in lower case and without accents: `logOut`, `log-out` and `Log_Out` have the same two.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut was_small = false;
    for character in name.chars() {
        if !character.is_alphanumeric() {
            words.push(String::new());
        } else {
            if was_small && character.is_uppercase() {
                words.push(String::new());
            }
            if let Some(word) = words.last_mut() {
                character.to_lowercase().for_each(|character| fold(character, word));
            }
        }
        was_small = character.is_lowercase();
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Adds a letter without its accent.
fn fold(character: char, word: &mut String) {
    word.push(match character {
        'á' | 'ä' | 'ă' | 'â' | 'à' | 'ą' => 'a',
        'č' | 'ć' => 'c',
        'ď' => 'd',
        'é' | 'ě' | 'ę' | 'è' => 'e',
        'í' | 'î' => 'i',
        'ł' => 'l',
        'ň' | 'ń' => 'n',
        'ó' | 'ö' | 'ô' => 'o',
        'ř' => 'r',
        'š' | 'ś' | 'ș' | 'ş' => 's',
        'ť' | 'ț' | 'ţ' => 't',
        'ú' | 'ů' | 'ü' => 'u',
        'ý' => 'y',
        'ž' | 'ź' | 'ż' => 'z',
        'ß' => return word.push_str("ss"),
        other => other,
    });
}
