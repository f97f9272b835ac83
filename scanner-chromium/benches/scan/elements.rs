//! Whether the findings on the pages of a folder are those of axe-core run by hand, element for element.

use std::collections::BTreeMap;

use crate::{
    contender::{Contender, Counts},
    corpus::Corpus,
};

/// Differences that are printed of a page.
const SHOWN: usize = 6;

/// Compares so many times, and each run with the one before.
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

/// Those of rules alone; the rest are the same ones again by selector.
fn total(counts: &Counts) -> u64 {
    counts.iter().filter(|(name, _)| !name.contains(' ')).map(|(_, count)| count).sum()
}

/// What is expected and not found, or found otherwise. Selectors of a rule count where we kept all of its elements.
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
