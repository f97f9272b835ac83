//! The decision whether a page with a status of success is a page of the site.

use std::time::Duration;

use a11ycheck_core::{
    catalog::{failure_of, terms},
    domain::{Failure, FailureCause, FailureCode, FailureFacts},
    locale::Locale,
};
use url::Url;

use super::{
    marks::{HEADERS, Kind, MARKS},
    phrases::{CHALLENGE, FOR_SALE, MAINTENANCE, says},
    sight::{Besides, Sight},
};

/// The bound on the characters of a page that a product has put in place of another. Such pages are short; the longest
/// are parked domains.
const SPARSE_TEXT: usize = 1_500;
/// The bound on the other pages of the host that it links to.
const SPARSE_LINKS: u32 = 5;
/// The same for a parked domain, whose list of searches may look like pages.
const PARKED_LINKS: u32 = 12;
/// The bounds on the characters and links of a page that says one thing and nothing else.
const BARE_TEXT: usize = 800;
const BARE_LINKS: u32 = 1;
/// The bound on the characters of a page that only its words and its behaviour give away.
const TERSE_TEXT: usize = 400;
/// The number of characters beside a request for consent that are no content: the site's name, or a link past its menu.
const BESIDES_TEXT: u32 = 100;
/// The number of characters of content that waits for consent.
const WAITING_TEXT: u32 = 100;

/// The head of the response that became the page.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Head<'a> {
    /// The address at which the page was found.
    pub(crate) url: &'a Url,
    /// The headers, with names in lower case.
    pub(crate) headers: &'a [(String, String)],
    /// The time for which the site asks not to be visited, if it gives one.
    pub(crate) retry_after: Option<Duration>,
}

/// The kind of page in place of another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wall {
    /// A bot check, with its product if that is known.
    Challenge(Option<&'static str>),
    /// A domain without a site.
    Parked,
    /// Maintenance, with the time for which the site asks not to be visited.
    Maintenance(Option<Duration>),
    /// A page that says that there is nothing.
    NotFound,
    /// A request for consent, and no content.
    Consent,
}

impl Wall {
    /// Returns the failure that the owner of the site reads.
    pub(crate) fn failure(self) -> Failure {
        let code = match self {
            Self::Challenge(Some(product)) => {
                return failure_of(FailureCause::ChallengeOf, FailureFacts::of_product(product));
            }
            Self::Challenge(None) => FailureCode::BotChallenge,
            Self::Parked => FailureCode::Parked,
            Self::Maintenance(_) => FailureCode::Maintenance,
            Self::NotFound => FailureCode::SoftNotFound,
            Self::Consent => FailureCode::ConsentWall,
        };
        Failure::new(code, terms(Locale::En).code(code))
    }
}

/// Returns the product whose challenge a response is, as its headers say, whatever its status.
pub(crate) fn challenger(headers: &[(String, String)]) -> Option<&'static str> {
    let is_of = |name: &str, value: &str| {
        HEADERS
            .iter()
            .find(|mark| mark.name == name && mark.values.iter().any(|known| known.eq_ignore_ascii_case(value.trim())))
    };
    headers.iter().find_map(|(name, value)| is_of(name, value)).map(|mark| mark.product)
}

/// Returns the wall in place of the page, if that is certain.
pub(crate) fn judge(sight: &Sight, head: Head<'_>) -> Option<Wall> {
    if let Some(product) = challenger(head.headers) {
        return Some(Wall::Challenge(Some(product)));
    }
    if let Some(product) = challenge(sight) {
        return Some(Wall::Challenge(product));
    }
    if is_parked(sight, head.url) {
        return Some(Wall::Parked);
    }
    if is_maintenance(sight, head.retry_after) {
        return Some(Wall::Maintenance(head.retry_after));
    }
    sight.consent.is_some_and(|besides| !sight.is_more && hides_all(besides)).then_some(Wall::Consent)
}

/// Returns whether a page only says that there is maintenance. If the site shows it at another address as well, that is
/// proof.
pub(crate) fn may_be_maintenance(sight: &Sight) -> bool {
    is_bare(sight) && says_in_short(sight, MAINTENANCE)
}

fn challenge(sight: &Sight) -> Option<Option<&'static str>> {
    if is_within(sight, SPARSE_TEXT, SPARSE_LINKS) {
        let product = kinds(sight).find_map(|kind| match kind {
            Kind::Challenge(product) => Some(product),
            _ => None,
        });
        if product.is_some() {
            return Some(product);
        }
    }
    if !is_bare(sight) || !says_in_short(sight, CHALLENGE) {
        return None;
    }
    let captcha = kinds(sight).find_map(|kind| match kind {
        Kind::Captcha(product) => Some(product),
        _ => None,
    });
    // There is no mark of a product, so it has to wait for its own replacement.
    let waits = sight.refreshes || has(sight, Kind::Reload);
    let is_terse = is_within(sight, TERSE_TEXT, 0);
    (captcha.is_some() || is_terse && waits).then_some(captcha)
}

fn is_parked(sight: &Sight, url: &Url) -> bool {
    if has(sight, Kind::Parking) && is_within(sight, SPARSE_TEXT, PARKED_LINKS) {
        return true;
    }
    // The page sells the name under which it was requested, through a market for domains.
    let host = url.host_str().unwrap_or_default();
    let name = host.strip_prefix("www.").unwrap_or(host);
    let heads = heads(sight);
    has(sight, Kind::DomainMarket)
        && is_within(sight, SPARSE_TEXT, BARE_LINKS)
        && heads.to_lowercase().contains(name)
        && says(&format!("{heads} {}", sight.text), FOR_SALE)
}

fn is_maintenance(sight: &Sight, retry_after: Option<Duration>) -> bool {
    // A response of success that asks for another request later has nothing to show now.
    let asks_to_wait = retry_after.is_some() && is_bare(sight);
    let has_sign = sight.refreshes || sight.is_noindex || has(sight, Kind::Maintenance);
    asks_to_wait || has_sign && may_be_maintenance(sight)
}

fn hides_all(besides: Besides) -> bool {
    let Besides { characters, links, media, fields, hidden, covered } = besides;
    let is_empty = characters <= BESIDES_TEXT && links <= BARE_LINKS && media == 0 && fields == 0;
    is_empty && (hidden >= WAITING_TEXT || covered >= 50)
}

fn kinds(sight: &Sight) -> impl Iterator<Item = Kind> {
    sight.marks.iter().filter_map(|mark| Some(MARKS.get(*mark)?.kind))
}

fn has(sight: &Sight, kind: Kind) -> bool {
    kinds(sight).any(|found| found == kind)
}

fn is_within(sight: &Sight, characters: usize, links: u32) -> bool {
    !sight.is_more && sight.text.chars().count() <= characters && sight.own_links <= links
}

fn is_bare(sight: &Sight) -> bool {
    is_within(sight, BARE_TEXT, BARE_LINKS) && sight.fields == 0
}

/// Returns the title and the headings.
fn heads(sight: &Sight) -> String {
    format!("{} {}", sight.title, sight.headings.join(" "))
}

/// Returns whether the page says one of the phrases where it can't be said in passing.
fn says_in_short(sight: &Sight, phrases: &[&str]) -> bool {
    let is_terse = sight.text.chars().count() <= TERSE_TEXT;
    says(&heads(sight), phrases) || is_terse && says(&sight.text, phrases)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mark(kind: Kind) -> usize {
        MARKS.iter().position(|mark| mark.kind == kind).unwrap()
    }

    fn page(title: &str, text: &str) -> Sight {
        Sight { title: title.to_owned(), text: text.to_owned(), ..Sight::default() }
    }

    #[test]
    fn a_page_that_could_not_be_looked_at_is_judged_by_its_headers_alone() {
        let url = Url::parse("https://shop.example/").unwrap();
        let headers = [("cf-mitigated".to_owned(), "challenge".to_owned())];
        let judged = |headers| judge(&Sight::unseen(), Head { url: &url, headers, retry_after: Some(Duration::ZERO) });
        assert_eq!(judged(&[]), None);
        assert!(matches!(judged(&headers), Some(Wall::Challenge(Some(_)))));
    }

    fn judged(sight: &Sight) -> Option<Wall> {
        with_headers(sight, &[])
    }

    fn with_headers(sight: &Sight, headers: &[(&str, &str)]) -> Option<Wall> {
        let headers: Vec<_> = headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let url = Url::parse("https://shop.example/").unwrap();
        let retry_after = headers.iter().any(|(name, _)| name == "retry-after").then_some(Duration::from_secs(60));
        judge(sight, Head { url: &url, headers: &headers, retry_after })
    }

    #[test]
    fn a_header_that_says_challenge_is_believed_and_no_other_of_the_product() {
        let page = page("Just a moment", "");
        assert_eq!(with_headers(&page, &[("cf-mitigated", "Challenge")]), Some(Wall::Challenge(Some("Cloudflare"))));
        assert_eq!(with_headers(&page, &[("x-amzn-waf-action", "captcha")]), Some(Wall::Challenge(Some("AWS WAF"))));
        assert_eq!(with_headers(&page, &[("cf-mitigated", "rate"), ("cf-ray", "7"), ("server", "cloudflare")]), None);
    }

    #[test]
    fn a_mark_counts_on_a_sparse_page_only() {
        for kind in [Kind::Challenge("DataDome"), Kind::Parking] {
            let wall = Sight { marks: vec![mark(kind)], ..page("Wait", "A moment, please.") };
            assert!(judged(&wall).is_some(), "{kind:?}");
            let article = Sight { text: "word ".repeat(400), ..wall.clone() };
            assert_eq!(judged(&article), None, "{kind:?}");
            let site = Sight { own_links: 13, ..wall };
            assert_eq!(judged(&site), None, "{kind:?}");
        }
    }

    #[test]
    fn words_alone_never_decide() {
        for title in [
            "Checking your browser before accessing shop.example",
            "Verify you are human",
            "Wir führen Wartungsarbeiten durch",
            "shop.example is for sale",
            "404 – not found",
        ] {
            assert_eq!(judged(&page(title, "")), None, "{title}");
            assert_eq!(judged(&page("", title)), None, "{title}");
        }
    }

    #[test]
    fn words_with_a_second_sign_do() {
        let waits = |title| Sight { refreshes: true, ..page(title, "Please wait.") };
        assert_eq!(judged(&waits("Checking your browser")), Some(Wall::Challenge(None)));
        assert_eq!(judged(&waits("Проверка вашего браузера")), Some(Wall::Challenge(None)));
        assert_eq!(judged(&waits("Trwają prace techniczne")), Some(Wall::Maintenance(None)));
        let sold = Sight {
            marks: vec![mark(Kind::DomainMarket)],
            ..page("shop.example steht zum Verkauf", "Jetzt ein Angebot abgeben")
        };
        assert_eq!(judged(&sold), Some(Wall::Parked));
        let seller = Sight { title: "Names for sale".to_owned(), ..sold };
        assert_eq!(judged(&seller), None, "it sells others' names");
    }

    #[test]
    fn a_captcha_beside_other_things_is_none_in_their_place() {
        let wall = Sight {
            marks: vec![mark(Kind::Captcha("hCaptcha"))],
            ..page("One more step", "Please verify you are human to go on.")
        };
        assert_eq!(judged(&wall), Some(Wall::Challenge(Some("hCaptcha"))));
        assert_eq!(judged(&Sight { fields: 3, ..wall.clone() }), None, "a form");
        assert_eq!(judged(&Sight { text: "Show the address".to_owned(), ..wall }), None, "it asks for nothing");
    }

    #[test]
    fn an_answer_that_asks_to_wait_is_no_page_unless_it_shows_one() {
        let headers = [("retry-after", "60")];
        assert!(matches!(with_headers(&page("Hello", "Later!"), &headers), Some(Wall::Maintenance(Some(_)))));
        assert_eq!(with_headers(&Sight { own_links: 9, ..page("Hello", "Shop") }, &headers), None);
    }

    #[test]
    fn a_request_for_consent_is_a_wall_where_it_hides_all_there_is() {
        let asking = |besides| Sight { consent: Some(besides), ..page("Cookies", "We use cookies") };
        let all = Besides { hidden: 500, ..Besides::default() };
        assert_eq!(judged(&asking(all)), Some(Wall::Consent));
        assert_eq!(judged(&asking(Besides { covered: 100, ..Besides::default() })), Some(Wall::Consent));
        for besides in [
            Besides::default(),
            Besides { characters: 300, ..all },
            Besides { links: 4, ..all },
            Besides { media: 1, ..all },
            Besides { fields: 1, ..all },
        ] {
            assert_eq!(judged(&asking(besides)), None, "{besides:?}");
        }
    }
}
