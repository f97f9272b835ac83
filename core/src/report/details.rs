//! What was found on an element, in the language of the report.

use std::{borrow::Cow, fmt, sync::LazyLock};

use regex::Regex;
use serde_json::json;

use crate::{
    catalog::{axe_check, sentence, terms},
    domain::{AxeCheck, CheckNeed, CheckOutcome, Finding},
    locale::Locale,
    ranking::{Measured, measured},
};

/// What was found on an element: sentences in the language of the report, with `code` in backticks.
///
/// Its text has a line for each sentence; where several stand together, a line above says whether one of them has to be put
/// right or all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Details {
    /// The sentences, those of which one has to be put right before those that all have to be.
    pub(crate) parts: Vec<DetailsPart>,
}

/// Sentences that belong together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DetailsPart {
    /// The line above them; `None` for a single sentence.
    pub(crate) heading: Option<&'static str>,
    /// The sentences; never empty.
    pub(crate) sentences: Vec<String>,
}

impl Details {
    /// Returns the sentences in one line.
    pub(crate) fn in_one_line(&self) -> String {
        let parts = self.parts.iter().map(|part| {
            let sentences = part.sentences.join(" ");
            part.heading.map_or_else(|| sentences.clone(), |heading| format!("{heading} {sentences}"))
        });
        parts.collect::<Vec<_>>().join(" ")
    }
}

impl fmt::Display for Details {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut lines = self.parts.iter().flat_map(|part| {
            let dash = if part.heading.is_some() { "- " } else { "" };
            let heading = part.heading.map(str::to_owned);
            heading.into_iter().chain(part.sentences.iter().map(move |sentence| format!("{dash}{sentence}")))
        });
        if let Some(line) = lines.next() {
            f.write_str(&line)?;
        }
        lines.try_for_each(|line| write!(f, "\n{line}"))
    }
}

/// Returns what was found on an element: the catalogue's sentences for axe-core's checks. Of findings of earlier releases,
/// which kept axe-core's English alone, what was measured is read from that; an English reader sees the rest as it is, and a
/// reader of another language does not. `None` if there is nothing to say.
///
/// Where a control was pressed before the element appeared, that is the first sentence.
pub(crate) fn details(finding: &Finding, locale: Locale) -> Option<Details> {
    let said = said(finding, locale);
    let Some(state) = opened(finding, locale) else { return said };
    let state = DetailsPart { heading: None, sentences: vec![state] };
    Some(Details { parts: std::iter::once(state).chain(said.into_iter().flat_map(|said| said.parts)).collect() })
}

/// Returns the sentence that names the control that was pressed before the element appeared, with `code` in backticks; `None` for
/// what the page shows by itself.
pub(crate) fn opened(finding: &Finding, locale: Locale) -> Option<String> {
    finding.opened_by.as_ref().map(|control| terms(locale).opened(control))
}

fn said(finding: &Finding, locale: Locale) -> Option<Details> {
    let single =
        |sentence: &str| Details { parts: vec![DetailsPart { heading: None, sentences: vec![sentence.to_owned()] }] };
    if let Some(found) = found(finding, locale) {
        Some(found)
    } else if finding.checks.iter().any(|check| check.outcome == CheckOutcome::Incomplete) {
        Some(single(&terms(locale).label.could_not_decide))
    } else {
        Some(&*finding.failure_summary).filter(|summary| locale == Locale::En && !summary.is_empty()).map(single)
    }
}

/// Returns what was found on an element in one language, with `code` in backticks: a line for each sentence, as in
/// [`Example::details`](super::Example::details). Of elements of earlier releases it is known in part, and in English as axe-core
/// said it; `None` where nothing is known. Hostile in its code.
pub fn said_of(finding: &Finding, locale: Locale) -> Option<String> {
    details(finding, locale).map(|details| details.to_string())
}

/// Returns the same in the catalogue's sentences alone.
pub(crate) fn found(finding: &Finding, locale: Locale) -> Option<Details> {
    let read = if finding.checks.is_empty() { from_english(finding) } else { None };
    let checks: Cow<'_, [AxeCheck]> = read.map_or(Cow::Borrowed(&*finding.checks), |check| Cow::Owned(vec![check]));
    let label = &terms(locale).label;
    let of = |need: CheckNeed, heading: &'static str| {
        let mut sentences: Vec<String> = Vec::new();
        let said = checks.iter().filter(|check| check.need == need).filter_map(|check| sentence(check, locale));
        for sentence in said {
            if !sentences.contains(&sentence) {
                sentences.push(sentence);
            }
        }
        let heading = (sentences.len() > 1).then_some(heading);
        (!sentences.is_empty()).then_some(DetailsPart { heading, sentences })
    };
    let parts: Vec<DetailsPart> =
        [of(CheckNeed::Any, &label.one_of), of(CheckNeed::All, &label.all_of)].into_iter().flatten().collect();
    (!parts.is_empty()).then_some(Details { parts })
}

/// The size of the text in axe-core's English message about contrast.
#[expect(clippy::unwrap_used, reason = "the pattern is a constant, and a test uses it")]
static FONT_SIZE: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"font size: ([0-9.]+pt \([0-9.]+px\))").unwrap());

/// Returns the check whose values axe-core's English message contains, if it is one that is known to.
fn from_english(finding: &Finding) -> Option<AxeCheck> {
    let message = &finding.failure_summary;
    let (id, data) = match (finding.rule.as_str(), measured(message)?) {
        (rule @ ("color-contrast" | "color-contrast-enhanced"), Measured::Colours { text, other, ratio, least }) => {
            let size = FONT_SIZE.captures(message)?.get(1)?.as_str();
            let data = json!({
                "fgColor": text, "bgColor": other, "contrastRatio": ratio, "fontSize": size, "expectedContrastRatio": least,
            });
            (rule, data)
        }
        ("link-in-text-block", Measured::Colours { text, other, ratio, least }) => {
            let data = json!({
                "messageKey": "fgContrast", "nodeColor": text, "parentColor": other, "contrastRatio": ratio,
                "requiredContrastRatio": least,
            });
            ("link-in-text-block", data)
        }
        ("target-size", Measured::Size { width, height, least }) => {
            ("target-size", json!({ "width": width, "height": height, "minSize": least }))
        }
        _ => return None,
    };
    Some(axe_check(id, CheckNeed::Any, CheckOutcome::Fail, &data))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{OpenedBy, RuleId};

    fn finding(rule: &str, summary: &str) -> Finding {
        Finding::new(RuleId::new(rule), 0, "https://a.example/", "p", "<p>", summary)
    }

    fn any(id: &str) -> AxeCheck {
        axe_check(id, CheckNeed::Any, CheckOutcome::Fail, &json!(null))
    }

    const CONTRAST: &str = "Fix any of the following:\n  Element has insufficient color contrast of 3.9 (foreground color: \
        #73879c, background color: #ffffff, font size: 9.8pt (13px), font weight: normal). Expected contrast ratio of 4.5:1";

    #[test]
    fn one_thing_is_a_sentence_and_several_say_whether_one_is_enough() {
        let one = finding("region", "axe").with_checks([any("region")]);
        assert_eq!(details(&one, Locale::En).unwrap().to_string().lines().count(), 1);
        let both = [any("has-alt"), any("aria-label"), AxeCheck { need: CheckNeed::All, ..any("tabindex") }];
        let several = details(&finding("image-alt", "axe").with_checks(both), Locale::De).unwrap();
        assert_eq!(several.parts.iter().map(|part| part.sentences.len()).collect::<Vec<_>>(), [2, 1]);
        let text = several.to_string();
        assert!(text.starts_with("Es genügt, eines davon in Ordnung zu bringen:\n- "), "{text}");
        assert!(!text.contains("axe") && text.lines().count() == 4, "{text}");
    }

    #[test]
    fn what_an_earlier_release_measured_is_said_in_every_language() {
        for locale in Locale::ALL {
            let text = details(&finding("color-contrast", CONTRAST), locale).unwrap().to_string();
            let decimal =
                |number: &str| if locale == Locale::En { number.to_owned() } else { number.replace('.', ",") };
            for value in ["#73879c", "#ffffff", "13", &decimal("3.9:1"), &decimal("4.5:1")] {
                assert!(text.contains(value), "{locale}: {value} in {text}");
            }
        }
        let link = "The link has insufficient color contrast of 1.3:1 with the surrounding text. (Minimum contrast is 3:1, \
            link text: #333333, surrounding text: #111111)";
        assert!(details(&finding("link-in-text-block", link), Locale::De).unwrap().to_string().contains("1,3:1"));
        let target = "Target has insufficient size (16px by 12.5px, should be at least 24px by 24px)";
        assert!(details(&finding("target-size", target), Locale::De).unwrap().to_string().contains("12,5"));
    }

    #[test]
    fn the_english_of_an_earlier_release_is_for_english_readers() {
        let old = finding("image-alt", "Element does not have an alt attribute");
        assert_eq!(details(&old, Locale::En).unwrap().to_string(), "Element does not have an alt attribute");
        for locale in Locale::ALL.into_iter().filter(|locale| *locale != Locale::En) {
            assert_eq!(details(&old, locale), None, "{locale}");
        }
    }

    #[test]
    fn what_was_pressed_is_said_first_in_every_language() {
        let menu =
            finding("region", "axe").with_checks([any("region")]).with_opened_by(OpenedBy::new("Menu `x`", "#m"));
        for locale in Locale::ALL {
            let text = details(&menu, locale).unwrap().to_string();
            let first = text.lines().next().unwrap();
            assert!(
                first.contains("`Menu 'x'`") && !first.contains('{') && text.lines().count() == 2,
                "{locale}: {text}"
            );
        }
        let unnamed = finding("of-tomorrow", "").with_opened_by(OpenedBy::new("", "#m"));
        assert_eq!(
            details(&unnamed, Locale::En).unwrap().to_string(),
            "The element appears once `#m` has been pressed."
        );
    }

    #[test]
    fn a_check_of_tomorrow_that_could_not_decide_says_at_least_that() {
        let check = AxeCheck::new("of-tomorrow", CheckNeed::Any, CheckOutcome::Incomplete);
        let text = details(&finding("label", "Fix").with_checks([check]), Locale::De).unwrap().to_string();
        assert_eq!(text, "Über dieses Element konnte das Programm nicht entscheiden.");
    }
}
