//! Webhook endpoints as people type them.

use std::collections::BTreeSet;

use a11ycheck_core::domain::{EndpointDetails, EventKind, FieldErrors, Problem, SiteUrl, SiteUrlError};

/// The largest number of event names that are read.
const MAX_EVENTS: usize = 10;

/// Reads the address of an endpoint and the names of the events that it listens to. `https://` is added where the scheme was left
/// out. `before` is what the endpoint listens to so far: kinds of a later release may be named where they are among it.
///
/// # Errors
/// Returns every problem with the fields `url` and `events` at once.
pub fn endpoint_details(
    url: &str,
    events: &[String],
    before: &BTreeSet<EventKind>,
) -> Result<EndpointDetails, FieldErrors> {
    let mut errors = FieldErrors::default();
    let url = match SiteUrl::typed(url) {
        _ if url.trim().is_empty() => Err(Problem::Required),
        Ok(url) if url.as_str().len() > EndpointDetails::MAX_URL => Err(Problem::TooLong(EndpointDetails::MAX_URL)),
        Ok(url) => Ok(url),
        Err(SiteUrlError::TooLong) => Err(Problem::TooLong(EndpointDetails::MAX_URL)),
        Err(SiteUrlError::Invalid) => Err(Problem::NotUrl),
    };
    let url = url.map_err(|problem| errors.add("url", problem)).ok();
    if events.is_empty() {
        errors.add("events", Problem::Required);
    }
    if events.len() > MAX_EVENTS {
        errors.add("events", Problem::TooMany(MAX_EVENTS));
    }
    let mut kinds = BTreeSet::new();
    for (index, name) in events.iter().take(MAX_EVENTS).enumerate() {
        match EventKind::SELECTABLE.iter().chain(before).find(|kind| kind.as_str() == name) {
            Some(kind) => drop(kinds.insert(*kind)),
            None => errors.add(&format!("events.{index}"), Problem::NotInList),
        }
    }
    match url {
        Some(url) if errors.is_empty() => Ok(EndpointDetails::new(url, kinds)),
        Some(_) | None => Err(errors),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problems(url: &str, events: &[&str]) -> Vec<(String, Problem)> {
        let events: Vec<String> = events.iter().map(|&name| name.to_owned()).collect();
        let before = BTreeSet::from([EventKind::from_stored("scan.failed").unwrap()]);
        let errors = endpoint_details(url, &events, &before).err().unwrap_or_default();
        errors.iter().map(|(field, problems)| (field.to_owned(), problems[0].clone())).collect()
    }

    #[test]
    fn each_field_rule_is_held_and_all_errors_are_reported_at_once() {
        let one = |field: &str, problem| vec![(field.to_owned(), problem)];
        assert_eq!(problems("hooks.example.com/a", &["scan.completed", "issues.new", "issues.new"]), []);
        assert_eq!(problems(" ", &["issues.new"]), one("url", Problem::Required));
        assert_eq!(problems("ftp://a.example.com", &["issues.new"]), one("url", Problem::NotUrl));
        assert_eq!(problems(&"a".repeat(501), &["issues.new"]), one("url", Problem::TooLong(500)));
        assert_eq!(problems("a.example.com", &[]), one("events", Problem::Required));
        assert_eq!(problems("a.example.com", &["issues.new", "ping"]), one("events.1", Problem::NotInList));
        assert_eq!(problems("a.example.com", &["scan.failed"]), [], "it listens to that of a later release");
        assert_eq!(problems("a.example.com", &["scan.begun"]), one("events.0", Problem::NotInList));
        assert_eq!(problems("a.example.com", &["issues.new"; 11]), one("events", Problem::TooMany(10)));
        assert_eq!(problems("", &["x"]).len(), 2);
    }
}
