//! The comparison of the findings on the pages of a folder with those of axe-core run by hand, element by element.

use std::collections::BTreeMap;

use crate::{
    contender::{Contender, Counts},
    corpus::Corpus,
};

/// The number of differences that are printed for a page.
const SHOWN: usize = 6;

/// Compares `rounds` times, and each run with the one before.
pub(crate) fn compare(corpus: &Corpus, rounds: usize) {
    println!("{} pages", corpus.urls().len());
    let by_hand = Contender::ElementsByHand.run(corpus).pages;
    let mut before: Option<BTreeMap<String, Counts>> = None;
    for round in 1..=rounds {
        let run = Contender::OurElements.run(corpus);
        let ours = &run.pages;
        let (mut equal, mut elements) = (0, 0);
        for (url, expected) in &by_hand {
            let Some(found) = ours.get(url) else {
                println!("  {url}\n    not in our report");
                continue;
            };
            let differences = differences(expected, found);
            elements += total(found);
            if differences.is_empty() {
                equal += 1;
            } else {
                println!("  {url}");
                differences.iter().take(SHOWN).for_each(|difference| println!("    {difference}"));
            }
        }
        for url in ours.keys().filter(|url| !by_hand.contains_key(*url)) {
            println!("  {url}\n    only in our report");
        }
        println!(
            "comparison {round}: {equal} of {} pages equal those of axe-core run by hand; {elements} elements, {} by hand",
            by_hand.len(),
            by_hand.values().map(total).sum::<u64>(),
        );
        if let Some(before) = before.replace(ours.clone()) {
            let same = if before == *ours { "the same" } else { "OTHERS" };
            println!("comparison {round}: {same} as in the comparison before");
        }
    }
}

/// Returns the total of the counts by rule; the rest are the same elements again, by selector.
fn total(counts: &Counts) -> u64 {
    counts.iter().filter(|(name, _)| !name.contains(' ')).map(|(_, count)| count).sum()
}

/// Returns what is expected but not found, or has another count. Selectors of a rule count if we kept all of its
/// elements.
fn differences(expected: &Counts, found: &Counts) -> Vec<String> {
    let whole = |name: &str| match name.split_once(' ') {
        None => true,
        Some((rule, _)) => {
            let start = format!("{rule} ");
            !found.contains_key(rule) || found.keys().any(|other| other.starts_with(&start))
        }
    };
    let of = |counts: &Counts, name: &str| counts.get(name).copied().unwrap_or_default();
    let mut names: Vec<&String> =
        expected.keys().chain(found.keys().filter(|name| !expected.contains_key(*name))).collect();
    names.sort_unstable();
    let names = names.into_iter().filter(|name| whole(name) && of(expected, name) != of(found, name));
    names.map(|name| format!("{name}: {} by hand, {} ours", of(expected, name), of(found, name))).collect()
}
