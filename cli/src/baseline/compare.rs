//! The comparison of a run with a baseline.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use a11ycheck_core::{
    domain::{Finding, Findings, Fingerprint, PageOutcome, PreviousScan, RuleId, compare as compare_findings},
    id::ScanId,
};
use chrono::DateTime;

use super::{BaselineEntry, BaselineFile, Identity};
use crate::{gate::Unlisted, run::Solved};

/// The result of a comparison.
#[derive(Debug, Default)]
pub struct Compared {
    /// Whether each finding is new, in the order of [`Findings::items`].
    pub is_new: Vec<bool>,
    /// The new findings that are not listed one by one: above the bound of a page.
    pub unlisted: Unlisted,
    /// The entries of the baseline that no element of a page that was checked matches.
    pub solved: Vec<Solved>,
    /// The number of entries whose pages were not checked.
    pub not_compared: u64,
}

/// Compares what was found with a baseline, host by host, as core compares two checks: an element is recognised by its keys, and on a
/// page that the baseline does not have by its template.
pub fn compare(found: &Findings, baseline: &BaselineFile, identity: &Identity) -> Compared {
    let mut compared = Compared { is_new: vec![true; found.items.len()], ..Compared::default() };
    let sites: Vec<String> = found.pages.iter().map(|page| identity.site_of(&page.url)).collect();
    let checked: BTreeSet<String> = checked_names(found, identity);
    compared.not_compared =
        baseline.findings.iter().filter(|entry| !checked.contains(&entry.page)).count().try_into().unwrap_or(u64::MAX);
    for site in sites.iter().collect::<BTreeSet<_>>() {
        let (mut now, numbers) = part(found, |page| sites[page] == **site);
        let (mut before, entries) = of_baseline(found, baseline, site);
        let base = PreviousScan::new(ScanId::generate(DateTime::UNIX_EPOCH), DateTime::UNIX_EPOCH, 0);
        let unmarked = before.clone();
        compare_findings(&mut now, &unmarked, base);
        for (item, number) in now.items.iter().zip(&numbers) {
            compared.is_new[*number] = item.is_new;
        }
        // What the run lacks is what would be new in the baseline.
        compare_findings(&mut before, &now, base);
        let solved =
            before.items.iter().zip(&entries).filter(|(item, entry)| item.is_new && checked.contains(&entry.page));
        compared.solved.extend(solved.map(|(_, entry)| Solved {
            rule: entry.rule.clone(),
            page: entry.page.clone(),
            selector: entry.selector.clone(),
        }));
    }
    compared.unlisted = unlisted(found, baseline, identity, &compared.is_new);
    compared
}

/// Returns the baseline after a run: the findings of the pages that were checked, but for accepted ones, and what was known of others.
pub fn updated(
    old: Option<&BaselineFile>,
    found: &Findings,
    is_accepted: impl Fn(usize) -> bool,
    identity: &Identity,
) -> BaselineFile {
    let checked = checked_names(found, identity);
    let mut baseline = BaselineFile::default();
    if let Some(old) = old {
        let kept = old.pages.iter().filter(|(page, _)| !checked.contains(*page));
        baseline.pages.extend(kept.map(|(page, left_out)| (page.clone(), left_out.clone())));
        baseline.findings.extend(old.findings.iter().filter(|entry| !checked.contains(&entry.page)).cloned());
    }
    for page in found.pages.iter().filter(|page| page.is_checked()) {
        let left_out = baseline.pages.entry(identity.name_of(&page.url)).or_default();
        for (rule, count) in &page.left_out {
            let known = left_out.entry(rule.clone()).or_default();
            *known = known.saturating_add(*count);
        }
    }
    for (_, item) in found.items.iter().enumerate().filter(|(number, _)| !is_accepted(*number)) {
        let Some(page) = found.pages.get(item.page) else { continue };
        baseline.add(BaselineEntry::new(&identity.name_of(&page.url), &item.rule, &item.selector, &item.fingerprint));
    }
    baseline
}

/// Returns the numbers of findings above the bound of a page, where there is no baseline.
pub(crate) fn all_unlisted(found: &Findings) -> Unlisted {
    let pages = found.pages.iter().enumerate();
    pages
        .flat_map(|(at, page)| page.left_out.iter().map(move |(rule, count)| ((at, rule.clone()), u64::from(*count))))
        .collect()
}

fn checked_names(found: &Findings, identity: &Identity) -> BTreeSet<String> {
    found.pages.iter().filter(|page| page.is_checked()).map(|page| identity.name_of(&page.url)).collect()
}

/// Returns the findings of the chosen pages, and their numbers among all.
fn part(found: &Findings, is_chosen: impl Fn(usize) -> bool) -> (Findings, Vec<usize>) {
    let mut places: HashMap<usize, usize> = HashMap::new();
    let mut part = Findings::new(found.engine.clone()).with_standard(found.standard);
    part.rules.clone_from(&found.rules);
    for (index, page) in found.pages.iter().enumerate().filter(|(index, _)| is_chosen(*index)) {
        places.insert(index, part.pages.len());
        part.pages.push(page.clone());
    }
    let mut numbers = Vec::new();
    for (number, item) in found.items.iter().enumerate() {
        if let Some(page) = places.get(&item.page) {
            let mut item = item.clone();
            item.page = *page;
            part.items.push(item);
            numbers.push(number);
        }
    }
    (part, numbers)
}

/// Returns the findings of a baseline on one host, and their entries.
fn of_baseline<'b>(found: &Findings, baseline: &'b BaselineFile, site: &str) -> (Findings, Vec<&'b BaselineEntry>) {
    let mut before = Findings::new(found.engine.clone()).with_standard(found.standard);
    before.rules.clone_from(&found.rules);
    let mut places: HashMap<&str, usize> = HashMap::new();
    for (page, left_out) in &baseline.pages {
        let Some(path) = page.strip_prefix(site).filter(|path| path.starts_with('/')) else { continue };
        places.insert(page, before.pages.len());
        // Keys of pages have no host.
        let mut outcome = PageOutcome::checked(format!("https://baseline.invalid{path}"), "");
        outcome.left_out.clone_from(left_out);
        before.pages.push(outcome);
    }
    let mut entries = Vec::new();
    for entry in &baseline.findings {
        let Some(page) = places.get(entry.page.as_str()) else { continue };
        let mut item = Finding::new(entry.rule.clone(), *page, "", &entry.selector, "", "");
        let BaselineEntry { loose, tight, outline, content, template, .. } = entry.clone();
        item.fingerprint.version = Fingerprint::VERSION;
        item.fingerprint.loose = loose;
        item.fingerprint.tight = tight;
        item.fingerprint.outline = outline;
        item.fingerprint.content = content;
        item.fingerprint.template = template;
        before.items.push(item);
        entries.push(entry);
    }
    (before, entries)
}

/// Counts new findings where a bound left some out: their elements are not known, but their number is.
fn unlisted(found: &Findings, baseline: &BaselineFile, identity: &Identity, is_new: &[bool]) -> Unlisted {
    let mut groups: BTreeMap<(usize, RuleId), (u64, u64)> = BTreeMap::new();
    let names: Vec<String> = found.pages.iter().map(|page| identity.name_of(&page.url)).collect();
    for (at, page) in found.pages.iter().enumerate().filter(|(_, page)| page.is_checked()) {
        let before = baseline.pages.get(&names[at]);
        for rule in page.left_out.keys().chain(before.into_iter().flat_map(BTreeMap::keys)) {
            groups.insert((at, rule.clone()), (u64::from(page.left_out.get(rule).copied().unwrap_or_default()), 0));
        }
    }
    if groups.is_empty() {
        return Unlisted::new();
    }
    for (item, is_new) in found.items.iter().zip(is_new) {
        if let Some((now, new)) = groups.get_mut(&(item.page, item.rule.clone())) {
            *now += 1;
            *new += u64::from(*is_new);
        }
    }
    let mut known: HashMap<(&str, &RuleId), u64> = HashMap::new();
    for entry in &baseline.findings {
        *known.entry((&entry.page, &entry.rule)).or_default() += 1;
    }
    let count = |((at, rule), (now, new)): ((usize, RuleId), (u64, u64))| {
        let listed = known.get(&(names[at].as_str(), &rule)).copied().unwrap_or_default();
        let left_out =
            baseline.pages.get(&names[at]).and_then(|left_out| left_out.get(&rule)).copied().unwrap_or_default();
        let more = now.saturating_sub(listed + u64::from(left_out)).saturating_sub(new);
        ((at, rule), more)
    };
    groups.into_iter().map(count).filter(|(_, more)| *more > 0).collect()
}

#[cfg(test)]
mod tests {
    use a11ycheck_core::domain::{Failure, FailureCode, Impact, RuleFacts, Tool};
    use proptest::prelude::*;
    use url::Url;

    use super::*;

    fn found(base: &str, pages: &[&str], elements: &[(usize, &str)]) -> Findings {
        let address = |page: &str| if page.starts_with("http") { page.to_owned() } else { format!("{base}{page}") };
        let item = |(page, id): &(usize, &str)| {
            let html = format!("<img id={id} src={base}/{id}.png>");
            Finding::new(RuleId::new("image-alt"), *page, &address(pages[*page]), &format!("#{id}"), &html, "")
        };
        Findings::new(Tool::axe_core("4", "Chrome"))
            .with_pages(pages.iter().map(|page| PageOutcome::checked(address(page), "")))
            .with_rules([(RuleId::new("image-alt"), RuleFacts::new(Impact::Critical, ["wcag2a"]))])
            .with_items(elements.iter().map(item))
    }

    fn identity(base: &str) -> Identity {
        Identity::of(&Url::parse(base).unwrap(), vec![])
    }

    fn baseline(base: &str, pages: &[&str], elements: &[(usize, &str)]) -> BaselineFile {
        updated(None, &found(base, pages, elements), |_| false, &identity(base))
    }

    const LIVE: &str = "https://www.a.example";
    const HERE: &str = "http://127.0.0.1:4173";

    #[test]
    fn the_same_build_at_another_address_has_nothing_new() {
        let (pages, elements) = (["/", "/contact"], [(0, "logo"), (1, "map")]);
        let known = baseline(LIVE, &pages, &elements);
        let compared = compare(&found(HERE, &pages, &elements), &known, &identity(HERE));
        assert_eq!(compared.is_new, [false, false]);
        assert!(compared.solved.is_empty() && compared.not_compared == 0);
        let more = compare(&found(HERE, &pages, &[(0, "logo"), (1, "map"), (1, "team")]), &known, &identity(HERE));
        assert_eq!(more.is_new, [false, false, true]);
    }

    #[test]
    fn equal_pages_of_two_hosts_are_not_taken_for_each_other() {
        let pages = ["/", "https://b.example/"];
        let known = baseline(LIVE, &pages, &[(1, "logo")]);
        let compared = compare(&found(LIVE, &pages, &[(0, "logo")]), &known, &identity(LIVE));
        assert_eq!(compared.is_new, [true]);
        assert_eq!(compared.solved.len(), 1);
    }

    #[test]
    fn a_page_that_was_not_checked_solves_nothing_and_keeps_its_entries() {
        let known = baseline(LIVE, &["/", "/contact"], &[(0, "logo"), (1, "map")]);
        let mut now = found(LIVE, &["/", "/contact"], &[]);
        now.pages[1] = PageOutcome::failed(format!("{LIVE}/contact"), "", Failure::new(FailureCode::Timeout, ""));
        let compared = compare(&now, &known, &identity(LIVE));
        let solved: Vec<&str> = compared.solved.iter().map(|solved| solved.page.as_str()).collect();
        assert_eq!((solved, compared.not_compared), (vec!["/"], 1));
        let next = updated(Some(&known), &now, |_| false, &identity(LIVE));
        assert_eq!(next.findings.iter().map(|entry| entry.page.as_str()).collect::<Vec<_>>(), ["/contact"]);
        assert_eq!(next.pages.len(), 2);
    }

    #[test]
    fn accepted_findings_are_not_written_so_that_they_count_again_when_they_expire() {
        let now = found(LIVE, &["/"], &[(0, "logo"), (0, "map")]);
        assert_eq!(updated(None, &now, |number| number == 0, &identity(LIVE)).findings.len(), 1);
    }

    #[test]
    fn more_elements_above_the_bound_of_a_page_are_new() {
        let mut before = found(LIVE, &["/"], &[(0, "logo")]);
        before.pages[0].left_out.insert(RuleId::new("image-alt"), 10);
        let known = updated(None, &before, |_| false, &identity(LIVE));
        assert!(compare(&before, &known, &identity(LIVE)).unlisted.is_empty());
        let mut now = before.clone();
        now.pages[0].left_out.insert(RuleId::new("image-alt"), 13);
        let compared = compare(&now, &known, &identity(LIVE));
        assert_eq!(compared.unlisted, Unlisted::from([((0, RuleId::new("image-alt")), 3)]));
    }

    proptest! {
        #[test]
        fn nothing_is_new_or_solved_against_its_own_baseline(elements in prop::collection::vec((0..2_usize, "[a-c]"), 0..8)) {
            let elements: Vec<(usize, &str)> = elements.iter().map(|(page, id)| (*page, id.as_str())).collect();
            let known = baseline(LIVE, &["/", "/x"], &elements);
            let compared = compare(&found(HERE, &["/", "/x"], &elements), &known, &identity(HERE));
            prop_assert!(compared.is_new.iter().all(|is_new| !is_new));
            prop_assert!(compared.solved.is_empty());
        }

        #[test]
        fn one_more_element_is_never_fewer_new_ones(
            known in prop::collection::vec((0..2_usize, "[a-c]"), 0..6), now in prop::collection::vec((0..2_usize, "[a-c]"), 0..6),
            added in (0..2_usize, "[a-c]"),
        ) {
            let pages = ["/", "/x"];
            let refs = |list: &[(usize, String)]| -> Vec<(usize, String)> { list.to_vec() };
            let count = |list: &[(usize, String)]| {
                let list: Vec<(usize, &str)> = list.iter().map(|(page, id)| (*page, id.as_str())).collect();
                let known: Vec<(usize, &str)> = known.iter().map(|(page, id)| (*page, id.as_str())).collect();
                let compared = compare(&found(LIVE, &pages, &list), &baseline(LIVE, &pages, &known), &identity(LIVE));
                compared.is_new.iter().filter(|is_new| **is_new).count()
            };
            let mut more = refs(&now);
            more.push(added);
            prop_assert!(count(&more) >= count(&now));
        }
    }
}
