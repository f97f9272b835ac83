//! Addresses whose visit does something, or is meant for one person.
//!
//! A `GET` should be safe (RFC 9110 §9.2.1), but on real sites a link logs out, unsubscribes, deletes, confirms or fills a cart,
//! and one that was sent by mail serves once. Nobody asked a check to do that. Such links and entries of sitemaps are not
//! followed, and neither is a redirect that leads to what does something.
//!
//! An address is judged by its words alone. A folder or file that consists of an action, and at most of what it is done to, acts:
//! `/account/delete`, `/newsletter/unsubscribe-now`. With any other word it is about the action: `/how-to-delete-an-account`. So it is
//! in a folder of articles, where its name has several words: `/help/delete-account`. A visit that is missed for a wrong guess
//! costs one page of the report, the opposite may cost an order.

#[cfg(test)]
mod tests;
mod words;

use a11ycheck_core::domain::view_of;
use percent_encoding::percent_decode_str;
use url::Url;

use self::words as of;
use crate::page::Scope;

/// What links do that nobody asked for.
const DEEDS: [&[&str]; 4] = [of::LEAVE, of::UNSUBSCRIBE, of::DELETE, of::CONFIRM];
/// Characters of a part of an address that are looked at.
const MAX_PART: usize = 200;
/// Parts of a path, and parameters, that are looked at.
const MAX_PARTS: usize = 30;

/// Whether a link to the address is not to be followed: its visit does something, or is meant for one person, once.
pub(super) fn is_action(url: &Url) -> bool {
    does(url) || is_personal(url) || view(url).is_some_and(|view| is_personal(&view))
}

/// The view of a hash-routed application that an address names, as an address of its own.
fn view(url: &Url) -> Option<Url> {
    let view = view_of(url)?;
    url.join(view.trim_start_matches('!')).ok()
}

/// Whether a visit of the page, or of the view that the address names, does something.
fn does(url: &Url) -> bool {
    acts(url) || view(url).is_some_and(|view| acts(&view))
}

/// The addresses of a scope whose visit does nothing: what redirects may lead to from a page that nobody named.
///
/// Tokens are no reason here: a site that hands one out with a redirect has made it for this visit.
#[derive(Debug, Clone)]
pub(super) struct WithoutActions<S>(pub(super) S);

impl<S: Scope> Scope for WithoutActions<S> {
    fn contains(&self, url: &Url) -> bool {
        !does(url) && self.0.contains(url)
    }

    fn judges_every_document(&self) -> bool {
        self.0.judges_every_document()
    }
}

/// Whether a visit does something.
fn acts(url: &Url) -> bool {
    let path = parts(url.path());
    let pairs = pairs(url);
    let routes = pairs.iter().filter(|(name, _)| name.is_one_of(of::ROUTE_PARAMETERS)).map(|(_, value)| parts(value));
    let mut paths: Vec<Vec<Part>> = routes.collect();
    paths.push(path);
    let is_cart = paths.iter().flatten().any(|part| part.is_one_of(of::CARTS));
    paths.iter().any(|path| path_acts(path)) || pairs.iter().any(|(name, value)| parameter_acts(name, value, is_cart))
}

fn path_acts(path: &[Part]) -> bool {
    let mut is_article = false;
    let mut is_cart = false;
    for (index, part) in path.iter().enumerate() {
        let is_last = index + 1 == path.len();
        let is_about = is_article && is_last && part.words.len() > 1;
        if part.is_one_of(of::LEAVE)
            || part.is_one_of(of::CART_PHRASES)
            || !is_about && DEEDS.iter().any(|verbs| part.is_action_of(verbs))
        {
            return true;
        }
        if is_cart && (part.is_change() || part.is_content_of_cart()) {
            return true;
        }
        is_cart |= part.is_one_of(of::CARTS);
        is_article |= part.is_one_of(of::ARTICLES) || part.is_year();
    }
    false
}

fn parameter_acts(name: &Part, value: &str, is_cart: bool) -> bool {
    if name.is_one_of(of::ACTING_PARAMETERS) || name.is_one_of(of::CART_PHRASES) {
        return true;
    }
    let first = name.words.first().map_or("", String::as_str);
    if is_cart && name.words.len() == 1 && (of::has(of::CHANGES, first) || of::has(of::DELETE, first)) {
        return true;
    }
    if !name.is_one_of(of::VERB_PARAMETERS) {
        return false;
    }
    let value = Part::of(value);
    let is_deed = |word: &String| DEEDS.iter().any(|verbs| of::has(verbs, word));
    value.words.iter().any(is_deed)
        || DEEDS.iter().any(|verbs| value.is_one_of(verbs))
        || value.is_action_of(of::VERBS)
        || value.is_one_of(of::CART_PHRASES)
        || value.words.iter().any(|word| of::has(of::CARTS, word))
            && value.words.iter().any(|word| of::has(of::CHANGES, word))
}

/// Whether an address was made for one person: it holds a token.
fn is_personal(url: &Url) -> bool {
    let pairs = pairs(url);
    let has_token = pairs.iter().any(|(name, value)| {
        let has = |known: &[&str]| name.words.iter().any(|word| of::has(known, word)) || name.is_one_of(known);
        !value.is_empty()
            && !has(of::PAGING_PARAMETERS)
            && (has(of::TOKEN_PARAMETERS) || has(of::KEY_PARAMETERS) && looks_like_token(value))
    });
    let path = parts(url.path());
    let purpose = path.iter().position(|part| part.words.iter().any(|word| of::has(of::PERSONAL, word)));
    has_token
        || purpose.is_some_and(|purpose| {
            path[purpose + 1..].iter().any(|part| looks_like_token(&part.text) || is_number_of_mail(&part.text))
                || pairs.iter().any(|(_, value)| looks_like_token(value))
        })
}

/// A folder, a file, or the name or value of a parameter.
#[derive(Debug)]
struct Part {
    text: String,
    words: Vec<String>,
    joined: String,
}

impl Part {
    fn of(text: &str) -> Self {
        let text: String = percent_decode_str(text).decode_utf8_lossy().chars().take(MAX_PART).collect();
        let words = words(without_ending(&text));
        Self { joined: words.concat(), text, words }
    }

    fn is_one_of(&self, known: &[&str]) -> bool {
        of::has(known, &self.joined)
    }

    /// Whether it consists of one of these actions, and at most of what that is done to.
    fn is_action_of(&self, verbs: &[&str]) -> bool {
        if self.is_one_of(verbs) {
            return true;
        }
        let words = || self.words.iter().map(String::as_str);
        let is_action = |rest: &mut dyn Iterator<Item = &str>| of::has(verbs, &rest.collect::<String>());
        // `confirm` is both.
        is_action(&mut words().filter(|word| !of::has(of::OBJECTS, word)))
            || is_action(&mut words().filter(|word| of::has(verbs, word) || !of::has(of::OBJECTS, word)))
    }

    /// `add`, `addProduct`: below a cart, it changes what is in it. `/compare/buy-or-rent` is a page.
    fn is_change(&self) -> bool {
        self.words.split_first().is_some_and(|(first, rest)| {
            of::has(of::CHANGES, first) && rest.iter().all(|word| of::has(of::OBJECTS, word))
        })
    }

    /// A link of Shopify that fills the cart: `/cart/36542:1,36543:2`.
    fn is_content_of_cart(&self) -> bool {
        let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        self.text
            .split(',')
            .all(|item| item.split_once(':').is_some_and(|(id, count)| is_number(id) && is_number(count)))
    }

    fn is_year(&self) -> bool {
        self.text.len() == 4
            && (self.text.starts_with("19") || self.text.starts_with("20"))
            && self.text.parse::<u16>().is_ok()
    }
}

fn parts(path: &str) -> Vec<Part> {
    path.split('/').filter(|part| !part.is_empty()).take(MAX_PARTS).map(Part::of).collect()
}

fn pairs(url: &Url) -> Vec<(Part, String)> {
    let bounded = |text: &str| text.chars().take(MAX_PART).collect::<String>();
    url.query_pairs().take(MAX_PARTS).map(|(name, value)| (Part::of(&name), bounded(&value))).collect()
}

/// `logout.php`, `delete.html`.
fn without_ending(name: &str) -> &str {
    const ENDINGS: [&str; 12] =
        ["action", "asp", "aspx", "cfm", "cgi", "do", "htm", "html", "jsp", "php", "shtml", "xhtml"];
    let known = |ending: &str| ENDINGS.iter().any(|known| ending.eq_ignore_ascii_case(known));
    name.rsplit_once('.').filter(|(stem, ending)| !stem.is_empty() && known(ending)).map_or(name, |(stem, _)| stem)
}

/// The words of a name, in small letters and without accents: `logOut`, `log-out` and `Log_Out` have the same two.
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

/// Whether a value looks drawn: a UUID, or letters and digits in one word that no person would type.
fn looks_like_token(value: &str) -> bool {
    let is_hexadecimal = |text: &str| text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let groups: Vec<&str> = value.split('-').collect();
    let is_uuid =
        groups.iter().map(|group| group.len()).eq([8, 4, 4, 4, 12]) && groups.iter().all(|group| is_hexadecimal(group));
    is_uuid
        || value.split(|character: char| !character.is_ascii_alphanumeric()).any(|word| {
            let has = |is: fn(&u8) -> bool| word.bytes().any(|byte| is(&byte));
            let has_digit = has(u8::is_ascii_digit);
            let has_both_cases = has(u8::is_ascii_lowercase) && has(u8::is_ascii_uppercase);
            let has_letter = has(u8::is_ascii_alphabetic);
            match word.len() {
                0..10 => false,
                10..16 => has_digit && has_both_cases,
                16..20 => has_digit && has_letter,
                _ => has_digit && has_letter || has_both_cases,
            }
        })
}

/// The digits that somebody was sent.
fn is_number_of_mail(value: &str) -> bool {
    (6..=12).contains(&value.len()) && value.bytes().all(|byte| byte.is_ascii_digit())
}
