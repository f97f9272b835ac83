//! The texts of a report about a rule, including a rule that the catalogue does not know.

use super::{card, rule, terms};
use crate::{
    domain::{RuleFacts, RuleId},
    locale::Locale,
};

/// Returns the texts of a rule: its card, or axe-core's own words if the catalogue does not know the rule.
pub fn describe<'a>(id: &RuleId, facts: &'a RuleFacts, locale: Locale) -> Description<'a> {
    let (Some(card), Some(entry)) = (card(id.as_str(), locale), rule(id.as_str())) else {
        return Description::of_engine(facts);
    };
    let terms = terms(card.locale);
    Description {
        title: card.title,
        summary: card.summary,
        impact: card.impact,
        who: entry.who.iter().map(|audience| terms.audience(*audience)).collect(),
        how_to_fix: card.how_to_fix,
        example: entry.example.as_deref(),
        locale: card.locale,
        machine: card.machine,
        has_card: true,
    }
}

/// The texts of a rule. Without a card, the title and summary are axe-core's and the rest is empty.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Description<'a> {
    /// A name for the problem, in a few words.
    pub title: &'a str,
    /// The problem, and the reason why it matters.
    pub summary: &'a str,
    /// The effect on a visitor.
    pub impact: &'a str,
    /// The names of the groups of people affected.
    pub who: Vec<&'a str>,
    /// Instructions for the repair.
    pub how_to_fix: &'a str,
    /// HTML or CSS that shows what to write.
    pub example: Option<&'a str>,
    /// The language of the texts; axe-core's own are English.
    pub locale: Locale,
    /// True if the texts are a machine draft that no person has reviewed; false for axe-core's own texts.
    pub machine: bool,
    /// True if the catalogue has a card for the rule.
    pub has_card: bool,
}

impl<'a> Description<'a> {
    fn of_engine(facts: &'a RuleFacts) -> Self {
        Self {
            title: &facts.help,
            summary: &facts.description,
            impact: "",
            who: Vec::new(),
            how_to_fix: "",
            example: None,
            locale: Locale::En,
            machine: false,
            has_card: false,
        }
    }

    /// Returns the instructions, followed by a blank line and the example where there is one.
    pub fn advice(&self) -> String {
        self.example.map_or_else(|| self.how_to_fix.to_owned(), |example| format!("{}\n\n{example}", self.how_to_fix))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Impact;

    fn facts() -> RuleFacts {
        RuleFacts {
            impact: Impact::Serious,
            tags: vec!["wcag2a".to_owned()],
            help: "Pages must be kind".to_owned(),
            description: "Ensure that pages are kind".to_owned(),
            help_url: "https://rules.example/kind".to_owned(),
        }
    }

    #[test]
    fn a_rule_of_a_future_engine_is_told_in_the_engines_own_words() {
        let facts = facts();
        for locale in Locale::ALL {
            let description = describe(&RuleId::new("kind-page"), &facts, locale);
            assert!(!description.has_card);
            assert!(!description.machine);
            assert_eq!(description.title, "Pages must be kind");
            assert_eq!(description.summary, "Ensure that pages are kind");
            assert_eq!(description.locale, Locale::En);
            assert!(description.impact.is_empty() && description.how_to_fix.is_empty() && description.who.is_empty());
        }
    }

    #[test]
    fn a_known_rule_is_told_in_our_words_whole() {
        let facts = facts();
        let description = describe(&RuleId::new("image-alt"), &facts, Locale::En);
        assert!(description.has_card);
        assert_eq!(description.title, "Images without a text alternative");
        assert_eq!(description.who[0], "Blind people");
        assert!(description.example.is_some_and(|example| example.contains("alt=")));
    }
}
