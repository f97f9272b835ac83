//! The rule catalogue: the texts of reports about each rule of axe-core, in every language of reports.
//!
//! The data are TOML files in `core/catalog/`, compiled in and parsed once, on first use: [`rule`] has the facts that are
//! the same in every language, a [`Card`] the texts, [`tip`] the advice for one platform, a [`Criterion`] a success
//! criterion of WCAG, and [`Terms`] and [`BriefTerms`] the words of reports around them. [`sentence`] says what axe-core's
//! checks found on an element, [`by_eye`] how a person decides where they could not, and [`hand_steps`] what no program
//! tests. [`describe`] puts the texts of a rule together, with
//! axe-core's own for a rule that the catalogue does not know.
//!
//! The tests of this module prove that no rule, text, placeholder or plural form is missing in any of the languages, and
//! that all files can be read.
//!
//! Texts are plain text with `code` in backticks. They have no-break spaces where a line must not break; the module
//! `spacing` inserts these when the files are read.

mod brief;
mod card;
mod checks;
#[cfg(test)]
mod completeness;
mod description;
mod failure;
mod hand;
mod language;
mod plural;
mod review;
mod rule;
mod spacing;
#[cfg(test)]
mod standards;
mod terms;
mod tips;
mod wcag;

pub use self::{
    brief::{
        AcceptedTerms, BriefTerms, ByHandTerms, ChangeTerms, GlossaryTerms, HtmlTerms, LawTerms, MethodTerms,
        OpeningTerms, PageTerms, RuleTerms, ThingTerms, TodoTerms, brief,
    },
    card::{Card, card},
    checks::{axe_check, check_messages, is_review_on_fail, sentence},
    description::{Description, describe},
    failure::failure_of,
    hand::{HandStep, by_eye, hand_steps},
    plural::Plural,
    review::{Review, ReviewError},
    rule::{
        Audience, Basis, Effort, Fault, Fixer, PlaceBasis, RuleEntry, axe_core_version, help_url, is_probe, probes,
        rule, rules,
    },
    terms::{AcrTerms, Counts, Forms, Labels, Terms, fill, terms},
    tips::{PLATFORMS, tip},
    wcag::{Criterion, Level, WcagVersion, criteria, criterion},
};
