//! The first page: three numbers and a verdict.

use crate::{
    catalog::{brief, fill, terms},
    report::Report,
};

/// What the first page says beside the client's name and the date.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Opening {
    /// The verdict: two sentences at most, each whole.
    pub verdict: Vec<String>,
    /// Three names with their numbers, as text: places to fix, problem elements, pages without a known barrier.
    pub numbers: [(&'static str, String); 3],
    /// The change since the previous check in one line; `None` for the first check of a site.
    pub change: Option<String>,
    /// How many elements are accepted, and what that means; `None` if none is.
    pub accepted: Option<String>,
    /// How many pages were not examined because they have not changed, and since when; `None` if every page was.
    pub taken_over: Option<String>,
    /// What lacks in the check or in its pictures, a sentence each.
    pub gaps: Vec<&'static str>,
    /// What the picture of the start page shows, if there is one.
    pub screen: Option<String>,
}

impl Opening {
    /// Says what the first page says, in the report's language.
    pub fn new(report: &Report) -> Self {
        let (words, terms) = (brief(report.locale), terms(report.locale));
        let (opening, label) = (&words.opening, &terms.label);
        let checked = report.pages.iter().filter(|page| page.error.is_none());
        let clear = checked.clone().filter(|page| page.issues == 0).count();
        let of_pages = fill(&opening.n_of_m, &[("n", &clear.to_string()), ("m", &checked.clone().count().to_string())]);
        let totals = &report.totals;
        let mut verdict = Vec::new();
        if report.total == 0 {
            verdict.push(label.no_problems.clone());
        } else {
            let sentence = match () {
                () if totals.critical > 0 => &opening.verdict_critical,
                () if totals.serious > 0 => &opening.verdict_serious,
                () => &opening.verdict_moderate,
            };
            verdict.push(sentence.clone());
        }
        if report.places > 1 {
            let places = terms.counted(&terms.count.place, report.places_for_most);
            verdict.push(format!("{}.", fill(&label.places_for_most, &[("percent", "80"), ("places", &places)])));
        }
        let diff = &report.diff;
        let change = diff.previous_date.map(|_| {
            let mut parts =
                vec![(&label.new, diff.new), (&label.fixed, diff.fixed), (&label.remaining, diff.remaining)];
            let lost = diff.not_comparable_before + diff.not_comparable_now;
            if lost > 0 {
                parts.push((&words.changes.not_comparable, lost));
            }
            parts.iter().map(|(name, count)| format!("{name}: {count}")).collect::<Vec<_>>().join(" · ")
        });
        let accepted = (report.accepted.count() > 0).then(|| {
            let elements = terms.counted(&terms.count.element, report.accepted.count());
            fill(&words.accepted.note, &[("elements", &elements)])
        });
        let looks: Vec<_> = report.pages.iter().filter_map(|page| page.looked_at).collect();
        let taken_over = looks.iter().min().map(|oldest| {
            let date = oldest.date_naive().to_string();
            fill(&opening.taken_over, &[("n", &looks.len().to_string()), ("date", &date)])
        });
        let gaps = [
            report.stopped_by_timeouts.then_some(label.stopped_by_timeouts.as_str()),
            report.pictures_not_stored.then_some(label.pictures_not_stored.as_str()),
        ];
        let screen = report.screen.map(|_| match report.screen_boxes.len() {
            0 => opening.start_page_clean.clone(),
            outlined => fill(&opening.start_page, &[("n", &outlined.to_string())]),
        });
        Self {
            verdict,
            numbers: [
                (&opening.places, report.places.to_string()),
                (&label.elements, report.total.to_string()),
                (&opening.clear_pages, of_pages),
            ],
            change,
            accepted,
            taken_over,
            gaps: gaps.into_iter().flatten().collect(),
            screen,
        }
    }
}
