//! The values of the template.

use std::{borrow::Borrow, io};

use askama::Template;
use base64::{Engine as _, engine::general_purpose::STANDARD as STANDARD_BASE64};
use chrono::{DateTime, Utc};

use super::{
    HtmlSource,
    by_page::{ByPage, RuleOnPage, what},
};
use crate::{
    catalog::{BriefTerms, Fixer, HtmlTerms, Labels, Terms, brief, fill, terms},
    domain::{Acceptance, Finding, Impact},
    export::{
        Brand,
        text::{bounded_block, bounded_line, is_web_address},
    },
    report::{
        ByHand, CriterionByHand, Example, Group, PageView, PictureId, PlaceToCheck, Prepared, PreparedRule, Report,
        Thing, ToCheck,
        brief::{Brief, ShownRule},
        decided, details,
    },
};

/// The values of `templates/report.html`. Texts of a page, a team or an error become lines and blocks there, and are escaped.
#[derive(Template)]
#[template(path = "report.html")]
pub(super) struct Page<'a> {
    source: HtmlSource<'a>,
    report: &'a Report,
    brief: Brief<'a>,
    prepared: &'a Prepared<'a>,
    by_page: ByPage<'a>,
    terms: &'static Terms,
    label: &'static Labels,
    words: &'static BriefTerms,
    html: &'static HtmlTerms,
    title: String,
    brand: &'a Brand,
    brand_name: String,
}

/// The most characters of a title.
const MAX_TITLE: usize = 160;
/// The most characters of an address that are shown.
const MAX_ADDRESS: usize = 300;
/// The most characters of what stands at a place.
const MAX_WHAT: usize = 160;
/// The most characters of what was decided about an accepted element.
const MAX_DECIDED: usize = 400;
/// The most characters of a text of the catalogue, or of the engine's text for a rule that the catalogue does not have.
const MAX_MARKED: usize = 4_000;
/// The most characters of an element's source.
const MAX_HTML: usize = 400;
/// The most characters of a selector.
const MAX_SELECTOR: usize = 200;
/// The most lines of code.
const MAX_LINES: usize = 40;
/// The most pages that are named with a rule.
const MAX_FOUND_ON: usize = 20;
/// The most frames, and addresses without a response, that are named for one page.
const MAX_PARTS: usize = 3;

/// An address as it is shown: a link if it leads to the web.
struct Address {
    shown: String,
    link: Option<String>,
}

/// A piece of a text of the catalogue.
struct Piece {
    text: String,
    is_code: bool,
}

/// A rule with its places, its texts and its further examples.
struct Rule<'a> {
    group: &'a Group,
    /// Severity, rule and numbers, without the severity.
    numbers: String,
    facts: Vec<Fact>,
    tiles: Vec<Tile<'a>>,
    quick: Option<&'a str>,
    notes: Vec<String>,
    more_name: String,
    more_link: Option<String>,
    /// The examples that are not among the tiles.
    examples: Vec<Tile<'a>>,
    /// The name of the part with these.
    more_examples: String,
    found_on: Vec<(Address, u64)>,
    found_further: Option<(String, u64)>,
}

/// A text about a rule, with its name.
struct Fact {
    name: String,
    pieces: Vec<Piece>,
}

/// An element with its picture.
struct Tile<'a> {
    example: &'a Example,
    what: String,
    reach: Option<String>,
    found: Vec<Found>,
    alternative: String,
}

/// Sentences about what was found on an element, with the line above them if there are several.
struct Found {
    heading: Option<&'static str>,
    sentences: Vec<Vec<Piece>>,
}

impl<'a> Page<'a> {
    pub(super) fn new(source: HtmlSource<'a>, prepared: &'a Prepared<'a>) -> Self {
        let report = source.report;
        let (terms, words) = (terms(report.locale), brief(report.locale));
        let brand_name: String = bounded_line(&source.brand.name, Brand::MAX_NAME);
        Self {
            source,
            report,
            brief: Brief::new(report),
            by_page: ByPage::new(prepared),
            prepared,
            terms,
            label: &terms.label,
            words,
            html: &words.html,
            title: line(&report.title, MAX_TITLE),
            brand: source.brand,
            brand_name,
        }
    }

    pub(super) fn write_to(&self, out: &mut impl io::Write) -> io::Result<()> {
        self.write_into(out)
    }

    /// Returns the severities that were found, with their numbers of elements.
    fn severities(&self) -> Vec<(Impact, u64)> {
        let totals = self.report.totals;
        let counted = Impact::ALL.map(|severity| {
            let count = match severity {
                Impact::Critical => totals.critical,
                Impact::Serious => totals.serious,
                Impact::Moderate => totals.moderate,
                Impact::Minor => totals.minor,
            };
            (severity, count)
        });
        counted.into_iter().filter(|(_, count)| *count > 0).collect()
    }

    /// Returns the address of a page of the site as it is shown: without the part that all of them share.
    fn address(&self, address: &str) -> Address {
        let site = self.report.url.trim_end_matches('/');
        let path = address.strip_prefix(site).filter(|path| path.starts_with('/'));
        Address { shown: line(path.unwrap_or(address), MAX_ADDRESS), ..whole_address(address) }
    }

    /// Returns the text of an attribute `lang` if the texts of a group are in another language: the engine's own are
    /// English.
    fn lang(&self, has_card: &bool) -> Option<&'static str> {
        (!*has_card && self.report.locale != crate::locale::Locale::En).then_some("en")
    }

    fn has_drafts(&self) -> bool {
        self.report.groups.iter().chain(&self.report.advisory).any(|group| group.machine)
    }

    /// Returns the numbers of places, elements and pages in words.
    fn numbers(&self, group: &Group) -> String {
        let count = &self.terms.count;
        let mut numbers = vec![
            self.terms.counted(&count.place, group.n),
            self.terms.counted(&count.element, group.count),
            self.terms.counted(&count.page, group.pages.len() as u64),
        ];
        if group.new_count > 0 {
            numbers.push(format!("{}: {}", self.label.new, group.new_count));
        }
        if group.accepted_count > 0 {
            numbers.push(self.accepted_count(group.accepted_count));
        }
        numbers.join(" · ")
    }

    fn accepted_count(&self, count: u64) -> String {
        format!("{}: {count}", self.words.accepted.accepted)
    }

    /// Returns what was decided about the element with this number within the check, if it is accepted; empty if nothing is known of
    /// it.
    fn accepted(&self, number: impl Borrow<u64>) -> Option<String> {
        self.report.accepted.of(*number.borrow()).map(|accepted| self.decided(accepted))
    }

    fn decided(&self, accepted: &Acceptance) -> String {
        line(&decided(accepted, self.report.locale), MAX_DECIDED)
    }

    /// Returns a rule that is shown with its places.
    fn shown(&self, shown: &'a ShownRule<'a>) -> Rule<'a> {
        let count = &self.terms.count;
        let tiles = shown.places.iter().map(|at| {
            let place = at.place;
            let elements = self.terms.counted(&count.element, place.count);
            let mut reach = format!("{elements} · {}", self.terms.counted(&count.page, place.pages));
            if place.new_count > 0 {
                reach = format!("{reach} · {}: {}", self.label.new, place.new_count);
            }
            if place.accepted_count > 0 {
                reach = format!("{reach} · {}", self.accepted_count(place.accepted_count));
            }
            Tile {
                example: at.example,
                what: line(&at.what, MAX_WHAT),
                reach: Some(reach),
                found: self.found(at.example.id),
                alternative: line(&at.picture, MAX_TITLE),
            }
        });
        let further = (shown.further > 0).then(|| self.numbered(&self.label.further_elements, shown.further));
        let mut rule = self.rule(shown.group, tiles.collect());
        rule.notes.splice(0..0, further);
        rule.notes.extend(shown.also.as_ref().map(|also| line(also, 2 * MAX_TITLE)));
        rule.quick = shown.quick.as_deref();
        rule
    }

    /// Returns a rule with all its texts and these places.
    fn rule(&self, group: &'a Group, tiles: Vec<Tile<'a>>) -> Rule<'a> {
        let label = self.label;
        let platform = line(self.report.platform_name.as_deref().unwrap_or_default(), 80);
        let named = |name: String, text: &str| Fact { name, pieces: marked(text) };
        let facts = [
            named(label.summary.clone(), &group.summary),
            named(label.impact.clone(), &group.impact),
            named(label.who.clone(), &group.who.join(", ")),
            named(label.how_to_fix.clone(), &group.how_to_fix),
            named(
                fill(&label.platform_tip, &[("platform", &platform)]),
                group.platform_tip.as_deref().unwrap_or_default(),
            ),
        ];
        let left_out = (group.left_out > 0).then(|| self.numbered(&label.elements_left_out, group.left_out));
        let examples: Vec<_> = group
            .examples
            .iter()
            .filter(|example| tiles.iter().all(|tile| tile.example.id != example.id))
            .map(|example| self.tile(group, example))
            .collect();
        let values = [("rule", line(&group.title, MAX_TITLE)), ("n", examples.len().to_string())];
        let values = values.each_ref().map(|(name, value)| (*name, value.as_str()));
        let rest = group.pages.get(MAX_FOUND_ON..).unwrap_or_default();
        let further = || {
            let pages = self.terms.counted(&self.terms.count.page, rest.len() as u64);
            (format!("+ {pages}"), rest.iter().map(|page| page.count).sum())
        };
        Rule {
            group,
            numbers: self.numbers(group),
            facts: facts.into_iter().filter(|fact| !fact.pieces.is_empty()).collect(),
            tiles,
            quick: None,
            notes: left_out.into_iter().collect(),
            more_name: line(&fill(&self.words.rule.more, &[("rule", &group.title)]), 2 * MAX_TITLE),
            more_link: Some(group.help.clone()).filter(|address| is_web_address(address)),
            more_examples: fill(&self.html.more_examples, &values),
            examples,
            found_on: group.pages.iter().take(MAX_FOUND_ON).map(|page| (self.address(&page.url), page.count)).collect(),
            found_further: (!rest.is_empty()).then(further),
        }
    }

    fn tile(&self, group: &Group, example: &'a Example) -> Tile<'a> {
        let thing = Thing::of(&example.html).in_words(self.report.locale);
        let place = group.places.iter().find(|place| place.id == example.id);
        let what = place.and_then(|place| place.measured.clone());
        let alternative = self.picture_of_thing(&thing);
        Tile {
            example,
            what: line(what.as_deref().unwrap_or(&thing), MAX_WHAT),
            reach: None,
            found: self.found(example.id),
            alternative,
        }
    }

    /// Returns the name of the part with all texts of a rule that has a line.
    fn in_full(&self, group: &Group) -> String {
        let values = [("rank", group.rank.to_string()), ("rule", line(&group.title, MAX_TITLE))];
        fill(&self.html.in_full, &values.each_ref().map(|(name, value)| (*name, value.as_str())))
    }

    fn numbered(&self, text: &str, number: impl Borrow<u64>) -> String {
        fill(text, &[("n", &number.borrow().to_string())])
    }

    fn severity(&self, severity: &Impact) -> &str {
        self.terms.severity(*severity)
    }

    fn fixer(&self, fixer: &Fixer) -> &str {
        self.words.fixer(*fixer)
    }

    fn elements(&self, count: impl Borrow<u64>) -> String {
        self.terms.counted(&self.terms.count.element, *count.borrow())
    }

    fn pages(&self, count: impl Borrow<u64>) -> String {
        self.terms.counted(&self.terms.count.page, *count.borrow())
    }

    fn pages_of(&self, group: &Group) -> String {
        self.pages(group.pages.len() as u64)
    }

    fn screen(&self) -> Option<String> {
        self.picture(PictureId::Screen)
    }

    fn picture_of(&self, number: impl Borrow<u64>) -> Option<String> {
        self.picture(PictureId::Example(*number.borrow()))
    }

    fn picture(&self, id: PictureId) -> Option<String> {
        let picture = self.source.gallery.get(id)?;
        Some(format!("data:{};base64,{}", picture.media_type, STANDARD_BASE64.encode(&picture.bytes)))
    }

    fn prepared_rule(&self, on_page: &RuleOnPage<'_>) -> Option<&PreparedRule<'a>> {
        self.prepared.rules.get(on_page.rule)
    }

    fn what(&self, finding: &Finding) -> String {
        line(&what(finding, self.report.locale), MAX_WHAT)
    }

    /// Returns what was found on the element with this number within the check.
    fn found(&self, number: impl Borrow<u64>) -> Vec<Found> {
        let finding = self.source.findings.numbered(*number.borrow());
        let found = finding.and_then(|finding| details(finding, self.report.locale));
        let parts = found.into_iter().flat_map(|found| found.parts);
        let texts = |sentences: &[String]| sentences.iter().map(|sentence| marked(sentence)).collect();
        parts.map(|part| Found { heading: part.heading, sentences: texts(&part.sentences) }).collect()
    }

    fn picture_of_thing(&self, thing: &str) -> String {
        line(&fill(&self.words.rule.picture, &[("thing", thing)]), MAX_TITLE)
    }

    /// Returns the reasons why the engine could not decide about elements of a rule, with their numbers of elements.
    fn reasons(&self, rule: &ToCheck) -> Vec<(Vec<Piece>, u64)> {
        let rest = (marked(&self.label.other_reasons), rule.other_reasons);
        let known = rule.reasons.iter().map(|reason| (marked(&reason.text), reason.count));
        known.chain((rule.other_reasons > 0).then_some(rest)).collect()
    }

    /// Returns an element that a person has to look at, in words.
    fn thing(&self, place: &PlaceToCheck) -> String {
        line(&Thing::of(&place.html).in_words(self.report.locale), MAX_WHAT)
    }

    fn minutes(&self, step: &ByHand) -> String {
        self.terms.counted(&self.terms.count.minute, u64::from(step.minutes))
    }

    /// Returns the success criteria of a part of the hour, each with its name and level.
    fn criteria(&self, step: &ByHand) -> String {
        let named = step.criteria.iter().map(|criterion| {
            let CriterionByHand { number, name, level, .. } = criterion;
            format!("{number} {name} ({level})")
        });
        named.collect::<Vec<_>>().join(", ")
    }

    fn reason(&self, page: &PageView) -> String {
        page.error.as_ref().map(|error| line(&self.terms.failure(error), 600)).unwrap_or_default()
    }

    /// Returns what was not checked of a page, or was checked in a state that was not final.
    fn notes(&self, page: &PageView) -> Vec<String> {
        let label = self.label;
        let count = page.frames_not_checked_count;
        let frames = page
            .frames_not_checked
            .iter()
            .take(MAX_PARTS)
            .map(|frame| format!("{} ({})", line(&frame.url, MAX_ADDRESS), self.terms.code(frame.reason)));
        let unanswered = page.unanswered.iter().take(MAX_PARTS).map(|address| line(address, MAX_ADDRESS));
        let listed =
            |parts: Vec<String>| if parts.is_empty() { String::new() } else { format!(": {}", parts.join(", ")) };
        let notes = [
            page.cover.as_ref().map(|cover| cover.message.clone()),
            page.still_changing.then(|| label.still_changing.clone()),
            (!page.unanswered.is_empty()).then(|| format!("{}{}", label.unanswered, listed(unanswered.collect()))),
            (count > 0).then(|| {
                format!("{}: {count}{}", label.frames_not_checked, {
                    let frames: Vec<String> = frames.collect();
                    if frames.is_empty() { String::new() } else { format!(" – {}", frames.join(", ")) }
                })
            }),
        ];
        notes.into_iter().flatten().collect()
    }

    /// Returns how the check was made, name by name.
    fn facts(&self) -> Vec<(&'static str, String)> {
        let (report, label) = (self.report, self.label);
        let dead = report.pages.iter().filter(|page| page.linked_from.is_some()).count();
        let not_checked = report.pages.iter().filter(|page| page.error.is_some()).count();
        let failed = not_checked.saturating_sub(dead);
        let checked = report.pages.len().saturating_sub(failed + dead);
        let aside = [(&label.not_checked, failed), (&label.dead_links, dead)];
        let aside = aside.iter().filter(|(_, count)| *count > 0).map(|(name, count)| format!("{name}: {count}"));
        let aside = aside.collect::<Vec<_>>().join(", ");
        let pages = if aside.is_empty() { checked.to_string() } else { format!("{checked} ({aside})") };
        let program = report.engine.program();
        let with = [Some(&*program), report.engine.browser.as_deref(), self.source.generated_by];
        let with = with.into_iter().flatten().collect::<Vec<_>>().join(", ");
        let mut facts: Vec<(&str, String)> = vec![(&label.pages_checked, pages)];
        if let Some(platform) = &report.platform_name {
            facts.push((&label.platform, line(platform, MAX_TITLE)));
        }
        facts.extend([
            (label.standard.as_str(), report.standard.name().to_owned()),
            (&label.checked_with, line(&with, 200)),
            (&label.prepared_by, self.brand_name.clone()),
        ]);
        facts
    }
}

impl<'a> Rule<'a> {
    fn refs(&self) -> String {
        self.group.refs.iter().map(|reference| line(reference, 200)).collect::<Vec<_>>().join(" · ")
    }

    fn example_code(&self) -> Option<String> {
        self.group.example_code.as_deref().map(|code| bounded_block(code, 2_000, MAX_LINES))
    }
}

fn whole_address(address: &str) -> Address {
    let link = is_web_address(address).then(|| address.to_owned());
    Address { shown: line(address, MAX_ADDRESS), link }
}

/// Returns a text of the catalogue in pieces: its `code` in backticks apart.
fn marked(text: &str) -> Vec<Piece> {
    let text = bounded_line(text, MAX_MARKED);
    let parts = text.split('`').enumerate().filter(|(_, part)| !part.is_empty());
    parts.map(|(number, part)| Piece { text: part.to_owned(), is_code: number % 2 == 1 }).collect()
}

/// Makes hostile text fit for one line.
fn line(text: &str, max: usize) -> String {
    bounded_line(text, max)
}

fn selector(text: &str) -> String {
    bounded_line(text, MAX_SELECTOR)
}

fn source_code(text: &str) -> String {
    bounded_block(text, MAX_HTML, MAX_LINES)
}

/// Formats a date so that it is read alike everywhere: ISO 8601.
fn day(date: &DateTime<Utc>) -> String {
    date.format("%Y-%m-%d").to_string()
}

fn base64(bytes: &[u8]) -> String {
    STANDARD_BASE64.encode(bytes)
}
