//! Facts that are filled into the sentence of a failure: numbers and names that are the same in every language.

use serde::{Deserialize, Serialize};

use super::{FailureCause, FailureCode, bounded, masked_text};

/// The facts of a failure. Each is set if the [`FailureCause`] refers to it and it is known.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
#[non_exhaustive]
pub struct FailureFacts {
    /// The status of the web server's response.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// A host that the address leads to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// The address of something that belongs to the page, without query and fragment. Hostile text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    /// A port of the address.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub port: Option<u16>,
    /// A limit that was exceeded, in megabytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit_mb: Option<u32>,
    /// The browser's name for an error of the network, for example `CONNECTION_RESET`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// The name under which robots.txt knows the scanner.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// The product that stands between the site and its visitors, for example `Cloudflare`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub product: Option<String>,
    /// True if the site's robots.txt could not be read, rather than a page.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_of_robots: bool,
}

impl FailureFacts {
    /// The greatest number of characters of a text that are kept: the longest name that DNS has.
    pub const MAX_TEXT: usize = 255;

    /// Makes facts of the status of a response.
    pub fn of_status(status: u16) -> Self {
        Self { status: Some(status), ..Self::default() }
    }

    /// Makes facts of a host, which is cut to its bound.
    pub fn of_host(host: &str) -> Self {
        Self { host: Some(bounded(host, Self::MAX_TEXT)), ..Self::default() }
    }

    /// Makes facts of an address, which is masked and cut to its bound.
    pub fn of_address(address: &str) -> Self {
        Self { address: Some(bounded(&masked_text(address), Self::MAX_TEXT)), ..Self::default() }
    }

    /// Makes facts of a port.
    pub fn of_port(port: u16) -> Self {
        Self { port: Some(port), ..Self::default() }
    }

    /// Makes facts of a limit in megabytes.
    pub fn of_limit(megabytes: u32) -> Self {
        Self { limit_mb: Some(megabytes), ..Self::default() }
    }

    /// Makes facts of the name of an error, which is cut to its bound.
    pub fn of_error(name: &str) -> Self {
        Self { error: Some(bounded(name, Self::MAX_TEXT)), ..Self::default() }
    }

    /// Makes facts of the name of a scanner, which is cut to its bound.
    pub fn of_agent(agent: &str) -> Self {
        Self { agent: Some(bounded(agent, Self::MAX_TEXT)), ..Self::default() }
    }

    /// Makes facts of the name of a product, which is cut to its bound.
    pub fn of_product(product: &str) -> Self {
        Self { product: Some(bounded(product, Self::MAX_TEXT)), ..Self::default() }
    }

    /// Sets the status of the response.
    #[must_use]
    pub fn with_status(self, status: u16) -> Self {
        Self { status: Some(status), ..self }
    }

    /// Notes that the failure is one of the site's robots.txt, rather than of a page.
    #[must_use]
    pub fn of_robots(self) -> Self {
        Self { is_of_robots: true, ..self }
    }

    /// Returns the facts that are texts.
    pub(crate) fn texts(&self) -> impl Iterator<Item = &str> {
        [&self.host, &self.address, &self.error, &self.agent, &self.product].into_iter().filter_map(Option::as_deref)
    }

    /// Returns the facts that are set, with the names that they have in sentences.
    pub(crate) fn named(&self) -> Vec<(&'static str, String)> {
        let number = |number: Option<u32>| number.map(|number| number.to_string());
        let facts = [
            ("status", number(self.status.map(u32::from))),
            ("host", self.host.clone()),
            ("address", self.address.clone()),
            ("port", number(self.port.map(u32::from))),
            ("limit", number(self.limit_mb)),
            ("error", self.error.clone()),
            ("agent", self.agent.clone()),
            ("product", self.product.clone()),
        ];
        facts.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
    }
}

/// Reads from a sentence of an earlier release what its code does not say. Before causes were stored, a status or a
/// host was in the sentence only.
pub(super) fn of_an_earlier_release(code: FailureCode, message: &str) -> Option<(FailureCause, FailureFacts)> {
    let status = || {
        let (_, rest) = message.split_once("status ")?;
        let digits = rest.split(|character: char| !character.is_ascii_digit()).next()?;
        let status = digits.parse().ok().filter(|status| (100..1000).contains(status))?;
        Some(FailureFacts::of_status(status))
    };
    let says = |words: &str| message.contains(words).then(FailureFacts::default);
    let between = |before: &str, after: &str| {
        let (_, rest) = message.split_once(before)?;
        let name = rest.split_once(after)?.0;
        let is_name = !name.is_empty() && !name.contains(char::is_whitespace);
        is_name.then_some(name)
    };
    Some(match code {
        FailureCode::HttpStatus => match says("redirects in a circle") {
            Some(facts) => (FailureCause::RedirectCircle, facts),
            None => (FailureCause::Status, status()?),
        },
        FailureCode::BlockedByRobots => match status() {
            Some(facts) => (FailureCause::RobotsStatus, facts),
            None => {
                let agent = between("allow it there for the user agent \"", "\"")?;
                (FailureCause::RobotsDisallow, FailureFacts::of_agent(agent))
            }
        },
        FailureCode::RedirectedAway => {
            // The full stop at the end of the sentence does not belong to the host.
            let host = message.strip_prefix("The address leads to another web site, ")?.strip_suffix('.')?;
            let is_name = !host.is_empty() && !host.contains(char::is_whitespace);
            (FailureCause::LeadsToHost, is_name.then(|| FailureFacts::of_host(host))?)
        }
        FailureCode::LoginRequired => (FailureCause::HttpLogin, says("asks for a user name and a password")?),
        FailureCode::Unreachable => {
            (FailureCause::ConnectionError, FailureFacts::of_error(between("could not be reached (", ")")?))
        }
        FailureCode::Timeout => {
            let known = [
                ("did not answer in time", FailureCause::NoAnswerInTime),
                ("never finished loading", FailureCause::NeverLoaded),
                ("keeps the browser busy", FailureCause::BrowserBusy),
                ("keeps reloading", FailureCause::KeepsReloading),
                ("keeps opening dialogs", FailureCause::KeepsOpeningDialogs),
            ];
            known.into_iter().find_map(|(words, cause)| Some((cause, says(words)?)))?
        }
        FailureCode::TooLarge => {
            let known = [
                ("more data than one check", FailureCause::CheckTooLarge),
                ("more memory than a check", FailureCause::TooMuchMemory),
            ];
            known.into_iter().find_map(|(words, cause)| Some((cause, says(words)?)))?
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Failure;

    fn read(code: FailureCode, message: &str) -> (Option<FailureCause>, FailureFacts) {
        let failure = Failure::new(code, message).understood();
        assert_eq!(failure.message, message);
        (failure.cause(), failure.facts())
    }

    #[test]
    fn what_earlier_releases_have_stored_in_a_sentence_is_known() {
        assert_eq!(
            read(FailureCode::HttpStatus, "The web server answered with error status 404."),
            (Some(FailureCause::Status), FailureFacts::of_status(404))
        );
        assert_eq!(
            read(
                FailureCode::BlockedByRobots,
                "The site's robots.txt could not be read (error status 500), so the site counts as closed to robots."
            ),
            (Some(FailureCause::RobotsStatus), FailureFacts::of_status(500))
        );
        assert_eq!(
            read(
                FailureCode::BlockedByRobots,
                "The site's robots.txt asks not to visit the page: allow it there for the user agent \"a11ycheck\"."
            ),
            (Some(FailureCause::RobotsDisallow), FailureFacts::of_agent("a11ycheck"))
        );
        assert_eq!(
            read(FailureCode::RedirectedAway, "The address leads to another web site, www.b.example."),
            (Some(FailureCause::LeadsToHost), FailureFacts::of_host("www.b.example"))
        );
        assert_eq!(
            read(FailureCode::Unreachable, "The web server could not be reached (CONNECTION_RESET)."),
            (Some(FailureCause::ConnectionError), FailureFacts::of_error("CONNECTION_RESET"))
        );
        assert_eq!(
            read(FailureCode::Timeout, "The page never finished loading."),
            (Some(FailureCause::NeverLoaded), FailureFacts::default())
        );
    }

    #[test]
    fn what_says_no_more_than_its_code_stays_as_it_is() {
        for (code, message) in [
            (FailureCode::HttpStatus, "a status of some kind"),
            (FailureCode::HttpStatus, "error status 99999."),
            (FailureCode::RedirectedAway, "The address leads to another web site, an address without a host."),
            (FailureCode::Dns, "The web server answered with error status 404."),
            (FailureCode::Timeout, ""),
        ] {
            assert_eq!(read(code, message), (None, FailureFacts::default()), "{message}");
        }
    }

    #[test]
    fn a_stored_cause_counts_more_than_the_sentence() {
        let failure = Failure::new(FailureCode::HttpStatus, "The web server answered with error status 404.")
            .because_of(FailureCause::RedirectCircle);
        assert_eq!(failure.clone().understood(), failure);
    }
}
