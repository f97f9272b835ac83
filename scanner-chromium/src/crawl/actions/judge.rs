//! The judgement of an address by its words.

use a11ycheck_core::domain::view_of;
use url::Url;

use super::{
    part::{Part, pairs, parts},
    words as of,
};
use crate::visit::Scope;

/// The words of actions that nobody asked a check for.
const DEEDS: [&[&str]; 4] = [of::LEAVE, of::UNSUBSCRIBE, of::DELETE, of::CONFIRM];

/// Returns whether a link to the address must not be followed: its visit does something, or is meant for one person,
/// once.
pub(in crate::crawl) fn is_action(url: &Url) -> bool {
    does(url) || is_personal(url) || view(url).is_some_and(|view| is_personal(&view))
}

/// Returns the view of a hash-routed application that an address names, as an address of its own.
fn view(url: &Url) -> Option<Url> {
    let view = view_of(url)?;
    url.join(view.trim_start_matches('!')).ok()
}

/// Returns whether a visit to the page, or to the view that the address names, does something.
fn does(url: &Url) -> bool {
    acts(url) || view(url).is_some_and(|view| acts(&view))
}

/// The addresses of a scope whose visit does nothing. Redirects may lead only to these from a page that the owner has
/// not named.
///
/// A token is no reason to exclude an address here: a site that adds one in a redirect has made it for this visit.
#[derive(Debug, Clone)]
pub(in crate::crawl) struct WithoutActions<S>(pub(in crate::crawl) S);

impl<S: Scope> Scope for WithoutActions<S> {
    fn contains(&self, url: &Url) -> bool {
        !does(url) && self.0.contains(url)
    }

    fn judges_every_document(&self) -> bool {
        self.0.judges_every_document()
    }
}

/// Returns whether a visit does something.
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

/// Returns whether an address was made for one person: it contains a token.
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

/// Returns whether a value looks random: a UUID, or letters and digits in one word that no person would type.
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

/// Returns whether a value looks like a number that was sent by mail.
fn is_number_of_mail(value: &str) -> bool {
    (6..=12).contains(&value.len()) && value.bytes().all(|byte| byte.is_ascii_digit())
}
