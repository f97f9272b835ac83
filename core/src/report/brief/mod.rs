//! The report as it is read: what is shown, in which order and with which texts (decision 0041).
//!
//! Every form of the report that people read is written from a [`Brief`], so that they say the same: the PDF, and whatever
//! comes beside it. It borrows from the [`Report`] and adds the catalogue's words; a form decides no more than how it looks.
//! Texts of checked pages are hostile: a form bounds and escapes them.

mod changes;
mod closing;
mod opening;
mod pages;
mod pictured;
mod rules;
mod todo;

pub use self::{
    changes::{Balance, Changes},
    closing::{HandTest, Meaning, Waiting, WaitingReason},
    opening::Opening,
    pages::{NotChecked, PageLists},
    rules::{RuleLine, ShownPlace, ShownRule},
    todo::{Todo, TodoLine},
};
use super::Report;

/// A report in the order in which it is read.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Brief<'a> {
    /// The report that this is made from.
    pub report: &'a Report,
    /// The first page.
    pub opening: Opening,
    /// What to do, place by place.
    pub todo: Todo<'a>,
    /// What changed since the previous check; `None` for the first check of a site.
    pub changes: Option<Changes<'a>>,
    /// The rules that are shown with their places, in the order of fixing: at most [`Brief::MAX_RULES`], and those with new
    /// elements.
    pub rules: Vec<ShownRule<'a>>,
    /// The other problems, in the order of fixing.
    pub other_rules: Vec<RuleLine<'a>>,
    /// The recommendations, in their order.
    pub recommendations: Vec<RuleLine<'a>>,
    /// The pages worth a line.
    pub pages: PageLists<'a>,
    /// What no machine tests, and how a person does.
    pub by_hand: [HandTest; 8],
    /// What the engine could not decide, so that it waits for a person.
    pub waiting: Vec<Waiting<'a>>,
    /// The law in three lines.
    pub law: [&'static str; 3],
    /// The words that the report uses.
    pub glossary: [Meaning; 10],
}

impl<'a> Brief<'a> {
    /// The number of rules that are shown with their places. Rules with new elements are shown beyond it.
    pub const MAX_RULES: usize = 10;
    /// The greatest number of rules that are shown beyond [`MAX_RULES`](Self::MAX_RULES) because they have new elements.
    pub const MAX_NEW_RULES: usize = 10;

    /// Puts a report into the order in which it is read, in its language.
    pub fn new(report: &'a Report) -> Self {
        let (rules, other_rules) = rules::split(report);
        Self {
            report,
            opening: Opening::new(report),
            todo: Todo::new(report),
            changes: Changes::new(report),
            rules,
            other_rules,
            recommendations: report.advisory.iter().map(|group| RuleLine::new(group, report)).collect(),
            pages: PageLists::new(report),
            by_hand: closing::by_hand(report.locale),
            waiting: report.to_check.iter().map(|rule| Waiting::new(rule, report.locale)).collect(),
            law: closing::law(report.locale),
            glossary: closing::glossary(report.locale),
        }
    }
}

#[cfg(test)]
mod tests;
