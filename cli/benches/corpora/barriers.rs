//! Pages with one barrier each. Whether a finding means the barrier is for a person to say: what was said about each page is listed.

use serde::Deserialize;

use crate::corpus::{Case, Checked};

/// A barrier.
#[derive(Debug, Deserialize)]
pub(crate) struct Barrier {
    path: String,
    category: String,
    title: String,
    linked_page: Option<String>,
}

impl Case for Barrier {
    fn page(&self) -> &str {
        self.linked_page.as_deref().unwrap_or(&self.path)
    }
}

pub(crate) fn count(checked: &Checked<Barrier>) {
    let mut numbers = [0_usize; 4];
    for case in &checked.cases {
        println!("{}: {}", case.category, case.title);
        let Some(said) = checked.said(case) else {
            println!("    not checked");
            continue;
        };
        let lists =
            [("problem", &said.problems), ("recommendation", &said.recommendations), ("by hand", &said.by_hand)];
        let most = lists.iter().position(|(_, rules)| !rules.is_empty()).unwrap_or(3);
        numbers[most] += 1;
        for (kind, rules) in lists.into_iter().filter(|(_, rules)| !rules.is_empty()) {
            println!("    {kind}: {}", rules.iter().map(String::as_str).collect::<Vec<_>>().join(", "));
        }
    }
    let [problem, recommendation, by_hand, nothing] = numbers;
    println!(
        "pages with a problem {problem}, else a recommendation {recommendation}, else by hand {by_hand}, nothing {nothing}"
    );
}
