//! What people have decided, in drafts of conformance reports.

use std::collections::BTreeMap;

use crate::{
    domain::{Finding, Findings, Judged, Judgement, RuleId, UndecidedReason, Verdict},
    export::acr::PersonDecisions,
};

/// Makes of what a check found what a draft says after people have decided: what is no barrier goes, and an element about which no
/// program could decide fails if it is a barrier, and else need not be looked at any more. Returns how much was decided of what no program
/// could decide, by rule.
pub(super) fn decided_by_persons(
    findings: &mut Findings,
    judgements: &[Judgement],
    judged: &Judged,
) -> BTreeMap<RuleId, PersonDecisions> {
    let first = findings.items.len() as u64 + 1;
    let (decided, barriers) = undecided_by_persons(findings, first, judgements, judged);
    let no_barriers = judged.false_positives(judgements);
    let mut numbers = 1_u64..;
    findings.items.retain(|_| numbers.next().is_none_or(|number| !no_barriers.contains(&number)));
    if !barriers.is_empty() {
        findings.items.extend(barriers);
        // Stable, so that the order of axe-core stays.
        findings.items.sort_by(|one, other| (one.page, &one.rule).cmp(&(other.page, &other.rule)));
    }
    decided
}

/// Takes what people have decided out of the elements about which no program could decide; the number of the first of these is `first`.
/// Returns how much was decided, by rule, and the elements that are barriers.
pub(super) fn undecided_by_persons(
    findings: &mut Findings,
    first: u64,
    judgements: &[Judgement],
    judged: &Judged,
) -> (BTreeMap<RuleId, PersonDecisions>, Vec<Finding>) {
    let mut decided: BTreeMap<RuleId, PersonDecisions> = BTreeMap::new();
    let mut barriers = Vec::new();
    let mut open = Vec::new();
    for (number, finding) in (first..).zip(std::mem::take(&mut findings.undecided)) {
        let verdict = judged.holding(number).and_then(|index| judgements.get(index)).map(|judgement| judgement.verdict);
        if !verdict.is_some_and(Verdict::decides) {
            open.push(finding);
            continue;
        }
        let of = findings.needs_review.get(&finding.rule).copied().unwrap_or_default();
        decided.entry(finding.rule.clone()).or_insert_with(|| PersonDecisions { decided: 0, of: of.into() }).decided +=
            1;
        if verdict == Some(Verdict::Barrier) {
            barriers.push(finding);
        } else {
            forget_reason(findings, &finding);
        }
    }
    for finding in &barriers {
        forget_reason(findings, finding);
    }
    for (rule, decisions) in &decided {
        if let Some(count) = findings.needs_review.get_mut(rule) {
            *count = count.saturating_sub(u32::try_from(decisions.decided).unwrap_or(u32::MAX));
        }
    }
    findings.undecided = open;
    (decided, barriers)
}

/// Takes an element out of the reasons why no program could decide about its rule: it counts for its first check.
fn forget_reason(findings: &mut Findings, finding: &Finding) {
    let Some(check) = finding.checks.first() else { return };
    let reasons = findings.undecided_reasons.get_mut(&finding.rule);
    let of_check = |reason: &&mut UndecidedReason| reason.check == check.id && reason.key == check.key;
    if let Some(reason) = reasons.and_then(|reasons| reasons.iter_mut().find(of_check)) {
        reason.count = reason.count.saturating_sub(1);
    }
    if let Some(reasons) = findings.undecided_reasons.get_mut(&finding.rule) {
        reasons.retain(|reason| reason.count > 0);
    }
}
