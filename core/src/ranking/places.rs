//! Places to fix: elements that one change clears count once (decision 0017).

use std::{cmp::Reverse, collections::HashMap, sync::LazyLock};

use regex::Regex;

use super::Seen;
use crate::{
    catalog::{PlaceBasis, rule as entry},
    domain::{Acceptances, AxeCheck, CheckOutcome, Finding, Fingerprint, Key, RuleId, first_attributes},
};

/// A place to fix: the elements of one rule that one change clears.
#[derive(Debug)]
pub(crate) struct Place<'a> {
    /// True if what axe-core measured makes the place.
    is_measured: bool,
    /// The element that stands for the place: the first new one, or else the first.
    pub(crate) shown: (u64, &'a Finding),
    /// The number of elements.
    pub(crate) count: u64,
    /// The number of these that the previous completed check did not have.
    pub(crate) new_count: u64,
    /// The number of these that are accepted.
    pub(crate) accepted_count: u64,
    /// The number of pages with such elements.
    pub(crate) pages: u64,
}

/// The counts of a place to fix.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Counted {
    is_measured: bool,
    /// The page of the last element that was added, by its index.
    last_page: usize,
    /// The number of the element that stands for the place: the first new one, or else the first.
    pub(crate) shown: u64,
    /// The number of elements.
    pub(crate) count: u64,
    /// The number of these that the previous completed check did not have.
    pub(crate) new_count: u64,
    /// The number of these that are accepted.
    pub(crate) accepted_count: u64,
    /// The number of pages with such elements.
    pub(crate) pages: u64,
}

/// The measurements of axe-core on an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Measured<'a> {
    /// Two colours that are hard to tell apart.
    Colours {
        /// The colour of the text, for example `#73879c`.
        text: &'a str,
        /// The colour beside or behind it.
        other: &'a str,
        /// The contrast ratio of the two, for example `3.9`.
        ratio: &'a str,
        /// The least ratio that is required, for example `4.5`.
        least: &'a str,
    },
    /// A target that is hard to hit, in CSS pixels.
    Size {
        /// The width.
        width: &'a str,
        /// The height.
        height: &'a str,
        /// The least width and height that is required.
        least: &'a str,
    },
}

impl<'a> Place<'a> {
    /// Returns a place for which this element stands.
    pub(crate) const fn new(counted: Counted, shown: &'a Finding) -> Self {
        let Counted { is_measured, last_page: _, shown: number, count, new_count, accepted_count, pages } = counted;
        Self { is_measured, shown: (number, shown), count, new_count, accepted_count, pages }
    }

    /// Returns what axe-core measured on the elements, if that is what makes the place.
    pub(crate) fn measured(&self) -> Option<Measured<'a>> {
        let (_, finding) = self.shown;
        if self.is_measured { measured_on(finding) } else { None }
    }
}

impl std::fmt::Display for Measured<'_> {
    /// Writes the measurement in the form that all languages share: `#73879c / #ffffff, 3.9:1 (≥ 4.5:1)`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Colours { text, other, ratio, least } => write!(f, "{text} / {other}, {ratio}:1 (≥ {least}:1)"),
            Self::Size { width, height, least } => write!(f, "{width} × {height} px (≥ {least} × {least} px)"),
        }
    }
}

/// Returns the places of a rule's elements, which are given by their numbers: those with new elements first, then those with more
/// elements; places that are equal in this stay in the order of the check. An element of a check with hundreds of thousands of places
/// costs less than 100 bytes.
pub(crate) fn places<'a>(
    rule: &RuleId,
    elements: &[(u64, &'a Finding)],
    accepted: &Acceptances,
    page_url: impl Fn(usize) -> &'a str,
) -> Vec<Place<'a>> {
    let counted = counted(seen(rule, elements, page_url), accepted);
    let place = |counted: Counted| {
        let at = elements.binary_search_by_key(&counted.shown, |(number, _)| *number).ok()?;
        elements.get(at).map(|(_, finding)| Place::new(counted, finding))
    };
    counted.into_iter().filter_map(place).collect()
}

/// Returns the elements of a rule without their texts.
pub(super) fn seen<'a>(
    rule: &RuleId,
    elements: &[(u64, &'a Finding)],
    page_url: impl Fn(usize) -> &'a str,
) -> impl Iterator<Item = Seen> {
    let basis = entry(rule.as_str()).map(|entry| entry.place).unwrap_or_default();
    elements.iter().map(move |(number, finding)| {
        let measured = if basis == PlaceBasis::Measured { measured_on(finding) } else { None };
        let element = Element {
            rule,
            page_url: page_url(finding.page),
            selector: &finding.selector,
            html: &finding.html,
            template: || finding.fingerprint.template.clone(),
        };
        Seen {
            number: *number,
            page: finding.page,
            place: element.key(basis, measured).bits(),
            is_new: finding.is_new,
            is_measured: measured.is_some(),
        }
    })
}

/// Returns what is counted of the places of a rule's elements, in the order of [`places`].
pub(crate) fn counted(elements: impl IntoIterator<Item = Seen>, accepted: &Acceptances) -> Vec<Counted> {
    let mut index: HashMap<u64, usize> = HashMap::new();
    let mut places: Vec<Counted> = Vec::new();
    for seen in elements {
        let at = *index.entry(seen.place).or_insert_with(|| {
            places.push(Counted {
                is_measured: seen.is_measured,
                last_page: seen.page,
                shown: seen.number,
                count: 0,
                new_count: 0,
                accepted_count: 0,
                pages: 1,
            });
            places.len() - 1
        });
        // Indices are those of places that were pushed.
        let Some(place) = places.get_mut(at) else { continue };
        place.count += 1;
        place.accepted_count += u64::from(accepted.of(seen.number).is_some());
        // Elements of the same page are adjacent.
        place.pages += u64::from(place.last_page != seen.page);
        place.last_page = seen.page;
        if seen.is_new {
            if place.new_count == 0 {
                place.shown = seen.number;
            }
            place.new_count += 1;
        }
    }
    places.sort_by_key(|place| (place.new_count == 0, Reverse(place.count)));
    places
}

/// Returns the smallest number of places that together have at least four fifths of all elements.
pub(crate) fn most_effective(counts: impl IntoIterator<Item = u64>) -> u64 {
    let mut counts: Vec<u64> = counts.into_iter().collect();
    counts.sort_unstable_by_key(|count| Reverse(*count));
    let all: u64 = counts.iter().sum();
    let mut cleared = 0;
    let needed = counts.iter().take_while(|count| {
        let is_needed = cleared * 5 < all * 4;
        cleared += **count;
        is_needed
    });
    needed.count() as u64
}

/// The key of a place to fix: elements of one rule with equal keys are cleared by one change. It is for those who must
/// choose among elements before there is a report, and is compared only with others of the same process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct PlaceKey(u64);

impl PlaceKey {
    /// Returns the key of an element, of which the arguments are what [`Finding::new`] takes.
    pub fn of(rule: &RuleId, page_url: &str, selector: &str, html: &str, failure_summary: &str) -> Self {
        let basis = entry(rule.as_str()).map(|entry| entry.place).unwrap_or_default();
        let measured = if basis == PlaceBasis::Measured { measured(failure_summary) } else { None };
        let template = || Fingerprint::of(rule, page_url, selector, html).template;
        Self(Element { rule, page_url, selector, html, template }.key(basis, measured).bits())
    }
}

/// The parts of an element that decide to which place it belongs.
struct Element<'a, T> {
    rule: &'a RuleId,
    page_url: &'a str,
    selector: &'a str,
    html: &'a str,
    /// Returns the key that [`Fingerprint::template`] is.
    template: T,
}

impl<T: Fn() -> Key> Element<'_, T> {
    fn key(&self, basis: PlaceBasis, measured: Option<Measured<'_>>) -> Key {
        let template = &self.template;
        match (basis, measured) {
            (_, Some(Measured::Colours { text, other, .. })) => Key::of(&["colours", text, other]),
            (_, Some(Measured::Size { width, height, .. })) => Key::of(&["size", width, height]),
            // Each page has a title of its own.
            (PlaceBasis::Content, None) if self.rule.as_str() == "document-title" => Key::of(&["page", self.page_url]),
            (PlaceBasis::Content, None) => match identity(self.html) {
                Some(identity) => Key::of(&["thing", template().as_str(), &identity]),
                // A field that nothing names is known by where it stands.
                None if is_field(self.rule) => Key::of(&["field", self.selector]),
                None => template(),
            },
            (PlaceBasis::Template | PlaceBasis::Measured, None) => template(),
        }
    }
}

/// Returns what tells a thing from others of the same template: the addresses, the id and the name of its first tag, with
/// their digits; `None` if it has none of them.
fn identity(html: &str) -> Option<String> {
    const IDENTIFYING: [&str; 8] = ["src", "data-src", "data", "poster", "href", "xlink:href", "id", "name"];
    let mut found: Vec<String> = first_attributes(html)
        .filter(|(name, value)| IDENTIFYING.iter().any(|known| name.eq_ignore_ascii_case(known)) && !value.is_empty())
        .map(|(name, value)| format!("{}={}", name.to_ascii_lowercase(), without_query(value)))
        .collect();
    found.sort_unstable();
    (!found.is_empty()).then(|| found.join(" "))
}

/// Returns an address without its query: what follows the question mark is often a version or a session. The data of an
/// address that is the thing itself stays.
fn without_query(address: &str) -> &str {
    if address.starts_with("data:") { address } else { address.split_once('?').map_or(address, |(path, _)| path) }
}

/// Returns whether elements that break the rule are fields of a form.
fn is_field(rule: &RuleId) -> bool {
    matches!(
        rule.as_str(),
        "label" | "label-title-only" | "select-name" | "aria-input-field-name" | "aria-toggle-field-name"
    )
}

/// axe-core's English messages, from which the values are read: earlier releases stored nothing else.
static COLOURS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"insufficient color contrast of ([0-9.]+)\b.*?foreground color: (#[0-9a-f]{3,8}), background color: (#[0-9a-f]{3,8}).*?contrast ratio of ([0-9.]+):1",
    )
});
static LINK_COLOURS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"insufficient color contrast of ([0-9.]+):1 with the surrounding text\. \(Minimum contrast is ([0-9.]+):1, link text: (#[0-9a-f]{3,8}), surrounding text: (#[0-9a-f]{3,8})\)",
    )
});
static SIZE: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"insufficient size \(([0-9.]+)px by ([0-9.]+)px, should be at least ([0-9.]+)px by"));

/// Compiles a pattern of this file.
#[expect(clippy::unwrap_used, reason = "the patterns are constants, and the tests use each of them")]
fn pattern(text: &str) -> Regex {
    Regex::new(text).unwrap()
}

/// Returns what axe-core measured on an element, if it is something that makes a place.
pub(crate) fn measured_on(finding: &Finding) -> Option<Measured<'_>> {
    finding.checks.iter().find_map(measured_by).or_else(|| measured(&finding.failure_summary))
}

/// Returns the values of a check that make a place.
fn measured_by(check: &AxeCheck) -> Option<Measured<'_>> {
    let value = |name: &str| check.values.get(name)?.first().map(|value| value.trim_end_matches(":1"));
    if check.outcome != CheckOutcome::Fail {
        return None;
    }
    match (check.id.as_str(), check.key.as_deref()) {
        ("color-contrast" | "color-contrast-enhanced", None) => Some(Measured::Colours {
            text: value("fgColor")?,
            other: value("bgColor")?,
            ratio: value("contrastRatio")?,
            least: value("expectedContrastRatio")?,
        }),
        ("link-in-text-block", Some("fgContrast")) => Some(Measured::Colours {
            text: value("nodeColor")?,
            other: value("parentColor")?,
            ratio: value("contrastRatio")?,
            least: value("requiredContrastRatio")?,
        }),
        ("target-size", None) => {
            Some(Measured::Size { width: value("width")?, height: value("height")?, least: value("minSize")? })
        }
        _ => None,
    }
}

/// Returns the values that axe-core's message contains, if it is one with values that make a place.
pub(crate) fn measured(message: &str) -> Option<Measured<'_>> {
    let texts = |pattern: &Regex| {
        let found = pattern.captures(message)?;
        Some((1..found.len()).map(|group| found.get(group).map_or("", |text| text.as_str())).collect::<Vec<_>>())
    };
    if let Some([ratio, text, other, least]) = texts(&COLOURS).as_deref() {
        return Some(Measured::Colours { text, other, ratio, least });
    }
    if let Some([ratio, least, text, other]) = texts(&LINK_COLOURS).as_deref() {
        return Some(Measured::Colours { text, other, ratio, least });
    }
    match texts(&SIZE).as_deref() {
        Some([width, height, least]) => Some(Measured::Size { width, height, least }),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::CheckNeed;

    const CONTRAST: &str = "Fix any of the following:\n  Element has insufficient color contrast of 3.9 (foreground color: \
        #73879c, background color: #ffffff, font size: 9.8pt (13px), font weight: normal). Expected contrast ratio of 4.5:1";

    fn places_of(rule: &str, elements: &[(usize, &str, &str, &str)]) -> Vec<(u64, u64, String)> {
        let rule = RuleId::new(rule);
        let finding = |(page, selector, html, summary): &(usize, &str, &str, &str)| {
            Finding::new(rule.clone(), *page, "https://a.example/", selector, html, summary)
        };
        let findings: Vec<Finding> = elements.iter().map(finding).collect();
        let numbered: Vec<_> = (1..).zip(&findings).collect();
        let pages = ["https://a.example/", "https://a.example/b"];
        places(&rule, &numbered, Acceptances::NONE, |page| pages[page])
            .into_iter()
            .map(|place| {
                (place.count, place.pages, place.measured().map(|values| values.to_string()).unwrap_or_default())
            })
            .collect()
    }

    #[test]
    fn one_pair_of_colours_is_one_place_whatever_wears_it() {
        let other = CONTRAST.replace("#73879c", "#0072aa");
        let found = places_of(
            "color-contrast",
            &[
                (0, "p", "<p>One</p>", &other),
                (0, "p", "<p>Two words</p>", CONTRAST),
                (0, "h2", "<h2>Three</h2>", CONTRAST),
                (1, "p", "<p>Four</p>", CONTRAST),
            ],
        );
        let expected = [
            (3, 2, "#73879c / #ffffff, 3.9:1 (≥ 4.5:1)".to_owned()),
            (1, 1, "#0072aa / #ffffff, 3.9:1 (≥ 4.5:1)".to_owned()),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn the_colours_of_a_link_and_the_size_of_a_target_are_read_from_the_message() {
        let link = "The link has insufficient color contrast of 1.3:1 with the surrounding text. (Minimum contrast is 3:1, \
            link text: #333333, surrounding text: #111111)";
        assert_eq!(measured(link).unwrap().to_string(), "#333333 / #111111, 1.3:1 (≥ 3:1)");
        let target = "Target has insufficient size (16px by 12.5px, should be at least 24px by 24px)";
        assert_eq!(measured(target).unwrap().to_string(), "16 × 12.5 px (≥ 24 × 24 px)");
        assert_eq!(measured("Element does not have an alt attribute"), None);
    }

    #[test]
    fn a_pair_of_colours_is_the_same_place_whether_the_check_or_its_message_names_it() {
        let data = serde_json::json!({
            "fgColor": "#73879c", "bgColor": "#ffffff", "contrastRatio": 3.9, "fontSize": "9.8pt (13px)",
            "expectedContrastRatio": "4.5:1",
        });
        let check = crate::catalog::axe_check("color-contrast", CheckNeed::Any, CheckOutcome::Fail, &data);
        let rule = RuleId::new("color-contrast");
        let finding = |summary| Finding::new(rule.clone(), 0, "https://a.example/", "p", "<p>", summary);
        let (stored, old) = (finding("a later wording").with_checks([check]), finding(CONTRAST));
        assert_eq!(measured_on(&stored), measured_on(&old));
        assert_eq!(places(&rule, &[(1, &stored), (2, &old)], Acceptances::NONE, |_| "https://a.example/").len(), 1);
    }

    #[test]
    fn photos_of_one_template_are_places_of_their_own_and_one_logo_on_all_pages_is_one() {
        let photo = |number: u32| format!("<img class='card' src='/assets/studio-{number}.jpg?v={number}'>");
        let (one, two) = (photo(1), photo(2));
        let found = places_of(
            "image-alt",
            &[(0, "a", &one, ""), (0, "b", &two, ""), (1, "c", &one, ""), (1, "d", "<img src=logo.svg>", "")],
        );
        assert_eq!(
            found.iter().map(|(count, pages, _)| (*count, *pages)).collect::<Vec<_>>(),
            [(2, 2), (1, 1), (1, 1)]
        );
    }

    #[test]
    fn an_element_belongs_to_its_place_before_there_is_a_report() {
        let key = |rule: &str, selector: &str, html: &str, summary: &str| {
            PlaceKey::of(&RuleId::new(rule), "https://a.example/", selector, html, summary)
        };
        assert_eq!(key("color-contrast", "p", "<p>", CONTRAST), key("color-contrast", "h2", "<h2>", CONTRAST));
        let photo = |number: u32| key("image-alt", "img", &format!("<img src=/{number}.jpg>"), "");
        assert_eq!(photo(1), photo(1));
        assert_ne!(photo(1), photo(2));
        assert_ne!(key("label", "#a > input", "<input>", ""), key("label", "#b > input", "<input>", ""));
        assert_eq!(key("list", "#a", "<ul>", ""), key("list", "#b", "<ul>", ""));
    }

    #[test]
    fn two_equal_fields_of_a_page_are_two_places() {
        let fields =
            [(0, "#a > input", "<input>", ""), (0, "#b > input", "<input>", ""), (1, "#a > input", "<input>", "")];
        assert_eq!(places_of("label", &fields).len(), 2);
    }

    #[test]
    fn each_page_without_a_title_is_a_place_and_a_list_that_a_template_repeats_is_one() {
        let page = |page| (page, "html", "<html>", "");
        assert_eq!(places_of("document-title", &[page(0), page(1)]).len(), 2);
        let list = |page| (page, "ul", "<ul class=\"menu\">", "");
        assert_eq!(places_of("list", &[list(0), list(0), list(1)]).len(), 1);
    }

    #[test]
    fn new_elements_come_first_and_stand_for_their_place() {
        let rule = RuleId::new("list");
        let finding = |html: &str| Finding::new(rule.clone(), 0, "https://a.example/", "ul", html, "");
        let mut findings: Vec<Finding> = (0..300).map(|_| finding("<ul class=old>")).collect();
        findings.push(finding("<ul id=fresh>"));
        findings.push(Finding { is_new: true, ..finding("<ul id=fresh>") });
        let numbered: Vec<_> = (1..).zip(&findings).collect();
        let found = places(&rule, &numbered, Acceptances::NONE, |_| "https://a.example/");
        let summary: Vec<_> = found.iter().map(|place| (place.shown.0, place.count, place.new_count)).collect();
        assert_eq!(summary, [(302, 2, 1), (1, 300, 0)]);
    }

    #[test]
    fn as_many_places_as_clear_four_fifths_are_the_most_effective() {
        assert_eq!(most_effective([441, 3, 60, 100]), 2);
        assert_eq!(most_effective([1]), 1);
        assert_eq!(most_effective([]), 0);
        assert_eq!(most_effective([1; 10]), 8);
    }
}
