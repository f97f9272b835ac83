//! The words of reports around the rules' texts.

use std::{borrow::Cow, collections::BTreeMap};

use serde::Deserialize;

use super::{Plural, Review, checks::plain, language::Language, rule::Audience};
use crate::{
    domain::{Cover, CoverKind, Failure, FailureCause, FailureCode, FailureFacts, Impact, OpenedBy, StandardId},
    locale::Locale,
};

/// Returns the words of a language.
pub fn terms(locale: Locale) -> &'static Terms {
    &Language::of(locale).terms
}

/// Returns `text` with each `{name}` of `values` replaced by its value. A value is never searched for further names.
pub fn fill(text: &str, values: &[(&str, &str)]) -> String {
    let mut filled = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        filled.push_str(before);
        let value = after
            .split_once('}')
            .and_then(|(name, after)| values.iter().find(|value| value.0 == name).map(|value| (value.1, after)));
        rest = match value {
            Some((value, after)) => {
                filled.push_str(value);
                after
            }
            None => {
                filled.push('{');
                after
            }
        };
    }
    filled.push_str(rest);
    filled
}

/// The words of one language. The use of each is explained beside its English text, in `terms/en.toml`.
#[derive(Debug)]
#[non_exhaustive]
pub struct Terms {
    /// The language of the words.
    pub locale: Locale,
    /// The sentence that every report and exported file carries.
    pub disclaimer: String,
    /// Headings, labels and notes.
    pub label: Labels,
    /// Words of the draft of a conformance report.
    pub acr: AcrTerms,
    /// Nouns that go with a number, for [`counted`](Self::counted).
    pub count: Counts,
    severity: Severities,
    audience: BTreeMap<Audience, String>,
    failure: Failures,
    failure_cause: FailureCauses,
}

impl Terms {
    pub(super) fn new(locale: Locale, file: TermFile) -> Self {
        let TermFile { disclaimer, severity, audience, count, label, acr, failure, failure_cause } = file;
        Self { locale, disclaimer, label, acr, count, severity, audience, failure, failure_cause }
    }

    /// Returns the name of a severity.
    pub fn severity(&self, impact: Impact) -> &str {
        match impact {
            Impact::Critical => &self.severity.critical,
            Impact::Serious => &self.severity.serious,
            Impact::Moderate => &self.severity.moderate,
            Impact::Minor => &self.severity.minor,
        }
    }

    /// Returns the name of a group of people.
    pub fn audience(&self, audience: Audience) -> &str {
        // A test proves that every language names every audience that a rule names.
        self.audience.get(&audience).map_or("", String::as_str)
    }

    /// Returns the reason why a page or a check failed: the sentence for its cause, filled with the known facts, or else
    /// the general one for its code. The sentence says so where the target of a redirect or robots.txt failed. English
    /// sentences that earlier releases stored are understood, so that no status is lost.
    pub fn failure(&self, failure: &Failure) -> Cow<'_, str> {
        let failure = failure.clone().understood();
        let facts = failure.facts();
        let sentence = failure.cause().and_then(|cause| self.sentence(cause, &facts));
        let sentence = sentence.unwrap_or_else(|| self.code(failure.code).into());
        let sentence = match failure.redirected_to() {
            Some(target) => self.at_redirect_target(target, &sentence).into(),
            None => sentence,
        };
        if facts.is_of_robots { self.robots_unreadable(&sentence).into() } else { sentence }
    }

    /// Returns the sentence for a cause; `None` for an unknown cause, or if the sentence needs a fact that is not known.
    fn sentence(&self, cause: FailureCause, facts: &FailureFacts) -> Option<Cow<'_, str>> {
        let template = self.cause(cause)?;
        if !template.contains('{') {
            return Some(template.into());
        }
        let facts = facts.named();
        let values: Vec<(&str, &str)> = facts.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let asked = template.split('{').skip(1).filter_map(|rest| rest.split_once('}')).map(|(name, _)| name);
        let is_known = |name: &str| values.iter().any(|(known, _)| *known == name);
        asked.into_iter().all(is_known).then(|| fill(template, &values).into())
    }

    /// Returns a sentence with the reason why the site's robots.txt could not be read.
    pub fn robots_unreadable(&self, reason: &str) -> String {
        fill(&self.failure_cause.robots_unreadable, &[("reason", reason)])
    }

    /// Returns the standard of a check, with the remark that only automated checks were made against it.
    pub fn checked_standard(&self, standard: StandardId) -> String {
        fill(&self.label.standard_checked, &[("standard", standard.name())])
    }

    /// Returns a sentence about what covers a page.
    pub fn cover(&self, cover: &Cover) -> String {
        let sentence = match cover.kind {
            CoverKind::Consent => &self.label.covered_by_consent,
            CoverKind::Dialog => &self.label.covered_by_dialog,
            CoverKind::Overlay | CoverKind::Unknown(_) => &self.label.covered_by_overlay,
        };
        // No line may break between the number and the percent sign.
        let space = if self.locale == Locale::En { "" } else { "\u{A0}" };
        fill(sentence, &[("percent", &format!("{}{space}%", cover.percent))])
    }

    /// Returns the sentence that says which control was pressed before an element appeared, with its name in backticks.
    pub fn opened(&self, control: &OpenedBy) -> String {
        fill(&self.label.opened, &[("control", &format!("`{}`", plain(control.known_as())))])
    }

    /// Returns a sentence with the host that a redirect had led to, and the reason for the failure there.
    pub fn at_redirect_target(&self, target: &str, reason: &str) -> String {
        fill(&self.failure_cause.at_redirect_target, &[("host", target), ("reason", reason)])
    }

    /// Returns the line that says who has read the texts of the language, and when: the day as everywhere in reports, `2026-11-20`.
    pub fn reviewed(&self, review: &Review) -> String {
        fill(&self.label.reviewed_by, &[("name", review.by()), ("date", &review.on().to_string())])
    }

    /// Returns the template of the sentence for a cause; `None` for a cause of a later release.
    pub fn cause(&self, cause: FailureCause) -> Option<&str> {
        Some(match cause {
            FailureCause::CertificateExpired => &self.failure_cause.certificate_expired,
            FailureCause::CertificateNotYetValid => &self.failure_cause.certificate_not_yet_valid,
            FailureCause::CertificateNotValidNow => &self.failure_cause.certificate_not_valid_now,
            FailureCause::CertificateOtherName => &self.failure_cause.certificate_other_name,
            FailureCause::CertificateUnknownAuthority => &self.failure_cause.certificate_unknown_authority,
            FailureCause::TlsTooOld => &self.failure_cause.tls_too_old,
            FailureCause::ProxyUnreachable => &self.failure_cause.proxy_unreachable,
            FailureCause::ProxyLogin => &self.failure_cause.proxy_login,
            FailureCause::ProxyRefused => &self.failure_cause.proxy_refused,
            FailureCause::Status => &self.failure_cause.status,
            FailureCause::RedirectCircle => &self.failure_cause.redirect_circle,
            FailureCause::NoAnswerInTime => &self.failure_cause.no_answer_in_time,
            FailureCause::NeverLoaded => &self.failure_cause.never_loaded,
            FailureCause::NoAnswerFrom => &self.failure_cause.no_answer_from,
            FailureCause::BrowserBusy => &self.failure_cause.browser_busy,
            FailureCause::KeepsReloading => &self.failure_cause.keeps_reloading,
            FailureCause::KeepsOpeningDialogs => &self.failure_cause.keeps_opening_dialogs,
            FailureCause::ConnectionError => &self.failure_cause.connection_error,
            FailureCause::TlsError => &self.failure_cause.tls_error,
            FailureCause::HttpLogin => &self.failure_cause.http_login,
            FailureCause::PortRefused => &self.failure_cause.port_refused,
            FailureCause::LeadsToHost => &self.failure_cause.leads_to_host,
            FailureCause::LeadsToRefusedHost => &self.failure_cause.leads_to_refused_host,
            FailureCause::RobotsDisallow => &self.failure_cause.robots_disallow,
            FailureCause::RobotsStatus => &self.failure_cause.robots_status,
            FailureCause::DocumentTooLarge => &self.failure_cause.document_too_large,
            FailureCause::PageTooLarge => &self.failure_cause.page_too_large,
            FailureCause::CheckTooLarge => &self.failure_cause.check_too_large,
            FailureCause::TooMuchMemory => &self.failure_cause.too_much_memory,
            FailureCause::BrowserBroken => &self.failure_cause.browser_broken,
            FailureCause::ResultDiscarded => &self.failure_cause.result_discarded,
            FailureCause::ChallengeOf => &self.failure_cause.challenge_of,
            FailureCause::Unknown(_) => return None,
        })
    }

    /// Returns the general sentence for a code.
    pub fn code(&self, code: FailureCode) -> &str {
        match code {
            FailureCode::Unreachable => &self.failure.unreachable,
            FailureCode::Dns => &self.failure.dns,
            FailureCode::Tls => &self.failure.tls,
            FailureCode::HttpStatus => &self.failure.http_status,
            FailureCode::NotHtml => &self.failure.not_html,
            FailureCode::RedirectedAway => &self.failure.redirected_away,
            FailureCode::LoginRequired => &self.failure.login_required,
            FailureCode::Timeout => &self.failure.timeout,
            FailureCode::RefusedAddress => &self.failure.refused_address,
            FailureCode::BlockedByRobots => &self.failure.blocked_by_robots,
            FailureCode::TooLarge => &self.failure.too_large,
            FailureCode::BrowserCrashed => &self.failure.browser_crashed,
            FailureCode::EngineError => &self.failure.engine_error,
            FailureCode::WorkerLost => &self.failure.worker_lost,
            FailureCode::Proxy => &self.failure.proxy,
            FailureCode::BotChallenge => &self.failure.bot_challenge,
            FailureCode::Parked => &self.failure.parked,
            FailureCode::Maintenance => &self.failure.maintenance,
            FailureCode::SoftNotFound => &self.failure.soft_not_found,
            FailureCode::ConsentWall => &self.failure.consent_wall,
            // A code of a later release, which has a sentence for it.
            FailureCode::Unknown(_) => &self.label.not_checked,
        }
    }

    /// Returns a number with its noun, for example “3 problems”; `forms` is one of [`count`](Self::count).
    pub fn counted(&self, forms: &Forms, n: u64) -> String {
        fill(forms.get(Plural::of(self.locale, n)), &[("n", &n.to_string())])
    }
}

/// The forms of a noun with its number, by plural category.
#[derive(Debug, Deserialize)]
#[serde(transparent)]
pub struct Forms(BTreeMap<Plural, String>);

impl Forms {
    /// Returns the form of a category.
    pub fn get(&self, plural: Plural) -> &str {
        // A test proves that every noun has exactly the forms that its language has.
        self.0.get(&plural).map_or("", String::as_str)
    }
}

/// Declares a struct of words, one for each key of a table of the catalogue.
macro_rules! words {
    ($(#[$doc:meta])* $visibility:vis struct $name:ident: $type:ty { $($word:ident)* }) => {
        $(#[$doc])*
        #[derive(Debug, Deserialize)]
        #[serde(deny_unknown_fields)]
        #[non_exhaustive]
        #[allow(missing_docs, reason = "each word is explained beside its English text, in terms/en.toml")]
        $visibility struct $name {
            $($visibility $word: $type,)*
        }
    };
}

pub(super) use words;

words! {
    /// Nouns that go with a number.
    pub struct Counts: Forms {
        problem new_problem fixed_problem recommendation element page rule place frame minute
    }
}

words! {
    /// Headings, labels and notes of reports.
    pub struct Labels: String {
        report_title overview site platform checked_on pages_checked standard standard_checked checked_with
        prepared_by severity
        problems recommendations recommendations_note no_problems rule summary impact who how_to_fix example
        platform_tip references learn_more found_on page pages element elements what_was_found one_of all_of places
        places_for_most further_elements full_list elements_left_out new fixed remaining since_previous_check
        previous_check first_check trend total not_checked frames_not_checked still_changing unanswered
        dead_links linked_from needs_review needs_review_note could_not_decide reasons other_reasons how_to_tell
        further_places to_work_through by_hand by_hand_note what_to_do criteria part pages_covered covered_by_consent
        covered_by_dialog covered_by_overlay machine_draft reviewed_by page_of contents notes stopped_by_timeouts
        pictures_not_stored pictures_lost opened
    }
}

words! {
    /// Words of the draft of an accessibility conformance report.
    pub struct AcrTerms: String {
        title draft_note criterion level conformance remarks criteria_of_level supports partially_supports
        does_not_support not_applicable not_evaluated failures_found failure_line further_failures no_failure_found
        review_needed no_rule
        parsing_obsolete pages_not_checked rules_off rules_unknown new_in_version skip_to_content methods methods_used
        methods_without_browser level_meanings
        partially_supports_means does_not_support_means not_evaluated_means web_chapter other_clauses
        chapter_not_evaluated product product_version product_description website report_date contact evaluator to_fill_in
        standards standard_or_guideline included clause clause_table see_criterion clause_unconfirmed what_decides
        aaa_left_out decided_by_person methods_with_person assessed assessed_outweighed assessed_long_ago
        no_failure_beside methods_with_assessments assessed_means
    }
}

words! {
    struct Severities: String { critical serious moderate minor }
}

words! {
    struct Failures: String {
        unreachable dns tls http_status not_html redirected_away login_required timeout refused_address blocked_by_robots
        too_large browser_crashed engine_error worker_lost proxy bot_challenge parked maintenance soft_not_found
        consent_wall
    }
}

words! {
    struct FailureCauses: String {
        certificate_expired certificate_not_yet_valid certificate_not_valid_now certificate_other_name
        certificate_unknown_authority tls_too_old proxy_unreachable proxy_login proxy_refused status redirect_circle
        no_answer_in_time never_loaded no_answer_from browser_busy keeps_reloading keeps_opening_dialogs connection_error tls_error
        http_login port_refused leads_to_host leads_to_refused_host robots_disallow robots_status document_too_large
        page_too_large check_too_large too_much_memory browser_broken result_discarded
        challenge_of at_redirect_target robots_unreadable
    }
}

/// A file of terms.
#[derive(Debug, Deserialize)]
pub(super) struct TermFile {
    disclaimer: String,
    severity: Severities,
    audience: BTreeMap<Audience, String>,
    count: Counts,
    label: Labels,
    acr: AcrTerms,
    failure: Failures,
    failure_cause: FailureCauses,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::rules;

    #[test]
    fn a_number_takes_the_form_that_goes_with_it() {
        let english = terms(Locale::En);
        assert_eq!(english.counted(&english.count.problem, 1), "1 problem");
        assert_eq!(english.counted(&english.count.problem, 0), "0 problems");
        assert_eq!(english.counted(&english.count.page, 21), "21 pages");
    }

    #[test]
    fn what_is_filled_in_is_not_read_as_a_placeholder() {
        assert_eq!(fill("Page {page} of {pages}", &[("page", "{pages}"), ("pages", "9")]), "Page {pages} of 9");
        assert_eq!(fill("{unknown} { {page}", &[("page", "1")]), "{unknown} { 1");
    }

    #[test]
    fn everyone_whom_a_rule_hits_has_a_name_in_every_language() {
        for locale in Locale::ALL {
            for (id, entry) in rules() {
                for audience in &entry.who {
                    assert!(!terms(locale).audience(*audience).is_empty(), "{locale}: {audience:?} of {id}");
                }
            }
        }
    }

    #[test]
    fn words_that_stand_for_a_fact_have_their_names() {
        let english = terms(Locale::En);
        assert_eq!(english.severity(Impact::Serious), "Serious");
        let failure = Failure::new(FailureCode::Dns, "");
        assert_eq!(
            english.failure(&failure),
            "The site’s domain was not found, or leads to no address that may be visited."
        );
        assert!(english.disclaimer.contains("not a full audit"));
    }

    /// Returns every fact that any sentence asks for.
    fn all_facts() -> FailureFacts {
        FailureFacts {
            status: Some(404),
            host: Some("b.example".to_owned()),
            address: Some("https://b.example/a.js".to_owned()),
            port: Some(25),
            limit_mb: Some(20),
            error: Some("CONNECTION_RESET".to_owned()),
            agent: Some("a11ycheck".to_owned()),
            product: Some("Cloudflare".to_owned()),
            is_of_robots: false,
        }
    }

    #[test]
    fn a_failure_is_told_by_its_cause_and_with_the_host_that_a_redirect_led_to() {
        for locale in Locale::ALL {
            let terms = terms(locale);
            for &cause in FailureCause::KNOWN {
                let failure = Failure::new(cause.code(), "").because_of(cause).with_facts(all_facts());
                let sentence = terms.failure(&failure);
                assert_ne!(sentence, terms.code(failure.code), "{locale}: {cause}");
                assert!(!sentence.contains(['{', '}']), "{locale}: {sentence}");
                let failure = failure.at_redirect_target("www.a.example");
                assert!(terms.failure(&failure).contains("www.a.example"), "{locale}: {cause}");
            }
        }
        let failure = Failure::new(FailureCode::Tls, "");
        let later = failure.because_of(FailureCause::from_stored("later").unwrap());
        assert_eq!(terms(Locale::En).failure(&later), terms(Locale::En).code(FailureCode::Tls));
    }

    #[test]
    fn the_number_of_a_status_is_told_in_every_language_also_where_an_earlier_release_stored_it() {
        let today = Failure::new(FailureCode::HttpStatus, "")
            .because_of(FailureCause::Status)
            .with_facts(FailureFacts::of_status(418));
        let earlier = Failure::new(FailureCode::HttpStatus, "The web server answered with error status 418.");
        for locale in Locale::ALL {
            let terms = terms(locale);
            assert!(terms.failure(&today).contains("418"), "{locale}");
            assert_eq!(terms.failure(&today), terms.failure(&earlier), "{locale}");
        }
    }

    #[test]
    fn a_sentence_that_asks_for_what_is_not_known_gives_way_to_that_of_the_code() {
        let failure = Failure::new(FailureCode::HttpStatus, "").because_of(FailureCause::Status);
        for locale in Locale::ALL {
            assert_eq!(terms(locale).failure(&failure), terms(locale).code(FailureCode::HttpStatus));
        }
    }

    #[test]
    fn what_covers_a_page_is_told_in_every_language_with_how_much_of_it() {
        for locale in Locale::ALL {
            let sentences: Vec<String> = CoverKind::KNOWN
                .iter()
                .map(|kind| terms(locale).cover(&Cover { kind: *kind, percent: 85 }))
                .inspect(|sentence| assert!(sentence.contains("85"), "{locale}: {sentence}"))
                .collect();
            assert_eq!(sentences.len(), 3);
            assert!(sentences[0] != sentences[1] && sentences[1] != sentences[2], "{locale}");
        }
    }
}
