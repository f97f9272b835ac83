//! What is decided about a run: accepted findings, baseline, gate and exit code.

use a11ycheck_core::domain::{AcceptedElement, AcceptedFinding, Findings, accepted_by};
use chrono::NaiveDate;

use super::{CheckError, note};
use crate::{
    baseline::{self, BaselineFile, Identity},
    gate::{self, Decision, Unlisted},
    output::safe,
    plan::Plan,
    run::{Accept, AcceptedBy, Baseline, Exit, Gate, NoticeLevel, Run, Since},
};

/// What a run is judged by.
pub(super) struct Judged<'a> {
    pub(super) plan: &'a Plan,
    pub(super) known: Option<&'a BaselineFile>,
    pub(super) identity: &'a Identity,
    /// The day on which acceptances may have expired: that of whoever runs the check.
    pub(super) today: NaiveDate,
}

impl Judged<'_> {
    /// Marks the findings of a run, judges it, and writes the baseline if that was asked for. Returns the decisions of the gate.
    ///
    /// # Errors
    /// [`CheckError::Baseline`] if the baseline can't be written.
    pub(super) fn mark(&self, run: &mut Run, found: &Findings) -> Result<Vec<Decision>, CheckError> {
        let is_unmatched = self.mark_accepted(run, found);
        let (unlisted, is_solved) = self.mark_known(run, found);
        let not_checked = run.pages_not_checked().count().try_into().unwrap_or(u64::MAX);
        let allowed = self.plan.allow_unchecked;
        let exit = |gate_failed, is_advisory| Exit {
            code: gate::exit_code(gate_failed, not_checked, allowed, is_advisory),
            gate_failed,
            pages_not_checked: not_checked,
            allowed_unchecked: allowed,
        };
        if self.plan.flags.update_baseline {
            if let Some(file) = &self.plan.baseline {
                let is_accepted =
                    |number: usize| run.findings.get(number).is_some_and(|found| found.accepted.is_some());
                let new = baseline::updated(self.known, found, is_accepted, self.identity);
                new.write(file)?;
                let message = format!(
                    "The baseline {} was written: {} findings on {} pages.",
                    file.display(),
                    new.findings.len(),
                    new.pages.len()
                );
                run.notices.push(note(NoticeLevel::Note, &message));
            }
            run.gate = Gate::default();
            run.exit = exit(false, false);
            return Ok(Vec::new());
        }
        let (gate, decisions) = gate::judge(&self.plan.gate, run, &unlisted);
        let fails_strictly = (self.plan.flags.strict && is_unmatched) || (self.plan.flags.strict_baseline && is_solved);
        let gate_failed = !gate.holds() || fails_strictly;
        run.gate = gate;
        run.exit = exit(gate_failed, self.plan.flags.exit_zero);
        Ok(decisions)
    }

    /// Marks accepted findings. Returns whether an acceptance that is valid matches nothing.
    fn mark_accepted(&self, run: &mut Run, found: &Findings) -> bool {
        let accepts = &self.plan.accepts;
        let mut matched = vec![0_u64; accepts.len()];
        for (finding, item) in run.findings.iter_mut().zip(&found.items) {
            // Whoever wrote the pattern may mean the address that was named, or the one to which it led.
            let addresses = run.pages.get(item.page).map_or([""; 2], |page| [&*page.url, page.opened()]);
            for (accept, count) in accepts.iter().zip(&mut matched) {
                *count += u64::from(addresses.iter().any(|address| accept.matches(item, address)));
            }
            let valid = addresses.iter().filter_map(|address| accepted_by(accepts, item, address, self.today)).min();
            finding.accepted = valid.map(|index| AcceptedBy {
                accept: index,
                reason: accepts[index].reason.as_str().to_owned(),
                note: accepts[index].note.clone(),
            });
        }
        let mut is_unmatched = false;
        for (accept, matched) in accepts.iter().zip(matched) {
            let expired = accept.is_expired(self.today);
            run.accepts.push(listed(accept, expired, matched));
            let (rule, element) = (accept.rule.as_str(), element_of(accept));
            if expired {
                let until = accept.until.map(|until| until.to_string()).unwrap_or_default();
                let message = format!(
                    "Findings of {rule} at {element} were accepted until {until} and count again: look at them once more."
                );
                run.notices.push(note(NoticeLevel::Warning, &message));
            } else if matched == 0 {
                is_unmatched = true;
                let message = format!(
                    "Nothing matches the accepted finding of {rule} at {element}: remove it from the configuration."
                );
                run.notices.push(note(NoticeLevel::Warning, &message));
            }
        }
        is_unmatched
    }

    /// Marks what the baseline knows. Returns what counts in addition to the findings, and whether entries are solved.
    fn mark_known(&self, run: &mut Run, found: &Findings) -> (Unlisted, bool) {
        let all = || baseline::all_unlisted(found);
        let (Some(known), Some(file)) = (self.known, &self.plan.baseline) else { return (all(), false) };
        let compared = baseline::compare(found, known, self.identity);
        for (finding, is_new) in run.findings.iter_mut().zip(&compared.is_new) {
            finding.since = if *is_new { Since::New } else { Since::Known };
        }
        let new = compared.is_new.iter().filter(|is_new| **is_new).count();
        let is_solved = !compared.solved.is_empty();
        run.baseline = Some(Baseline {
            file: file.display().to_string(),
            new: count(new),
            known: count(compared.is_new.len() - new),
            solved: compared.solved,
            not_compared: compared.not_compared,
        });
        (if self.plan.gate.new_only { compared.unlisted } else { all() }, is_solved)
    }
}

fn listed(accept: &AcceptedFinding, expired: bool, matched: u64) -> Accept {
    let (selector, template) = match &accept.element {
        AcceptedElement::Selector(selector) => (Some(selector.clone()), None),
        AcceptedElement::Template(key) => (None, Some(key.as_str().to_owned())),
    };
    Accept {
        rule: accept.rule.clone(),
        selector,
        template,
        pages: accept.pages.as_ref().map(ToString::to_string),
        reason: accept.reason.as_str().to_owned(),
        note: accept.note.clone(),
        until: accept.until,
        expired,
        matched,
    }
}

fn element_of(accept: &AcceptedFinding) -> &str {
    match &accept.element {
        AcceptedElement::Selector(selector) => selector,
        AcceptedElement::Template(key) => key.as_str(),
    }
}

fn count(number: usize) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}

/// Shows which setting of the gate decided about which findings.
#[expect(clippy::print_stderr, reason = "the program speaks to whoever runs it")]
pub(super) fn explain(run: &Run, decisions: &[Decision]) {
    for Decision { rule, page, count, setting, counts } in decisions {
        let page = run.pages.get(*page).map_or("", |page| page.url.as_str());
        let verdict = if *counts { "count" } else { "do not count: below the level, or a recommendation" };
        let line = format!("{count} × {} on {page}: {setting}, {verdict}", rule.as_str());
        eprintln!("{}", safe::for_log(&line));
    }
    for line in &run.gate.lines {
        let verdict = if line.holds() { "holds" } else { "FAILED" };
        eprintln!(
            "{}",
            safe::for_log(&format!("{}: {} of {} permitted, {verdict}", line.setting, line.counted, line.max))
        );
    }
}
