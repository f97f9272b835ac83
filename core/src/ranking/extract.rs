//! What pages need of the findings of a check, kept beside them.

use std::{
    collections::BTreeMap,
    io::{self, Read as _, Write as _},
    sync::LazyLock,
};

use flate2::{Compression, read::ZlibDecoder, write::ZlibEncoder};
use serde::{Deserialize, Serialize};

use super::{Elements, Ranked, Seen, counted, in_order, place_indices};
use crate::domain::{Acceptances, Area, Finding, Findings, Key, RuleId, RuleKind, Traces, masked_items};

/// The part of a check's findings that reports, lists of elements and judgements need: everything except the texts of
/// most elements that fail. For each of those elements it has the rule, page, place and keys, so that all numbers and
/// orders are the same as with all findings.
///
/// It is derived from the findings alone, which never change. A stored extract names the release and the catalogue of
/// rules that made it. Any other release or catalogue does not read it, and makes it again from all findings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Extract {
    /// The findings, without the elements that fail.
    rest: Findings,
    /// The rules of the elements that fail.
    rules: Vec<RuleId>,
    /// The elements that fail, in the order of the findings.
    elements: Vec<Element>,
    /// The rules that go away with another one.
    goes_away_with: BTreeMap<RuleId, RuleId>,
    /// Elements by their numbers: those that stand for others.
    kept: BTreeMap<u64, Finding>,
    boxes: Vec<(u64, Area)>,
    traces: Traces,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Element {
    /// The index in the list of rules.
    rule: u32,
    page: u32,
    /// The index of the place among those of the rule.
    place: u32,
    is_new: bool,
    is_measured: bool,
}

/// An extract that can't be read: bytes that are none, or that another release wrote.
#[derive(Debug, thiserror::Error)]
#[error("it is no extract of this release")]
pub(crate) struct ReadExtractError;

/// The part that is stored as JSON.
#[derive(Serialize, Deserialize)]
struct Document {
    rest: Findings,
    rules: Vec<RuleId>,
    failing: u64,
    goes_away_with: BTreeMap<RuleId, RuleId>,
    kept_numbers: Vec<u64>,
    #[serde(deserialize_with = "masked_items")]
    kept: Vec<Finding>,
    boxes: Vec<(u64, Area)>,
    reasons: Vec<Vec<String>>,
}

/// The form of an extract. Whoever changes between two releases what it says of the same findings, or how, raises it.
const FORM: u32 = 1;
/// Tells what this release makes of findings from what others do: its version, the form, and the catalogue of rules.
static MADE_BY: LazyLock<String> = LazyLock::new(|| {
    let (rules, probes) = (include_str!("../../catalog/rules.toml"), include_str!("../../catalog/probes.toml"));
    format!("{} {FORM} {}", env!("CARGO_PKG_VERSION"), Key::of(&[rules, probes]).as_str())
});

impl Extract {
    /// The most places of a rule whose elements are kept.
    pub(crate) const PLACES: usize = 20;
    /// The most elements of a rule that are shown; that of each place comes first.
    pub(crate) const EXAMPLES: usize = 10;
    /// The bytes of an element in the columns.
    const WIDTH: usize = 13;

    /// Returns what pages need of findings. Long ones take a tenth of a second.
    pub fn of(findings: &Findings) -> Self {
        let ranked = Ranked::of(findings);
        let rest = findings.without_items();
        let mut rules: Vec<RuleId> = findings.items.iter().map(|finding| finding.rule.clone()).collect();
        rules.sort_unstable();
        rules.dedup();
        let index = |rule: &RuleId| rules.binary_search(rule).map_or(u32::MAX, narrow);
        let element = |finding: &Finding| Element {
            rule: index(&finding.rule),
            page: narrow(finding.page),
            place: 0,
            is_new: finding.is_new,
            is_measured: false,
        };
        let mut elements: Vec<Element> = findings.items.iter().map(element).collect();
        let (mut kept, mut goes_away_with) = (BTreeMap::new(), BTreeMap::new());
        for rule in &ranked.rules {
            for (seen, place) in rule.seen.iter().zip(place_indices(&rule.seen)) {
                if let Some(element) = at(&mut elements, seen.number) {
                    (element.place, element.is_measured) = (narrow(place), seen.is_measured);
                }
            }
            let counted = counted(rule.seen.iter().copied(), Acceptances::NONE);
            let places = ranked.places(&counted, Self::PLACES).into_iter().map(|place| place.shown);
            let shown = places.chain(ranked.examples(rule, &counted, Self::EXAMPLES));
            kept.extend(shown.map(|(number, finding)| (number, finding.clone())));
            if let Some(other) = ranked.rules.iter().find(|other| Some(other.rank) == rule.goes_away_with) {
                goes_away_with.insert(rule.rule.clone(), other.rule.clone());
            }
        }
        let boxes = ranked.boxes;
        Self { rest, rules, elements, goes_away_with, kept, boxes, traces: Traces::of(findings) }
    }

    /// Returns all that the check found, without the elements that fail. Those that no program could decide about are there; their
    /// numbers begin after [`failing`](Self::failing).
    pub fn rest(&self) -> &Findings {
        &self.rest
    }

    /// Returns the number of elements that fail and are kept.
    pub const fn failing(&self) -> u64 {
        self.elements.len() as u64
    }

    /// Returns the traces of the elements.
    pub const fn traces(&self) -> &Traces {
        &self.traces
    }

    /// Returns the elements that no program could decide about, with their numbers.
    pub fn undecided(&self) -> impl Iterator<Item = (u64, &Finding)> {
        (self.failing() + 1..).zip(&self.rest.undecided)
    }

    /// Returns the elements that fail a rule that counts: number, page, and whether the previous check did not have it.
    pub(crate) fn problems(&self) -> impl Iterator<Item = (u64, usize, bool)> {
        let counts = |rule: &RuleId| self.rest.kind_of(rule) == RuleKind::Problem;
        let counting: Vec<bool> = self.rules.iter().map(counts).collect();
        let counted = move |element: &Element| counting.get(widen(element.rule)).is_some_and(|counts| *counts);
        let elements = (1..).zip(&self.elements).filter(move |(_, element)| counted(element));
        elements.map(|(number, element)| (number, widen(element.page), element.is_new))
    }

    /// Returns the elements that fail: number, page and rule.
    pub(crate) fn failing_elements(&self) -> impl Iterator<Item = (u64, usize, &RuleId)> {
        (1..).zip(&self.elements).filter_map(|(number, element)| {
            let rule = self.rules.get(widen(element.rule))?;
            Some((number, widen(element.page), rule))
        })
    }

    /// Returns whether an element fails a rule.
    pub(crate) fn breaks(&self, rule: &RuleId) -> bool {
        self.rules.binary_search(rule).is_ok()
    }

    /// Returns the number of elements of a rule: of those that fail, or of those that no program could decide about, as the element
    /// with this number is.
    pub(crate) fn of_rule(&self, rule: &RuleId, number: u64) -> u64 {
        if number > self.failing() {
            return self.rest.undecided.iter().filter(|finding| finding.rule == *rule).count() as u64;
        }
        let index = self.rules.binary_search(rule).map_or(u32::MAX, narrow);
        self.elements.iter().filter(|element| element.rule == index).count() as u64
    }

    /// Returns the rules that the check broke.
    pub(crate) fn ranked(&self) -> Ranked<'_> {
        let mut by_rule: Vec<Vec<Seen>> = vec![Vec::new(); self.rules.len()];
        for (number, element) in (1..).zip(&self.elements) {
            if let Some(seen) = by_rule.get_mut(widen(element.rule)) {
                seen.push(Seen {
                    number,
                    page: widen(element.page),
                    place: element.place.into(),
                    is_new: element.is_new,
                    is_measured: element.is_measured,
                });
            }
        }
        let mut rules = in_order(&self.rest, self.rules.iter().zip(by_rule));
        let ranks: BTreeMap<&RuleId, u64> = rules.iter().map(|rule| (rule.rule, rule.rank)).collect();
        for rule in &mut rules {
            rule.goes_away_with = self.goes_away_with.get(rule.rule).and_then(|other| ranks.get(other).copied());
        }
        Ranked {
            findings: &self.rest,
            rules,
            boxes: self.boxes.clone(),
            first_undecided: self.failing() + 1,
            elements: Elements::Kept(&self.kept),
        }
    }

    /// Writes it, so that [`read`](Self::read) reads it.
    ///
    /// # Errors
    /// What can't be written as JSON.
    pub(crate) fn write(&self) -> io::Result<Vec<u8>> {
        let document = Document {
            rest: self.rest.clone(),
            rules: self.rules.clone(),
            failing: self.failing(),
            goes_away_with: self.goes_away_with.clone(),
            kept_numbers: self.kept.keys().copied().collect(),
            kept: self.kept.values().cloned().collect(),
            boxes: self.boxes.clone(),
            reasons: self.traces.lists().to_vec(),
        };
        let mut columns = Vec::with_capacity(self.elements.len() * Self::WIDTH);
        for Element { rule, page, place, is_new, is_measured } in &self.elements {
            for number in [rule, page, place] {
                columns.extend_from_slice(&number.to_le_bytes());
            }
            columns.push(u8::from(*is_new) | (u8::from(*is_measured) << 1));
        }
        let mut bytes = Vec::new();
        for (part, compression) in [
            (MADE_BY.as_bytes(), Compression::none()),
            (&serde_json::to_vec(&document)?, Compression::default()),
            (&columns, Compression::default()),
            // Keys are as good as random.
            (&self.traces.columns(), Compression::fast()),
        ] {
            let mut zlib = ZlibEncoder::new(Vec::new(), compression);
            zlib.write_all(part)?;
            let part = zlib.finish()?;
            bytes.extend_from_slice(&(part.len() as u64).to_le_bytes());
            bytes.extend_from_slice(&part);
        }
        Ok(bytes)
    }

    /// Reads what [`write`](Self::write) wrote.
    ///
    /// # Errors
    /// Bytes that are none, or that another release or catalogue made.
    pub(crate) fn read(mut bytes: &[u8]) -> Result<Self, ReadExtractError> {
        let mut part = || -> Option<Vec<u8>> {
            let (length, rest) = bytes.split_first_chunk::<8>()?;
            let (part, rest) = rest.split_at_checked(usize::try_from(u64::from_le_bytes(*length)).ok()?)?;
            bytes = rest;
            let mut read = Vec::new();
            ZlibDecoder::new(part).read_to_end(&mut read).ok()?;
            Some(read)
        };
        if part().ok_or(ReadExtractError)? != MADE_BY.as_bytes() {
            return Err(ReadExtractError);
        }
        let (document, columns, traces) = (part(), part(), part());
        let document = document.and_then(|json| serde_json::from_slice::<Document>(&json).ok());
        let Document { rest, rules, failing, goes_away_with, kept_numbers, kept, boxes, reasons } =
            document.ok_or(ReadExtractError)?;
        let columns = columns.ok_or(ReadExtractError)?;
        let (rows, []) = columns.as_chunks::<{ Self::WIDTH }>() else { return Err(ReadExtractError) };
        let elements: Vec<Element> = rows.iter().map(Element::read).collect();
        let traces = traces.and_then(|bytes| Traces::from_columns(failing, reasons, &bytes)).ok_or(ReadExtractError)?;
        if elements.len() as u64 != failing || kept.len() != kept_numbers.len() {
            return Err(ReadExtractError);
        }
        let kept = kept_numbers.into_iter().zip(kept).collect();
        Ok(Self { rest, rules, elements, goes_away_with, kept, boxes, traces })
    }
}

impl Element {
    fn read(row: &[u8; Extract::WIDTH]) -> Self {
        let [a, b, c, d, e, f, g, h, i, j, k, l, flags] = *row;
        let number = u32::from_le_bytes;
        Self {
            rule: number([a, b, c, d]),
            page: number([e, f, g, h]),
            place: number([i, j, k, l]),
            is_new: flags & 1 != 0,
            is_measured: flags & 2 != 0,
        }
    }
}

fn at(elements: &mut [Element], number: u64) -> Option<&mut Element> {
    elements.get_mut(usize::try_from(number).ok()?.checked_sub(1)?)
}

/// Returns an index of a list that is in memory. No list is so long that it does not fit.
fn narrow(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}

fn widen(index: u32) -> usize {
    usize::try_from(index).unwrap_or(usize::MAX)
}
