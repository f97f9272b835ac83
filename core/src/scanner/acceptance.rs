//! The acceptance of results: they are judged before they are stored, so that a fault of a scanner is a failed check with a
//! reason, and never a clean report.

use std::collections::BTreeSet;

use url::Url;

use super::{KeptPicture, Remembered, RuleOutcomes, ScanError, ScanOutput, ScanRequest, Screenshot};
use crate::domain::{
    AxeCheck, Course, Cover, Depth, Failure, FailureFacts, Finding, Findings, Memo, OpenedBy, PageOutcome, RuleFacts,
    RuleId, ScreenshotRef, Tool, UncheckedFrame, UndecidedReason,
};

/// The most rules that one result may name.
const MAX_RULES: usize = 2_000;
/// The most bytes of one picture.
const MAX_PICTURE: usize = 16 * 1024 * 1024;

/// The reason why a scanner's result was not accepted. Each is a fault of the scanner, whatever the site did.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OutputError {
    /// The result names no page at all, not even the start page with the reason why it could not be checked.
    #[error("it names no page")]
    NoPage,
    /// There are more pages than [`ScanRequest::page_budget`] allows.
    #[error("it has {pages} pages, and {budget} were asked for at most")]
    TooManyPages {
        /// The number of pages of the result.
        pages: usize,
        /// The most pages that were asked for.
        budget: u32,
    },
    /// The request was for exact pages, and the result does not list each of them once.
    #[error("it lists {listed} pages of the {asked} that were asked for")]
    NotThePages {
        /// The number of pages of the result, without dead links.
        listed: usize,
        /// The number of pages of the request.
        asked: usize,
    },
    /// A page has an address that is neither `http` nor `https`.
    #[error("the address of page {page} is no http or https address")]
    PageAddress {
        /// The index of the page.
        page: usize,
    },
    /// A page is both a dead link and checked.
    #[error("page {page} is a dead link and was checked")]
    CheckedDeadLink {
        /// The index of the page.
        page: usize,
    },
    /// The outcomes of rules are listed, but not once for each page.
    #[error("it tells of {listed} pages what the rules came to, and lists {pages}")]
    RuleOutcomes {
        /// The number of pages of the result.
        pages: usize,
        /// The number of pages for which outcomes are listed.
        listed: usize,
    },
    /// The share of a page that a layer covers is less than [`Cover::LEAST_PERCENT`], or more than the whole page.
    #[error("a layer covers {percent} % of page {page}, which is not from {least} to 100", least = Cover::LEAST_PERCENT)]
    Cover {
        /// The index of the page.
        page: usize,
        /// The share, in per cent.
        percent: u8,
    },
    /// A count of the elements of a rule that were left out is 0.
    #[error("of the rule {rule}, no element is said to be left out on page {page}")]
    NothingLeftOut {
        /// The index of the page.
        page: usize,
        /// The rule.
        rule: RuleId,
    },
    /// A finding, or a count of elements that were left out, is about a page that does not exist or was not checked.
    #[error("element {item} is on page {page}, which is not among the pages that were checked")]
    UncheckedPage {
        /// The index of the finding, or the number of findings if the fault is in a count of elements that were left out.
        item: usize,
        /// The index of the page.
        page: usize,
    },
    /// A rule has no facts in [`Findings::rules`], without which no total counts its elements.
    #[error("the rule {rule} has no facts")]
    NoFacts {
        /// The rule.
        rule: RuleId,
    },
    /// The help address of a rule is neither `http` nor `https`.
    #[error("the help address of the rule {rule} is no http or https address")]
    HelpAddress {
        /// The rule.
        rule: RuleId,
    },
    /// A text is longer than its bound, or contains U+0000, which PostgreSQL can't store. [`Finding::new`],
    /// [`PageOutcome::checked`] and [`UncheckedFrame::new`] keep the bounds by themselves.
    #[error("{what} is longer than {max} characters, or holds U+0000")]
    Text {
        /// The kind of text.
        what: &'static str,
        /// The bound, in characters.
        max: usize,
    },
    /// There are more of something than is accepted.
    #[error("it has more than {max} {what}")]
    TooMany {
        /// The kind of thing.
        what: &'static str,
        /// The bound.
        max: usize,
    },
    /// A finding calls itself new, which only the comparison with the previous check decides.
    #[error("element {item} calls itself new")]
    CallsItselfNew {
        /// The index of the finding.
        item: usize,
    },
    /// A picture is referred to but missing, or it is there twice, of another size than stated, or larger than is accepted.
    #[error("picture {id} is missing, there twice, of another size than stated, or larger than is accepted")]
    Picture {
        /// The number of the picture.
        id: u32,
    },
    /// The outcome of a page was taken over from an earlier check, although the request does not permit that, for the start page or for
    /// a page that was not checked; or it is said to be newer than the check that it comes from.
    #[error("page {page} is said to be taken over, which it can't be")]
    TakenOver {
        /// The index of the page.
        page: usize,
    },
    /// The result says that it took something over, or contradicts what was remembered, although the request does not permit it.
    #[error("it says that it took the course {course:?}, which was not open to it")]
    Course {
        /// The course.
        course: Course,
    },
    /// The result says that its pictures were not stored, which only core can know.
    #[error("it says that pictures were not stored")]
    CallsPicturesLost,
    /// The scanner says that it was cancelled, but nobody cancelled it.
    #[error("the scanner says that it was cancelled, and nobody cancelled it")]
    NotCancelled,
}

/// Judges the outcome of a scan, as the engine does before it stores anything. A permitted result stays as it is.
///
/// # Errors
/// Those of the scanner; [`ScanError::Failed`] with the failure of the first page if no page was checked;
/// [`ScanError::Broken`] with an [`OutputError`] as its source if a bound was broken, or if the scanner says that it was
/// cancelled and `is_cancelled` is not set.
pub fn accept(
    request: &ScanRequest,
    scanned: Result<ScanOutput, ScanError>,
    is_cancelled: bool,
) -> Result<ScanOutput, ScanError> {
    match scanned {
        Ok(mut output) => {
            judge(request, &output).map_err(|error| ScanError::Broken(error.into()))?;
            match first_failure(&output.findings) {
                Some(failure) => Err(ScanError::Failed(failure)),
                None => {
                    // Whatever the scanner says: it is the request that decides what counts as a problem.
                    output.findings.standard = request.standard;
                    Ok(output)
                }
            }
        }
        Err(ScanError::Cancelled) if !is_cancelled => Err(ScanError::Broken(OutputError::NotCancelled.into())),
        Err(error) => Err(error),
    }
}

/// Returns the failure of the first page if no page was checked.
fn first_failure(findings: &Findings) -> Option<Failure> {
    if findings.pages_checked() > 0 { None } else { findings.pages.first()?.error.clone() }
}

/// Checks whether a result keeps the bounds of its types; one that does not is never stored.
///
/// # Errors
/// The first fault that is found.
pub fn judge(request: &ScanRequest, output: &ScanOutput) -> Result<(), OutputError> {
    let ScanOutput { findings, screenshots, screen, rule_outcomes, kept_pictures, remembered } = output;
    let Findings {
        engine,
        pages,
        rules,
        items,
        needs_review,
        undecided,
        undecided_reasons,
        screen: screen_size,
        ran,
        pictures_not_stored,
        ..
    } = findings;
    if *pictures_not_stored {
        return Err(OutputError::CallsPicturesLost);
    }
    judge_engine(engine)?;
    judge_pages(request, pages)?;
    judge_taken_over(request, pages, remembered.as_ref())?;
    let ran = ran.iter().flatten();
    at_most("rules", MAX_RULES, rules.len().max(needs_review.len()).max(ran.clone().count()))?;
    ran.chain(rules.keys()).try_for_each(judge_rule_id)?;
    rules.iter().try_for_each(|(rule, facts)| judge_facts(rule, facts))?;
    if !rule_outcomes.is_empty() && rule_outcomes.len() != pages.len() {
        return Err(OutputError::RuleOutcomes { pages: pages.len(), listed: rule_outcomes.len() });
    }
    for RuleOutcomes { passed, inapplicable } in rule_outcomes {
        at_most("rules of a page", MAX_RULES, passed.len() + inapplicable.len())?;
        passed.iter().chain(inapplicable).try_for_each(judge_rule_id)?;
    }
    let is_checked = |page: usize| pages.get(page).is_some_and(PageOutcome::is_checked);
    let has_facts = |rule: &RuleId| {
        if rules.contains_key(rule) { Ok(()) } else { Err(OutputError::NoFacts { rule: rule.clone() }) }
    };
    needs_review.keys().try_for_each(has_facts)?;
    for (page, outcome) in pages.iter().enumerate() {
        outcome.left_out.keys().try_for_each(has_facts)?;
        if !outcome.left_out.is_empty() && !outcome.is_checked() {
            return Err(OutputError::UncheckedPage { item: items.len(), page });
        }
    }
    let mut pictures = judge_pictures(screenshots, screen.as_ref(), *screen_size)?;
    judge_kept(request, kept_pictures, &mut pictures)?;
    at_most("elements to decide about", Findings::MAX_ALL_UNDECIDED, undecided.len())?;
    for (rule, reasons) in undecided_reasons {
        has_facts(rule)?;
        at_most("reasons of a rule", UndecidedReason::MAX_PER_RULE, reasons.len())?;
        for reason in reasons {
            text("the id of a check", &reason.check, AxeCheck::MAX_NAME)?;
            text("the key of a message", reason.key.as_deref().unwrap_or_default(), AxeCheck::MAX_NAME)?;
        }
    }
    let shown = |picture: Option<ScreenshotRef>| match picture {
        Some(ScreenshotRef { id, width, height, scale_percent })
            if scale_percent == 0 || !pictures.contains(&(id.0, width, height)) =>
        {
            Err(OutputError::Picture { id: id.0 })
        }
        _ => Ok(()),
    };
    pages.iter().try_for_each(|page| shown(page.picture))?;
    // They have the numbers after those that fail.
    for (item, finding) in items.iter().chain(undecided).enumerate() {
        has_facts(&finding.rule)?;
        if !is_checked(finding.page) {
            return Err(OutputError::UncheckedPage { item, page: finding.page });
        }
        if finding.is_new {
            return Err(OutputError::CallsItselfNew { item });
        }
        text("a selector", &finding.selector, Finding::MAX_SELECTOR)?;
        text("the HTML of an element", &finding.html, Finding::MAX_HTML)?;
        text("a failure summary", &finding.failure_summary, Finding::MAX_SUMMARY)?;
        if let Some(control) = &finding.opened_by {
            text("the name of a control", &control.name, OpenedBy::MAX_NAME)?;
            text("the selector of a control", &control.selector, OpenedBy::MAX_SELECTOR)?;
        }
        judge_checks(&finding.checks)?;
        shown(finding.screenshot)?;
    }
    Ok(())
}

fn judge_checks(checks: &[AxeCheck]) -> Result<(), OutputError> {
    at_most("checks of an element", AxeCheck::MAX_PER_ELEMENT, checks.len())?;
    for AxeCheck { id, key, values, .. } in checks {
        text("the id of a check", id, AxeCheck::MAX_NAME)?;
        text("the key of a message", key.as_deref().unwrap_or_default(), AxeCheck::MAX_NAME)?;
        at_most("values of a check", AxeCheck::MAX_VALUES, values.len())?;
        for (name, pieces) in values {
            text("the name of a value", name, AxeCheck::MAX_NAME)?;
            at_most("pieces of a value", AxeCheck::MAX_PIECES, pieces.len())?;
            pieces.iter().try_for_each(|piece| text("a value of a check", piece, AxeCheck::MAX_PIECE))?;
        }
    }
    Ok(())
}

fn judge_engine(engine: &Tool) -> Result<(), OutputError> {
    text("the name of the engine", &engine.name, Tool::MAX_TEXT)?;
    text("the version of the engine", &engine.version, Tool::MAX_TEXT)?;
    text("the version of our own checks", engine.probes.as_deref().unwrap_or_default(), Tool::MAX_TEXT)?;
    text("the name of the browser", engine.browser.as_deref().unwrap_or_default(), Tool::MAX_TEXT)
}

fn judge_pages(request: &ScanRequest, pages: &[PageOutcome]) -> Result<(), OutputError> {
    let budget = request.page_budget;
    if pages.is_empty() {
        return Err(OutputError::NoPage);
    }
    let (dead, scanned): (Vec<_>, Vec<_>) = pages.iter().partition(|page| page.is_dead_link());
    if scanned.len() > usize::try_from(budget).unwrap_or(usize::MAX) {
        return Err(OutputError::TooManyPages { pages: scanned.len(), budget });
    }
    if let Some(asked) = request.pages.as_ref().map(|pages| pages.as_slice().len())
        && (scanned.len() != asked || !dead.is_empty())
    {
        return Err(OutputError::NotThePages { listed: scanned.len(), asked });
    }
    at_most("dead links", usize::try_from(ScanRequest::MAX_DEAD_LINKS).unwrap_or(usize::MAX), dead.len())?;
    for (page, outcome) in pages.iter().enumerate() {
        text("the address of a page", &outcome.url, PageOutcome::MAX_URL)?;
        if !is_http(&outcome.url) {
            return Err(OutputError::PageAddress { page });
        }
        text("the title of a page", &outcome.title, PageOutcome::MAX_TITLE)?;
        if let Some(linked_from) = &outcome.linked_from {
            text("the page that leads to a dead link", linked_from, PageOutcome::MAX_LINKED_FROM)?;
        }
        if outcome.is_dead_link() && outcome.is_checked() {
            return Err(OutputError::CheckedDeadLink { page });
        }
        if let Some(failure) = &outcome.error {
            text("the reason why a page failed", &failure.message, Failure::MAX_MESSAGE)?;
        }
        if let Some(facts) = outcome.error.as_ref().map(Failure::facts) {
            for fact in facts.texts() {
                text("a fact of why a page failed", fact, FailureFacts::MAX_TEXT)?;
            }
        }
        at_most("addresses without an answer of a page", PageOutcome::MAX_UNANSWERED, outcome.unanswered.len())?;
        for address in &outcome.unanswered {
            text("an address without an answer", address, PageOutcome::MAX_ADDRESS)?;
        }
        let percent = outcome.cover.map(|cover| cover.percent);
        if let Some(percent) = percent.filter(|percent| !(Cover::LEAST_PERCENT..=100).contains(percent)) {
            return Err(OutputError::Cover { page, percent });
        }
        if let Some((rule, _)) = outcome.left_out.iter().find(|(_, left_out)| **left_out == 0) {
            return Err(OutputError::NothingLeftOut { page, rule: rule.clone() });
        }
        at_most("named frames of a page", PageOutcome::MAX_UNCHECKED_FRAMES, outcome.unchecked_frames.len())?;
        for frame in &outcome.unchecked_frames {
            text("the address of a frame", &frame.url, UncheckedFrame::MAX_URL)?;
        }
    }
    Ok(())
}

/// Judges what was taken over from the previous check, and what is left for the next.
fn judge_taken_over(
    request: &ScanRequest,
    pages: &[PageOutcome],
    remembered: Option<&Remembered>,
) -> Result<(), OutputError> {
    let earlier = request.earlier.as_ref().filter(|earlier| earlier.depth == Depth::Incremental);
    for (page, outcome) in pages.iter().enumerate() {
        let Some(looked_at) = outcome.looked_at else { continue };
        if page == 0 || !outcome.is_checked() || earlier.is_none_or(|earlier| looked_at > earlier.finished_at) {
            return Err(OutputError::TakenOver { page });
        }
    }
    let has_taken_over = pages.iter().any(|page| page.looked_at.is_some());
    match remembered.map(|remembered| remembered.course) {
        Some(course @ (Course::Full | Course::Contradicted)) if has_taken_over => {
            return Err(OutputError::Course { course });
        }
        Some(course @ (Course::Incremental | Course::Contradicted)) if earlier.is_none() => {
            return Err(OutputError::Course { course });
        }
        Some(Course::Full | Course::Incremental | Course::Contradicted) | None => {}
    }
    let document = remembered.map_or(0, |remembered| remembered.document.len());
    at_most("bytes of a memo", Memo::MAX_DOCUMENT, document)
}

/// Adds the pictures that are kept to those that were taken, if the previous check has them.
fn judge_kept(
    request: &ScanRequest,
    kept: &[KeptPicture],
    pictures: &mut BTreeSet<(u32, u32, u32)>,
) -> Result<(), OutputError> {
    if kept.is_empty() {
        return Ok(());
    }
    let earlier = request.earlier.as_ref().map(|earlier| earlier.pictures()).unwrap_or_default();
    let mut ids: BTreeSet<u32> = pictures.iter().map(|(id, ..)| *id).collect();
    for KeptPicture { id, was, width, height } in kept {
        if !ids.insert(id.0) || !earlier.contains(&(was.0, *width, *height)) {
            return Err(OutputError::Picture { id: id.0 });
        }
        pictures.insert((id.0, *width, *height));
    }
    Ok(())
}

fn judge_rule_id(rule: &RuleId) -> Result<(), OutputError> {
    text("the id of a rule", rule.as_str(), RuleId::MAX)
}

fn judge_facts(rule: &RuleId, facts: &RuleFacts) -> Result<(), OutputError> {
    at_most("tags of a rule", RuleFacts::MAX_TAGS, facts.tags.len())?;
    facts.tags.iter().try_for_each(|tag| text("a tag of a rule", tag, RuleId::MAX))?;
    for fact in [&facts.help, &facts.description, &facts.help_url] {
        text("what a rule says of itself", fact, RuleFacts::MAX_TEXT)?;
    }
    // A custom rule may have no page that explains it.
    if !facts.help_url.is_empty() && !is_http(&facts.help_url) {
        return Err(OutputError::HelpAddress { rule: rule.clone() });
    }
    Ok(())
}

/// Returns the pictures of elements and pages, with their sizes.
fn judge_pictures(
    screenshots: &[Screenshot],
    screen: Option<&Screenshot>,
    screen_size: Option<(u32, u32)>,
) -> Result<BTreeSet<(u32, u32, u32)>, OutputError> {
    if let Some(picture) = screenshots.iter().chain(screen).find(|picture| picture.bytes.len() > MAX_PICTURE) {
        return Err(OutputError::Picture { id: picture.id.0 });
    }
    if screen.map(|screen| (screen.width, screen.height)) != screen_size {
        return Err(OutputError::Picture { id: screen.map_or(0, |screen| screen.id.0) });
    }
    let mut ids = BTreeSet::new();
    let mut pictures = BTreeSet::new();
    for Screenshot { id, width, height, .. } in screenshots {
        if !ids.insert(id.0) {
            return Err(OutputError::Picture { id: id.0 });
        }
        pictures.insert((id.0, *width, *height));
    }
    Ok(pictures)
}

fn text(what: &'static str, text: &str, max: usize) -> Result<(), OutputError> {
    // Bytes first: there are at least as many as characters, and they need no counting.
    if (text.len() > max && text.chars().count() > max) || text.contains('\0') {
        return Err(OutputError::Text { what, max });
    }
    Ok(())
}

const fn at_most(what: &'static str, max: usize, number: usize) -> Result<(), OutputError> {
    if number > max { Err(OutputError::TooMany { what, max }) } else { Ok(()) }
}

fn is_http(address: &str) -> bool {
    Url::parse(address).is_ok_and(|url| matches!(url.scheme(), "http" | "https"))
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeMap, sync::Arc};

    use super::*;
    use crate::{
        domain::{CheckNeed, CheckOutcome, CoverKind, FailureCode, Impact, ScreenshotId, SiteUrl, StandardId},
        id::ScanId,
        scanner::{EarlierCheck, ScreenshotFormat},
    };

    const RULE: &str = "image-alt";

    fn request() -> ScanRequest {
        let at = chrono::DateTime::UNIX_EPOCH;
        ScanRequest::new(ScanId::generate(at), SiteUrl::parse("https://a.example/").unwrap(), 3)
    }

    /// Returns a result with two pages, one of which was checked and has a problem with a picture.
    fn output() -> ScanOutput {
        let mut item = Finding::new(RuleId::new(RULE), 0, "https://a.example/", "img", "<img>", "No text.");
        item.screenshot = Some(ScreenshotRef::new(ScreenshotId(1), 4, 3));
        let facts = RuleFacts {
            impact: Impact::Critical,
            tags: vec!["wcag2a".to_owned()],
            help: "Help".to_owned(),
            description: String::new(),
            help_url: "https://rules.example/image-alt".to_owned(),
        };
        let gone = Failure::new(FailureCode::HttpStatus, "The web server answered with error status 404.");
        let bytes = vec![1, 2, 3];
        let format = ScreenshotFormat::Png;
        ScanOutput {
            findings: Findings {
                engine: Tool::new("own", "1"),
                pages: vec![
                    PageOutcome::checked("https://a.example/", "Home"),
                    PageOutcome::failed("https://a.example/gone", "", gone),
                ],
                rules: BTreeMap::from([(RuleId::new(RULE), facts)]),
                items: vec![item],
                needs_review: BTreeMap::new(),
                undecided: Vec::new(),
                undecided_reasons: BTreeMap::new(),
                stack: vec![],
                screen: None,
                ran: Some([RuleId::new(RULE)].into()),
                pictures_not_stored: false,
                stopped_by_timeouts: false,
                standard: StandardId::Wcag21Aa,
            },
            screenshots: vec![Screenshot { id: ScreenshotId(1), format, width: 4, height: 3, bytes }],
            screen: None,
            rule_outcomes: Vec::new(),
            kept_pictures: Vec::new(),
            remembered: None,
        }
    }

    fn judged(change: impl FnOnce(&mut ScanOutput)) -> Result<(), OutputError> {
        let mut output = output();
        change(&mut output);
        judge(&request(), &output)
    }

    #[test]
    fn a_sound_result_is_accepted_as_it_is() {
        assert_eq!(judged(|_| {}), Ok(()));
        let accepted = accept(&request(), Ok(output()), false).unwrap();
        assert_eq!(accepted.findings, output().findings);
    }

    /// A site owner would read "0 problems" for a site that was not checked at all.
    #[test]
    fn a_result_without_a_checked_page_is_the_failure_of_its_first_page() {
        let mut nothing = output();
        nothing.findings.pages.remove(0);
        nothing.findings.items.clear();
        let error = accept(&request(), Ok(nothing), false).unwrap_err();
        assert!(matches!(error, ScanError::Failed(failure) if failure.code == FailureCode::HttpStatus));
        let mut empty = output();
        empty.findings.pages.clear();
        empty.findings.items.clear();
        assert_eq!(judge(&request(), &empty), Err(OutputError::NoPage));
    }

    #[test]
    fn more_pages_than_were_asked_for_are_refused() {
        let four = judged(|output| {
            let page = output.findings.pages[0].clone();
            output.findings.pages.extend([page.clone(), page]);
        });
        assert_eq!(four, Err(OutputError::TooManyPages { pages: 4, budget: 3 }));
    }

    #[test]
    fn dead_links_are_bounded_apart_and_were_not_checked() {
        let with = |dead: usize| {
            judged(|output| {
                let gone = || Failure::new(FailureCode::HttpStatus, "The web server answered with error status 404.");
                let link = |number| {
                    PageOutcome::dead_link(format!("https://a.example/{number}"), "https://a.example/", gone())
                };
                output.findings.pages.extend((0..dead).map(link));
            })
        };
        let most = usize::try_from(ScanRequest::MAX_DEAD_LINKS).unwrap();
        assert_eq!(with(most), Ok(()));
        assert_eq!(with(most + 1), Err(OutputError::TooMany { what: "dead links", max: most }));
        let checked = judged(|output| output.findings.pages[0].linked_from = Some("https://a.example/b".to_owned()));
        assert_eq!(checked, Err(OutputError::CheckedDeadLink { page: 0 }));
    }

    #[test]
    fn findings_without_a_checked_page_or_rule_facts_are_refused() {
        assert_eq!(
            judged(|output| output.findings.items[0].page = 7),
            Err(OutputError::UncheckedPage { item: 0, page: 7 })
        );
        assert_eq!(
            judged(|output| output.findings.items[0].page = 1),
            Err(OutputError::UncheckedPage { item: 0, page: 1 })
        );
        let left_out = |output: &mut ScanOutput| output.findings.pages[1].left_out = [(RuleId::new(RULE), 2)].into();
        assert_eq!(judged(left_out), Err(OutputError::UncheckedPage { item: 1, page: 1 }));
        let rule = RuleId::new("unheard-of");
        let no_facts = Err(OutputError::NoFacts { rule: rule.clone() });
        assert_eq!(judged(|output| output.findings.items[0].rule = rule.clone()), no_facts);
        assert_eq!(judged(|output| output.findings.needs_review = [(rule.clone(), 1)].into()), no_facts);
        assert_eq!(judged(|output| output.findings.pages[0].left_out = [(rule.clone(), 1)].into()), no_facts);
    }

    #[test]
    fn facts_of_a_page_that_contradict_their_bounds_are_refused() {
        let address = |number: usize| format!("https://t.example/{number}");
        let silent =
            |count: usize| judged(|output| output.findings.pages[0].unanswered = (0..count).map(address).collect());
        assert_eq!(silent(PageOutcome::MAX_UNANSWERED), Ok(()));
        assert!(matches!(silent(PageOutcome::MAX_UNANSWERED + 1), Err(OutputError::TooMany { .. })));
        let covered = |percent| {
            judged(|output| output.findings.pages[0].cover = Some(Cover { kind: CoverKind::Dialog, percent }))
        };
        assert_eq!((covered(50), covered(100)), (Ok(()), Ok(())));
        assert_eq!(covered(49), Err(OutputError::Cover { page: 0, percent: 49 }));
        assert_eq!(covered(101), Err(OutputError::Cover { page: 0, percent: 101 }));
        let none = judged(|output| output.findings.pages[0].left_out = [(RuleId::new(RULE), 0)].into());
        assert_eq!(none, Err(OutputError::NothingLeftOut { page: 0, rule: RuleId::new(RULE) }));
        let judged_with = |pages: usize| judged(|output| output.rule_outcomes = vec![RuleOutcomes::default(); pages]);
        assert_eq!((judged_with(0), judged_with(2)), (Ok(()), Ok(())));
        assert_eq!(judged_with(3), Err(OutputError::RuleOutcomes { pages: 2, listed: 3 }));
        let passing = |rule: &str| {
            let passed = RuleOutcomes { passed: [RuleId::new(rule)].into(), ..RuleOutcomes::default() };
            judged(|output| output.rule_outcomes = vec![passed, RuleOutcomes::default()])
        };
        assert_eq!(passing("html-has-lang"), Ok(()));
    }

    #[test]
    fn elements_to_decide_about_are_bounded_like_those_that_fail() {
        let many = |count: usize| {
            judged(|output| {
                let element = output.findings.items[0].clone();
                output.findings.undecided = vec![Finding { screenshot: None, ..element }; count];
            })
        };
        assert_eq!(many(Findings::MAX_ALL_UNDECIDED), Ok(()));
        assert!(matches!(many(Findings::MAX_ALL_UNDECIDED + 1), Err(OutputError::TooMany { .. })));
        let reason = UndecidedReason::new("has-alt", None, 1);
        let reasons = |rule: &str, count: usize| {
            judged(|output| {
                output.findings.undecided_reasons = [(RuleId::new(rule), vec![reason.clone(); count])].into();
            })
        };
        assert_eq!(reasons(RULE, UndecidedReason::MAX_PER_RULE), Ok(()));
        assert!(matches!(reasons(RULE, UndecidedReason::MAX_PER_RULE + 1), Err(OutputError::TooMany { .. })));
        assert_eq!(reasons("other", 1), Err(OutputError::NoFacts { rule: RuleId::new("other") }));
        let check = AxeCheck::new("has-alt", CheckNeed::Any, CheckOutcome::Fail);
        let checks = |checks: Vec<AxeCheck>| judged(|output| output.findings.items[0].checks = checks);
        assert_eq!(checks(vec![check.clone(); AxeCheck::MAX_PER_ELEMENT]), Ok(()));
        assert!(matches!(checks(vec![check.clone(); AxeCheck::MAX_PER_ELEMENT + 1]), Err(OutputError::TooMany { .. })));
        let mut long = check.with_value("a", ["b"]);
        long.values.insert("a".to_owned(), vec!["x".repeat(AxeCheck::MAX_PIECE + 1)]);
        assert!(matches!(checks(vec![long]), Err(OutputError::Text { .. })));
    }

    #[test]
    fn texts_beyond_their_bounds_are_refused() {
        type Change = fn(&mut ScanOutput, String);
        let texts: [(Change, usize); 12] = [
            (|output, long| output.findings.items[0].html = long, Finding::MAX_HTML),
            (|output, long| output.findings.items[0].selector = long, Finding::MAX_SELECTOR),
            (|output, long| output.findings.items[0].failure_summary = long, Finding::MAX_SUMMARY),
            (
                |output, long| {
                    let mut control = OpenedBy::new("Menu", "#menu");
                    control.name = long;
                    output.findings.items[0].opened_by = Some(control);
                },
                OpenedBy::MAX_NAME,
            ),
            (|output, long| output.findings.pages[0].title = long, PageOutcome::MAX_TITLE),
            (|output, long| output.findings.pages[0].unanswered = vec![long], PageOutcome::MAX_ADDRESS),
            (
                |output, long| {
                    let facts = FailureFacts { product: Some(long), ..FailureFacts::default() };
                    let failure = Failure::new(FailureCode::BotChallenge, "A challenge.").with_facts(facts);
                    output.findings.pages[1].error = Some(failure);
                },
                FailureFacts::MAX_TEXT,
            ),
            (|output, long| output.findings.engine.name = long, Tool::MAX_TEXT),
            (|output, long| output.findings.engine.browser = Some(long), Tool::MAX_TEXT),
            (|output, long| output.findings.engine.probes = Some(long), Tool::MAX_TEXT),
            (|output, long| output.findings.ran = Some([RuleId::new(long)].into()), RuleId::MAX),
            (
                |output, long| output.findings.rules.values_mut().for_each(|facts| facts.help = long.clone()),
                RuleFacts::MAX_TEXT,
            ),
        ];
        for (change, bound) in texts {
            assert_eq!(judged(|output| change(output, "ж".repeat(bound))), Ok(()), "{bound}");
            let long = judged(|output| change(output, "ж".repeat(bound + 1)));
            assert!(matches!(long, Err(OutputError::Text { max, .. }) if max == bound), "{long:?}");
            let nul = judged(|output| change(output, "a\0b".to_owned()));
            assert!(matches!(nul, Err(OutputError::Text { max, .. }) if max == bound), "{nul:?}");
        }
    }

    #[test]
    fn addresses_that_are_not_http_are_refused() {
        for address in ["javascript:alert(1)", "", "/about", "data:text/html,x"] {
            let page = judged(|output| output.findings.pages[1].url = address.to_owned());
            assert_eq!(page, Err(OutputError::PageAddress { page: 1 }), "{address}");
        }
        let help = |address: &str| {
            judged(|output| output.findings.rules.values_mut().for_each(|facts| facts.help_url = address.to_owned()))
        };
        assert_eq!(help("javascript:alert(1)"), Err(OutputError::HelpAddress { rule: RuleId::new(RULE) }));
        assert_eq!(help(""), Ok(()));
    }

    #[test]
    fn what_core_alone_can_know_is_refused() {
        assert_eq!(
            judged(|output| output.findings.items[0].is_new = true),
            Err(OutputError::CallsItselfNew { item: 0 })
        );
        assert_eq!(judged(|output| output.findings.pictures_not_stored = true), Err(OutputError::CallsPicturesLost));
    }

    #[test]
    fn pictures_are_there_once_and_of_the_size_that_is_reported() {
        let refused = Err(OutputError::Picture { id: 1 });
        assert_eq!(judged(|output| output.screenshots.clear()), refused);
        assert_eq!(judged(|output| output.screenshots.push(output.screenshots[0].clone())), refused);
        assert_eq!(judged(|output| output.screenshots[0].width = 5), refused);
        assert_eq!(judged(|output| output.screenshots[0].bytes = vec![0; MAX_PICTURE + 1]), refused);
        assert_eq!(judged(|output| output.findings.screen = Some((1, 1))), Err(OutputError::Picture { id: 0 }));
        let of_page = |id, width| {
            judged(|output| output.findings.pages[0].picture = Some(ScreenshotRef::new(ScreenshotId(id), width, 3)))
        };
        assert_eq!((of_page(1, 4), of_page(1, 5)), (Ok(()), refused));
        assert_eq!(of_page(2, 4), Err(OutputError::Picture { id: 2 }));
        let flat = ScreenshotRef::new(ScreenshotId(1), 4, 3).with_scale_percent(0);
        assert_eq!(
            judged(|output| output.findings.items[0].screenshot = Some(flat)),
            Err(OutputError::Picture { id: 1 })
        );
    }

    /// Returns the verdict on a result that follows an earlier one with this depth.
    fn judged_after(depth: Depth, change: impl FnOnce(&mut ScanOutput)) -> Result<(), OutputError> {
        let at = chrono::DateTime::UNIX_EPOCH;
        let memo = Memo { full_at: at, barred_until: None, document: Vec::new() };
        let earlier = EarlierCheck::new(at, output().findings, memo, depth);
        let mut output = output();
        output.findings.pages.push(PageOutcome::checked("https://a.example/b", "B"));
        change(&mut output);
        judge(&request().with_earlier(Arc::new(earlier)), &output)
    }

    #[test]
    fn outcomes_are_taken_over_where_the_request_permits_it_and_never_for_the_start_page() {
        let at = |seconds| Some(chrono::DateTime::UNIX_EPOCH + chrono::TimeDelta::seconds(seconds));
        let taken = |depth, page: usize, seconds| {
            judged_after(depth, |output| output.findings.pages[page].looked_at = at(seconds))
        };
        assert_eq!(taken(Depth::Incremental, 2, 0), Ok(()));
        assert_eq!(taken(Depth::Incremental, 2, -1), Ok(()));
        assert_eq!(taken(Depth::Incremental, 2, 1), Err(OutputError::TakenOver { page: 2 }));
        assert_eq!(taken(Depth::Incremental, 0, 0), Err(OutputError::TakenOver { page: 0 }));
        assert_eq!(taken(Depth::Incremental, 1, 0), Err(OutputError::TakenOver { page: 1 }), "it failed");
        assert_eq!(taken(Depth::Full, 2, 0), Err(OutputError::TakenOver { page: 2 }));
        assert_eq!(
            judged(|output| output.findings.pages[0].looked_at = at(0)),
            Err(OutputError::TakenOver { page: 0 })
        );
    }

    #[test]
    fn a_course_that_was_not_open_and_a_memo_beyond_its_bound_are_refused() {
        let took =
            |depth, course| judged_after(depth, |output| output.remembered = Some(Remembered::new(course, Vec::new())));
        for course in [Course::Full, Course::Incremental, Course::Contradicted] {
            assert_eq!(took(Depth::Incremental, course), Ok(()));
            let expected = if course == Course::Full { Ok(()) } else { Err(OutputError::Course { course }) };
            assert_eq!(took(Depth::Full, course), expected);
            let both = judged_after(Depth::Incremental, |output| {
                output.findings.pages[2].looked_at = Some(chrono::DateTime::UNIX_EPOCH);
                output.remembered = Some(Remembered::new(course, Vec::new()));
            });
            assert_eq!(both, if course == Course::Incremental { Ok(()) } else { Err(OutputError::Course { course }) });
        }
        let sized = |bytes| judged(|output| output.remembered = Some(Remembered::new(Course::Full, vec![0; bytes])));
        assert_eq!(sized(Memo::MAX_DOCUMENT), Ok(()));
        assert!(matches!(sized(Memo::MAX_DOCUMENT + 1), Err(OutputError::TooMany { .. })));
    }

    #[test]
    fn a_picture_that_is_kept_was_there_in_its_size_and_has_a_number_of_its_own() {
        let kept = |id, was, width| {
            judged_after(Depth::Incremental, |output| {
                output.kept_pictures =
                    vec![KeptPicture { id: ScreenshotId(id), was: ScreenshotId(was), width, height: 3 }];
                output.findings.pages[2].picture = Some(ScreenshotRef::new(ScreenshotId(id), width, 3));
            })
        };
        assert_eq!(kept(5, 1, 4), Ok(()));
        assert_eq!(kept(1, 1, 4), Err(OutputError::Picture { id: 1 }), "the number is that of one that was taken");
        assert_eq!(kept(5, 2, 4), Err(OutputError::Picture { id: 5 }));
        assert_eq!(kept(5, 1, 5), Err(OutputError::Picture { id: 5 }));
    }

    /// Such a check would be handed back and claimed again without end.
    #[test]
    fn a_cancellation_that_nobody_asked_for_is_a_fault_of_the_scanner() {
        let error = accept(&request(), Err(ScanError::Cancelled), false).unwrap_err();
        assert!(matches!(error, ScanError::Broken(_)), "{error:?}");
        let error = accept(&request(), Err(ScanError::Cancelled), true).unwrap_err();
        assert!(matches!(error, ScanError::Cancelled), "{error:?}");
    }
}
