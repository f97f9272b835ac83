//! What judgements are joined by: of each element its keys and the reason for which it was found, without its texts.

use std::collections::HashMap;

use super::element::{reasons, summary};
use crate::domain::{Finding, Findings, Fingerprint};

/// The keys of an element in the version of this release, as numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Keys {
    pub(super) tight: u64,
    pub(super) loose: u64,
    pub(super) outline: Option<u64>,
    pub(super) content: Option<u64>,
    pub(super) template: u64,
}

impl Keys {
    pub(super) fn of(keys: &Fingerprint) -> Self {
        Self {
            tight: keys.tight.bits(),
            loose: keys.loose.bits(),
            outline: keys.outline.as_ref().map(|key| key.bits()),
            content: keys.content.as_ref().map(|key| key.bits()),
            template: keys.template.bits(),
        }
    }

    /// Returns the keys of an element, made again where they are those of an earlier release.
    pub(super) fn of_finding(findings: &Findings, finding: &Finding) -> Self {
        if finding.fingerprint.version == Fingerprint::VERSION {
            return Self::of(&finding.fingerprint);
        }
        let page_url = findings.pages.get(finding.page).map_or("", |page| &page.url);
        Self::of(&Fingerprint::of(&finding.rule, page_url, &finding.selector, &finding.html))
    }
}

/// The traces of the elements of a check: those that fail, then those that no program could decide about, by their numbers. An
/// element takes 64 bytes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Traces {
    /// The number of those that fail.
    failing: u64,
    /// The different lists of messages.
    reasons: Vec<Vec<String>>,
    elements: Vec<Traced>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Traced {
    keys: Keys,
    /// The index of the list of messages.
    reasons: u32,
    summary: u64,
}

/// The trace of one element.
#[derive(Debug, Clone, Copy)]
pub(super) struct Trace<'a> {
    all: &'a Traces,
    traced: &'a Traced,
}

impl<'a> Trace<'a> {
    pub(super) const fn keys(self) -> Keys {
        self.traced.keys
    }

    pub(super) fn reasons(self) -> &'a [String] {
        let index = usize::try_from(self.traced.reasons).ok();
        index.and_then(|index| self.all.reasons.get(index)).map_or(&[], Vec::as_slice)
    }

    pub(super) const fn summary(self) -> u64 {
        self.traced.summary
    }
}

impl Traces {
    /// The bytes of an element in [`columns`](Self::columns).
    const WIDTH: usize = 53;

    /// Returns the traces of the elements of a check.
    pub fn of(findings: &Findings) -> Self {
        let mut traces = Self { failing: findings.items.len() as u64, ..Self::default() };
        let (mut lists, mut summaries) = (HashMap::new(), HashMap::new());
        for finding in findings.items.iter().chain(&findings.undecided) {
            let list = reasons(&finding.checks);
            let next = u32::try_from(lists.len()).unwrap_or(u32::MAX);
            let reasons = *lists.entry(list).or_insert_with_key(|list| {
                traces.reasons.push(list.clone());
                next
            });
            let summary =
                *summaries.entry(finding.failure_summary.as_str()).or_insert_with_key(|text| summary(text).bits());
            traces.elements.push(Traced { keys: Keys::of_finding(findings, finding), reasons, summary });
        }
        traces
    }

    /// Returns the number of elements that fail.
    pub(crate) const fn failing(&self) -> u64 {
        self.failing
    }

    pub(super) fn numbered(&self) -> impl Iterator<Item = (u64, Trace<'_>)> {
        (1..).zip(self.elements.iter().map(|traced| Trace { all: self, traced }))
    }

    /// Returns the number of elements of the same kind that the template of the element with this number repeats, itself included; 0
    /// if there is no such element.
    pub fn alike(&self, number: u64) -> u64 {
        let of_kind = self.numbered().filter(|(other, _)| (*other <= self.failing) == (number <= self.failing));
        let index = usize::try_from(number).ok().and_then(|number| number.checked_sub(1));
        let Some(element) = index.and_then(|index| self.elements.get(index)) else { return 0 };
        of_kind.filter(|(_, other)| other.traced.keys.template == element.keys.template).count() as u64
    }

    /// Returns the different lists of messages, which [`from_columns`](Self::from_columns) takes.
    pub(crate) fn lists(&self) -> &[Vec<String>] {
        &self.reasons
    }

    /// Returns the elements as bytes.
    pub(crate) fn columns(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.elements.len() * Self::WIDTH);
        for Traced { keys, reasons, summary } in &self.elements {
            let known = u8::from(keys.outline.is_some()) | (u8::from(keys.content.is_some()) << 1);
            bytes.push(known);
            let (outline, content) = (keys.outline.unwrap_or_default(), keys.content.unwrap_or_default());
            for key in [keys.tight, keys.loose, outline, content, keys.template, *summary] {
                bytes.extend_from_slice(&key.to_le_bytes());
            }
            bytes.extend_from_slice(&reasons.to_le_bytes());
        }
        bytes
    }

    /// Reads what [`columns`](Self::columns) and [`lists`](Self::lists) returned; `None` for anything else.
    pub(crate) fn from_columns(failing: u64, reasons: Vec<Vec<String>>, bytes: &[u8]) -> Option<Self> {
        let (rows, []) = bytes.as_chunks::<{ Self::WIDTH }>() else { return None };
        let mut elements = Vec::with_capacity(rows.len());
        for row in rows {
            let (known, rest) = row.split_first()?;
            let (keys, reasons) = rest.as_chunks::<8>();
            let [tight, loose, outline, content, template, summary] = *keys else { return None };
            let key = u64::from_le_bytes;
            let keys = Keys {
                tight: key(tight),
                loose: key(loose),
                outline: (known & 1 != 0).then(|| key(outline)),
                content: (known & 2 != 0).then(|| key(content)),
                template: key(template),
            };
            elements.push(Traced {
                keys,
                reasons: u32::from_le_bytes(reasons.try_into().ok()?),
                summary: key(summary),
            });
        }
        (failing <= elements.len() as u64).then_some(Self { failing, reasons, elements })
    }
}
