//! The commands `explain` and `rules`.

use std::{
    fmt::Write as _,
    io::{self, Write},
};

use a11ycheck_core::{
    catalog::{self, RuleEntry, card, criterion, help_url, rule, terms},
    locale::Locale,
};

/// The error for a rule that there is none of.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no rule {rule}; did you mean {nearest}? `a11ycheck rules` lists all")]
pub struct UnknownRule {
    rule: String,
    nearest: String,
}

/// Returns the card of a rule as text: what it means, whom it affects, how it is repaired.
///
/// # Errors
/// [`UnknownRule`].
pub fn explained(id: &str, locale: Locale) -> Result<String, UnknownRule> {
    let (Some(entry), Some(card)) = (rule(id), card(id, locale)) else { return Err(unknown(id)) };
    let terms = terms(card.locale);
    let mut text = String::new();
    let mut line = |content: &str| {
        // Writing to a text can't fail.
        let _ = writeln!(text, "{content}");
    };
    line(&format!("{id}: {} ({})", card.title, terms.severity(entry.impact)));
    for part in [card.summary, card.impact] {
        line("");
        line(part);
    }
    let who: Vec<&str> = entry.who.iter().map(|audience| terms.audience(*audience)).collect();
    line(&who.join(", "));
    line("");
    line(card.how_to_fix);
    if let Some(example) = &entry.example {
        line("");
        example.lines().for_each(|example| line(&format!("    {example}")));
    }
    line("");
    for number in &entry.wcag {
        let name = criterion(number).map(|criterion| criterion.name(card.locale)).unwrap_or_default();
        line(&format!("WCAG {number} {name}"));
    }
    if !entry.en301549.is_empty() {
        line(&format!("EN 301 549 v3.2.1: {}", entry.en301549.join(", ")));
    }
    if let Some(address) = help_url(id) {
        line(&address);
    }
    Ok(text)
}

/// Returns every rule of axe-core, then every probe of ours, with its id.
fn rules() -> impl Iterator<Item = (&'static str, &'static RuleEntry)> {
    catalog::rules().chain(catalog::probes())
}

/// Writes a line for each rule: id, severity, criteria, title.
///
/// # Errors
/// Those of `out`.
pub fn list(locale: Locale, out: &mut dyn Write) -> io::Result<()> {
    for (id, entry) in rules() {
        let title = card(id, locale).map_or("", |card| card.title);
        let wcag = if entry.wcag.is_empty() { "-".to_owned() } else { entry.wcag.join(",") };
        writeln!(out, "{id:<34} {:<9} {wcag:<14} {title}", entry.impact.as_str())?;
    }
    Ok(())
}

fn unknown(id: &str) -> UnknownRule {
    let distance = |known: &&str| strsim::damerau_levenshtein(known, id);
    let nearest = rules().map(|(known, _)| known).min_by_key(distance).unwrap_or_default();
    UnknownRule { rule: id.to_owned(), nearest: nearest.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_is_explained_in_every_language() {
        for (id, _) in rules() {
            for locale in Locale::ALL {
                let text = explained(id, locale).unwrap();
                assert!(text.starts_with(&format!("{id}: ")) && text.lines().count() > 6, "{id} {locale}\n{text}");
            }
        }
    }

    #[test]
    fn a_mistyped_rule_is_answered_with_the_one_that_was_meant() {
        assert!(
            explained("colour-contrast", Locale::En).unwrap_err().to_string().contains("did you mean color-contrast?")
        );
    }

    #[test]
    fn the_list_has_a_line_for_each_rule() {
        let mut out = Vec::new();
        list(Locale::De, &mut out).unwrap();
        assert_eq!(String::from_utf8(out).unwrap().lines().count(), rules().count());
    }
}
