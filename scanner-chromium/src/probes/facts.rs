//! The facts about probes, in the form in which axe-core gives those about its rules.

use std::sync::LazyLock;

use a11ycheck_core::{
    catalog::{self, Basis, Level, RuleEntry, WcagVersion},
    domain::RuleFacts,
    locale::Locale,
};
use serde_json::{Map, Value, json};

/// Returns the facts about every probe by its id, as JSON.
pub(crate) fn facts() -> &'static Value {
    static FACTS: LazyLock<Value> = LazyLock::new(|| {
        let of = |(id, entry): (&str, &RuleEntry)| {
            let card = catalog::card(id, Locale::En)?;
            let facts = json!({
                "impact": entry.impact,
                "tags": tags(entry),
                "help": card.title,
                "description": card.summary,
                "helpUrl": catalog::help_url(id),
            });
            Some((id.to_owned(), facts))
        };
        Value::Object(catalog::probes().filter_map(of).collect::<Map<_, _>>())
    });
    &FACTS
}

/// Returns the facts about a probe, for findings that are not made in a page. Returns `None` if there is no rule or
/// card with this id.
pub(crate) fn rule_facts(id: &str) -> Option<RuleFacts> {
    let (entry, card) = (catalog::rule(id)?, catalog::card(id, Locale::En)?);
    let facts = RuleFacts::new(entry.impact, tags(entry)).with_texts(card.title, card.summary);
    Some(facts.with_help_url(catalog::help_url(id)?))
}

/// Returns tags as axe-core would give them, from which the kind of a rule and its place in standards are read.
fn tags(entry: &RuleEntry) -> Vec<String> {
    let mut tags = vec![format!("cat.{}", entry.category)];
    if entry.basis == Basis::BestPractice {
        tags.push("best-practice".to_owned());
    }
    for criterion in entry.criteria() {
        let version = match criterion.since {
            WcagVersion::V2_0 => "2",
            WcagVersion::V2_1 => "21",
            WcagVersion::V2_2 => "22",
        };
        let level = match criterion.level {
            Level::A => "a",
            Level::Aa => "aa",
            Level::Aaa => "aaa",
        };
        tags.push(format!("wcag{version}{level}"));
        tags.push(format!("wcag{}", criterion.number.replace('.', "")));
    }
    if !entry.en301549.is_empty() {
        tags.push("EN-301-549".to_owned());
    }
    tags.extend(entry.en301549.iter().map(|clause| format!("EN-{clause}")));
    if !entry.act.is_empty() {
        tags.push("ACT".to_owned());
    }
    tags
}

#[cfg(test)]
mod tests {
    use a11ycheck_core::domain::{Impact, RuleKind};

    use super::*;

    #[test]
    fn a_probe_counts_as_the_catalogue_says_and_names_its_criteria() {
        for (id, entry) in catalog::probes() {
            let facts = RuleFacts::new(Impact::Minor, tags(entry));
            assert_eq!(facts.kind(), entry.kind(), "{id}");
            assert_eq!(facts.wcag(), entry.wcag, "{id}");
            assert_eq!(facts.en301549(), entry.en301549, "{id}");
            assert_eq!(facts.kind() == RuleKind::Problem, entry.basis == Basis::WcagAAa, "{id}");
        }
    }

    #[test]
    fn every_probe_has_texts_and_an_address() {
        let facts = facts().as_object().unwrap();
        assert_eq!(facts.len(), catalog::probes().count());
        for (id, facts) in facts {
            assert!(["help", "description", "helpUrl"].iter().all(|key| facts[key].is_string()), "{id}: {facts}");
        }
    }
}
