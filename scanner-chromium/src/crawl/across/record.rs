//! The pages of a check, and the findings that comparing them adds.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use a11ycheck_core::{
    catalog::{axe_check, is_probe},
    domain::{CheckNeed, CheckOutcome, Finding, Findings, MASK, RuleId, UndecidedReason},
    scanner::{RuleOutcomes, ScanOutput},
};
use serde_json::{Value, json};
use url::Url;

use super::{
    IDENTIFICATION, NAVIGATION, WAYS,
    blocks::{Kept, PageBlocks},
    compare::{Comparison, Seen, compare},
};
use crate::{
    axe::add_reasons,
    crawl::{address, site::Site},
    probes,
};

/// The greatest number of elements of a rule that are kept. All are counted.
const MAX_KEPT: usize = 20;
/// The least number of pages of a site in which each page has to be found in more than one way (WCAG 2.4.5).
const LEAST_PAGES: usize = 3;

/// The pages of a check that were added so far, with the blocks in which they are compared.
#[derive(Debug, Default)]
pub(in crate::crawl) struct Across {
    kept: Kept,
    /// The pages that were checked, by their numbers among the findings.
    pages: Vec<(usize, PageBlocks)>,
    start: Option<StartPage>,
}

/// The page with which a check begins.
#[derive(Debug)]
struct StartPage {
    page: usize,
    /// The start tag of its `html`.
    source: String,
    /// The pages to which it links, as [`address::key`] has them.
    links: HashSet<String>,
}

/// An element about which a person is asked.
#[derive(Debug)]
struct UndecidedElement<'a> {
    page: usize,
    selector: &'a str,
    source: &'a str,
    data: Value,
}

/// A page of a site.
#[derive(Debug, Clone, Copy)]
struct SitePage<'a> {
    seen: Seen<'a>,
    url: &'a str,
}

impl Across {
    /// Notes the page with which the check begins: the start tag of its `html`, and its links.
    pub(in crate::crawl) fn begin(&mut self, page: usize, source: &str, links: &[String]) {
        let links = links.iter().filter_map(|link| Some(address::key(&Url::parse(link).ok()?))).collect();
        self.start = Some(StartPage { page, source: source.to_owned(), links });
    }

    /// Adds a page that was checked, and returns it as it is kept; `None` if there is no room for it, so that it is compared with
    /// nothing.
    pub(in crate::crawl) fn add(&mut self, page: usize, blocks: PageBlocks) -> Option<PageBlocks> {
        let kept = self.kept.keep(blocks);
        let known = kept.clone().unwrap_or_else(|| PageBlocks { is_cut: true, ..PageBlocks::default() });
        self.pages.push((page, known));
        kept
    }

    /// Renumbers the pages: the page with number `n` gets the number `places[n]`.
    pub(in crate::crawl) fn placed(mut self, places: &[usize]) -> Self {
        let place = |page: usize| places.get(page).copied().unwrap_or(page);
        for (page, _) in &mut self.pages {
            *page = place(*page);
        }
        self.pages.sort_by_key(|(page, _)| *page);
        if let Some(start) = &mut self.start {
            start.page = place(start.page);
        }
        self
    }

    /// Compares the pages, and adds to `output` the elements that a person has to judge, and the outcomes of these
    /// rules on each page.
    pub(in crate::crawl) fn add_to(&self, output: &mut ScanOutput) {
        let urls: Vec<String> = output.findings.pages.iter().map(|page| page.url.clone()).collect();
        let sites = self.sites(&urls);
        if sites.is_empty() {
            return;
        }
        let (mut navigation, mut identification, mut ways) = (Vec::new(), Vec::new(), Vec::new());
        let outcomes = &mut output.rule_outcomes;
        for site in &sites {
            let seen: Vec<Seen<'_>> = site.iter().map(|page| page.seen).collect();
            let comparison = compare(&seen);
            let own: BTreeSet<usize> = seen.iter().map(|seen| seen.page).collect();
            let Comparison { reordered, renamed, ordered, named } = &comparison;
            let url_of = |page: usize| urls.get(page);
            add_outcomes(outcomes, NAVIGATION, &own, ordered, reordered.iter().map(|found| found.page));
            navigation.extend(reordered.iter().map(|found| UndecidedElement {
                page: found.page,
                selector: &found.block.selector,
                source: &found.block.source,
                data: json!({ "links": found.links.map(|link| link.shown()), "page": url_of(found.usual_on) }),
            }));
            add_outcomes(outcomes, IDENTIFICATION, &own, named, renamed.iter().map(|found| found.page));
            identification.extend(renamed.iter().map(|found| UndecidedElement {
                page: found.page,
                selector: &found.item.selector,
                source: &found.item.source,
                data: json!({
                    "name": found.item.name,
                    "usual": found.usual_name,
                    "page": url_of(found.usual_on),
                }),
            }));
            let start = self.start.as_ref().filter(|start| own.contains(&start.page) && own.len() >= LEAST_PAGES);
            let lost = start.and_then(|start| Some((start, start.lost(site)?)));
            let applies: BTreeSet<usize> = start.iter().map(|start| start.page).collect();
            add_outcomes(outcomes, WAYS, &own, &applies, lost.iter().map(|(start, _)| start.page));
            ways.extend(lost.map(|(start, url)| UndecidedElement {
                page: start.page,
                selector: "html",
                source: &start.source,
                data: json!({ "page": url }),
            }));
        }
        for (rule, elements) in [(NAVIGATION, navigation), (IDENTIFICATION, identification), (WAYS, ways)] {
            add_undecided(&mut output.findings, rule, &elements);
        }
        // The order is by page; on a page, rules of axe-core come before probes, then by id.
        output.findings.undecided.sort_by(|a, b| {
            let key = |finding: &Finding| (finding.page, is_probe(finding.rule.as_str()));
            key(a).cmp(&key(b)).then_with(|| a.rule.cmp(&b.rule))
        });
    }

    /// Returns the pages of each site that has several, in the order of the pages.
    fn sites<'a>(&'a self, urls: &'a [String]) -> Vec<Vec<SitePage<'a>>> {
        let mut numbers: HashMap<Site, usize> = HashMap::new();
        let mut sites: Vec<Vec<SitePage<'a>>> = Vec::new();
        for (page, blocks) in &self.pages {
            let Some(url) = urls.get(*page) else { continue };
            let Ok(parsed) = Url::parse(url) else { continue };
            let site = *numbers.entry(Site::of(&parsed)).or_insert_with(|| {
                sites.push(Vec::new());
                sites.len() - 1
            });
            sites[site].push(SitePage { seen: Seen { page: *page, blocks }, url });
        }
        sites.retain(|site| site.len() > 1);
        sites
    }
}

impl StartPage {
    /// Returns the first page of the site to which neither this page nor a block of any page links. Returns `None` if
    /// there is none, or if the site may have another way to its pages: a search, an index, or links that were not
    /// kept.
    fn lost<'a>(&self, site: &[SitePage<'a>]) -> Option<&'a str> {
        let has_way = |blocks: &PageBlocks| blocks.has_search || blocks.has_index || blocks.is_cut;
        if site.iter().any(|page| has_way(page.seen.blocks)) {
            return None;
        }
        let blocks = site.iter().flat_map(|page| &page.seen.blocks.blocks);
        let items = blocks.flat_map(|block| &block.items);
        let linked: HashSet<&str> = items.filter_map(|item| item.leads_to()).collect();
        let is_linked = |url: &str| {
            // An address that is masked or malformed can't be compared, so the page counts as linked.
            let Some(url) = Url::parse(url).ok().filter(|url| !url.as_str().contains(MASK)) else { return true };
            let key = address::key(&url);
            linked.contains(key.as_str()) || self.links.contains(&key)
        };
        let mut others = site.iter().filter(|page| page.seen.page != self.page).map(|page| page.url);
        others.find(|url| !is_linked(url))
    }
}

/// Notes the outcome of a rule on these pages: passed on those in `applies`, and inapplicable on the others. On the
/// pages in `asked`, on which a person has to judge, there is no outcome yet.
fn add_outcomes(
    outcomes: &mut [RuleOutcomes],
    rule: &str,
    pages: &BTreeSet<usize>,
    applies: &BTreeSet<usize>,
    asked: impl Iterator<Item = usize>,
) {
    let asked: BTreeSet<usize> = asked.collect();
    for page in pages.difference(&asked) {
        let Some(RuleOutcomes { passed, inapplicable }) = outcomes.get_mut(*page) else { continue };
        let rules = if applies.contains(page) { passed } else { inapplicable };
        rules.insert(RuleId::new(rule));
    }
}

/// Adds a rule to the findings, with the elements that a person has to judge: [`MAX_KEPT`] of them, and the number of
/// all.
fn add_undecided(findings: &mut Findings, rule: &str, elements: &[UndecidedElement<'_>]) {
    // A test proves that the catalogue has each of the rules.
    let Some(facts) = probes::rule_facts(rule) else { return };
    let id = RuleId::new(rule);
    findings.ran.get_or_insert_default().insert(id.clone());
    if elements.is_empty() {
        return;
    }
    let count = u32::try_from(elements.len()).unwrap_or(u32::MAX);
    let summary = facts.help.clone();
    findings.rules.entry(id.clone()).or_insert(facts);
    *findings.needs_review.entry(id.clone()).or_default() += count;
    let reasons = [UndecidedReason::new(rule, None, count)];
    add_reasons(findings.undecided_reasons.entry(id.clone()).or_default(), &reasons);
    let room = Findings::MAX_ALL_UNDECIDED.saturating_sub(findings.undecided.len()).min(MAX_KEPT);
    let mut of_page: BTreeMap<usize, usize> = BTreeMap::new();
    let has_room = |element: &&UndecidedElement<'_>| {
        let count = of_page.entry(element.page).or_default();
        *count += 1;
        *count <= Findings::MAX_UNDECIDED
    };
    for UndecidedElement { page, selector, source, data } in elements.iter().filter(has_room).take(room) {
        let Some(url) = findings.pages.get(*page).map(|page| page.url.clone()) else { continue };
        let check = axe_check(rule, CheckNeed::Any, CheckOutcome::Incomplete, data);
        let finding = Finding::new(id.clone(), *page, &url, selector, source, &summary);
        findings.undecided.push(finding.with_checks([check]));
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use a11ycheck_core::domain::{PageOutcome, Tool};

    use super::{
        super::{Block, Item, Slot},
        *,
    };

    /// Returns a page with a menu of links to these pages, by the path and the name of each.
    fn page(links: &[(&str, &str)]) -> PageBlocks {
        let item = |(path, name): &(&str, &str)| {
            let (key, name) = (format!("link a.example/{path}"), (*name).to_owned());
            Arc::new(Item { key, name, selector: format!("#{path}"), source: "<a>".to_owned() })
        };
        let slot = Slot { role: "navigation".to_owned(), place: String::new(), label: String::new() };
        let items = links.iter().map(item).collect();
        let block = Block { slot, selector: "nav".to_owned(), source: "<nav>".to_owned(), items };
        PageBlocks { language: "en".to_owned(), blocks: vec![Arc::new(block)], ..PageBlocks::default() }
    }

    /// Returns the result of a check of these pages, of which the first is the start page.
    fn checked(pages: Vec<(&str, PageBlocks)>, links: &[&str]) -> ScanOutput {
        let urls: Vec<String> = pages.iter().map(|(path, _)| format!("https://a.example/{path}")).collect();
        let outcomes = urls.iter().map(|url| PageOutcome::checked(url.as_str(), ""));
        let findings = Findings::new(Tool::axe_core("", "")).with_pages(outcomes);
        let mut output = ScanOutput::new(findings).with_rule_outcomes(vec![RuleOutcomes::default(); urls.len()]);
        let mut across = Across::default();
        let links: Vec<String> = links.iter().map(|path| format!("https://a.example/{path}")).collect();
        across.begin(0, "<html lang=\"en\">", &links);
        for (number, (_, blocks)) in pages.into_iter().enumerate() {
            across.add(number, blocks);
        }
        across.add_to(&mut output);
        output
    }

    /// Returns `rule page selector` of each element about which a person is asked.
    fn asked(output: &ScanOutput) -> Vec<String> {
        let undecided = output.findings.undecided.iter();
        undecided.map(|item| format!("{} {} {}", item.rule, item.page, item.selector)).collect()
    }

    const MENU: [(&str, &str); 3] = [("b", "News"), ("c", "Shop"), ("d", "Help")];

    #[test]
    fn what_differs_is_asked_about_with_words_in_every_language_and_accuses_nobody() {
        let other = [("c", "Shop"), ("b", "News"), ("d", "Support")];
        let output = checked(vec![("", page(&MENU)), ("b", page(&MENU)), ("c", page(&other))], &["b"]);
        assert_eq!(
            asked(&output),
            ["a11ycheck-consistent-identification 2 #d", "a11ycheck-consistent-navigation 2 nav"]
        );
        let Findings { items, undecided, needs_review, undecided_reasons, ran, rules, .. } = &output.findings;
        assert!(items.is_empty());
        for rule in [NAVIGATION, IDENTIFICATION] {
            assert_eq!((needs_review[rule], undecided_reasons[rule][0].count), (1, 1));
            assert!(rules.contains_key(rule));
            let passed: Vec<bool> =
                output.rule_outcomes.iter().map(|outcomes| outcomes.passed.contains(rule)).collect();
            assert_eq!(passed, [true, true, false]);
        }
        let ran: Vec<&str> = ran.iter().flatten().map(RuleId::as_str).collect();
        assert_eq!(ran, [IDENTIFICATION, NAVIGATION, WAYS]);
        for locale in a11ycheck_core::locale::Locale::ALL {
            for check in undecided.iter().flat_map(|item| &item.checks) {
                let sentence = a11ycheck_core::catalog::sentence(check, locale).unwrap();
                assert!(sentence.contains("https://a.example/"), "{locale}: {sentence}");
            }
        }
    }

    #[test]
    fn a_page_that_no_menu_and_no_link_of_the_start_page_leads_to_is_asked_about_once() {
        let pages = || vec![("", page(&MENU)), ("b", page(&MENU)), ("x", page(&MENU)), ("y", page(&MENU))];
        let output = checked(pages(), &["b"]);
        assert_eq!(asked(&output), ["a11ycheck-multiple-ways 0 html"]);
        assert_eq!(output.findings.undecided[0].html, "<html lang=\"en\">");
        assert_eq!(output.findings.undecided[0].checks[0].values["page"], ["https://a.example/x"]);
        assert!(asked(&checked(pages(), &["x/", "y#part"])).is_empty(), "the start page leads to all");
        assert!(asked(&checked(pages()[..3].to_vec(), &["x"])).is_empty());
        assert!(asked(&checked(vec![("", page(&MENU)), ("x", page(&MENU))], &[])).is_empty(), "two pages");
        for way in [
            |page: &mut PageBlocks| page.has_search = true,
            |page: &mut PageBlocks| page.has_index = true,
            |page: &mut PageBlocks| page.is_cut = true,
        ] {
            let mut pages = pages();
            way(&mut pages[3].1);
            assert!(asked(&checked(pages, &["b"])).is_empty());
        }
    }

    #[test]
    fn nothing_is_said_of_one_page_and_pages_of_two_hosts_are_not_compared() {
        let output = checked(vec![("", page(&MENU))], &[]);
        assert_eq!((output.findings.ran, output.rule_outcomes), (None, vec![RuleOutcomes::default()]));
        let other = [("c", "Shop"), ("b", "News"), ("d", "Help")];
        let findings = Findings::new(Tool::axe_core("", ""));
        let urls = ["https://a.example/", "https://b.example/"];
        let mut output = ScanOutput::new(findings.with_pages(urls.map(|url| PageOutcome::checked(url, ""))));
        let mut across = Across::default();
        across.add(0, page(&MENU));
        across.add(1, page(&other));
        across.add_to(&mut output);
        assert!(asked(&output).is_empty() && output.findings.ran.is_none());
    }

    #[test]
    fn of_many_pages_a_few_are_kept_and_all_are_counted() {
        let other = [("c", "Shop"), ("b", "News"), ("d", "Help")];
        let names: Vec<String> = (0..100).map(|number| format!("p{number}")).collect();
        let of = |(number, name): (usize, &String)| -> (String, PageBlocks) {
            (name.clone(), if number < 60 { page(&MENU) } else { page(&other) })
        };
        let pages: Vec<(String, PageBlocks)> = names.iter().enumerate().map(of).collect();
        let all: Vec<&str> = names.iter().map(String::as_str).collect();
        let output = checked(pages.iter().map(|(name, blocks)| (name.as_str(), blocks.clone())).collect(), &all);
        assert_eq!(output.findings.needs_review[NAVIGATION], 40);
        assert_eq!(output.findings.undecided.len(), MAX_KEPT);
    }

    #[test]
    fn pages_are_compared_in_the_order_of_a_list_whenever_they_were_done() {
        let other = [("c", "Shop"), ("b", "News"), ("d", "Help")];
        let findings = Findings::new(Tool::axe_core("", ""));
        let urls = ["https://a.example/", "https://a.example/b"];
        let mut output = ScanOutput::new(findings.with_pages(urls.map(|url| PageOutcome::checked(url, ""))));
        let mut across = Across::default();
        across.add(0, page(&other));
        across.add(1, page(&MENU));
        across.placed(&[1, 0]).add_to(&mut output);
        assert_eq!(asked(&output), ["a11ycheck-consistent-navigation 1 nav"]);
    }
}
