//! The consistency of procedures with a rule, computed from their outcomes for its test cases.

use std::collections::BTreeSet;

use crate::w3c::{Answer, Consistency, Expected, Procedure, Said, consistency};

/// The criterion that the rule of these tests requires.
const KEYBOARD: &str = "WCAG2:keyboard";
/// A criterion that the rule does not require.
const FOCUS_ORDER: &str = "WCAG2:focus-order";

/// Returns an approved test case with the outcome of a procedure.
fn case(expected: Expected, said: Said) -> Answer {
    Answer { is_approved: true, expected, said: vec![said] }
}

/// Returns a test case that is not approved: one of a proposed rule, or one that was added to an approved rule later.
fn proposed(expected: Expected, said: Said) -> Answer {
    Answer { is_approved: false, ..case(expected, said) }
}

fn names(criteria: &[&str]) -> BTreeSet<String> {
    criteria.iter().map(|&name| name.to_owned()).collect()
}

fn procedure(criteria: &[&str], answers: impl IntoIterator<Item = Answer>) -> Procedure {
    Procedure { criteria: names(criteria), answers: answers.into_iter().collect() }
}

/// Returns the consistency of a single procedure that names the rule's criterion.
fn alone(answers: impl IntoIterator<Item = Answer>) -> Consistency {
    consistency(&[procedure(&[KEYBOARD], answers)], Some(&names(&[KEYBOARD])))
}

#[test]
fn a_rule_is_complete_where_everything_is_caught_and_nothing_else_is_accused() {
    let answers = [
        case(Expected::Failed, Said::Failed),
        case(Expected::Passed, Said::Passed),
        case(Expected::Inapplicable, Said::Inapplicable),
    ];
    assert_eq!(alone(answers), Consistency::Complete);
    // A tool need not distinguish cases that pass from cases to which the rule does not apply.
    let mixed = [
        case(Expected::Failed, Said::Failed),
        case(Expected::Passed, Said::Inapplicable),
        case(Expected::Inapplicable, Said::Passed),
    ];
    assert_eq!(alone(mixed), Consistency::Complete);
}

#[test]
fn one_that_is_missed_or_untested_leaves_a_part() {
    let caught = || case(Expected::Failed, Said::Failed);
    for said in [Said::Passed, Said::Inapplicable, Said::Untested] {
        assert_eq!(alone([caught(), case(Expected::Failed, said)]), Consistency::Partial, "{said:?}");
    }
    assert_eq!(alone([caught(), case(Expected::Passed, Said::Untested)]), Consistency::Partial);
    let unsaid = Answer { said: Vec::new(), ..case(Expected::Passed, Said::Passed) };
    assert_eq!(alone([caught(), unsaid]), Consistency::Partial, "no outcome is no answer");
}

#[test]
fn one_wrong_outcome_costs_the_rule() {
    for expected in [Expected::Passed, Expected::Inapplicable] {
        let answers = [
            case(Expected::Failed, Said::Failed),
            case(Expected::Failed, Said::Failed),
            case(Expected::Passed, Said::Passed),
            case(expected, Said::Failed),
        ];
        assert_eq!(alone(answers), Consistency::Inconsistent, "{expected:?}");
    }
}

#[test]
fn a_rule_of_which_nothing_is_caught_is_inconsistent() {
    assert_eq!(
        alone([case(Expected::Failed, Said::Passed), case(Expected::Passed, Said::Passed)]),
        Consistency::Inconsistent
    );
    assert_eq!(alone([case(Expected::Failed, Said::Untested)]), Consistency::Inconsistent);
}

#[test]
fn a_rule_is_untested_where_no_procedure_says_anything_about_it() {
    assert_eq!(consistency(&[], Some(&names(&[KEYBOARD]))), Consistency::Untested);
    assert_eq!(consistency(&[], None), Consistency::Untested);
}

#[test]
fn what_is_left_to_a_person_is_not_missed() {
    let answers = [
        case(Expected::Failed, Said::Failed),
        case(Expected::Failed, Said::CantTell),
        case(Expected::Passed, Said::CantTell),
        case(Expected::Inapplicable, Said::CantTell),
    ];
    assert_eq!(alone(answers), Consistency::Complete);
}

#[test]
fn a_rule_that_is_left_to_a_person_alone_is_a_part_if_nobody_is_asked_in_vain() {
    let left_open = || [case(Expected::Failed, Said::CantTell), case(Expected::Passed, Said::CantTell)];
    assert_eq!(alone(left_open()), Consistency::Partial);
    for said in [Said::Passed, Said::Inapplicable] {
        let clear = left_open().into_iter().chain([case(Expected::Inapplicable, said)]);
        assert_eq!(alone(clear), Consistency::Partial, "{said:?}");
    }
    for said in [Said::CantTell, Said::Untested] {
        let unclear = left_open().into_iter().chain([case(Expected::Inapplicable, said)]);
        assert_eq!(alone(unclear), Consistency::Inconsistent, "{said:?}");
    }
}

#[test]
fn proposed_cases_of_an_approved_rule_do_not_count() {
    let approved = [case(Expected::Failed, Said::Failed), case(Expected::Passed, Said::Passed)];
    let added = [
        proposed(Expected::Failed, Said::Passed),
        proposed(Expected::Passed, Said::Failed),
        proposed(Expected::Passed, Said::Untested),
    ];
    assert_eq!(alone(approved.into_iter().chain(added)), Consistency::Complete);
}

#[test]
fn all_cases_of_a_proposed_rule_count() {
    let caught = || proposed(Expected::Failed, Said::Failed);
    assert_eq!(alone([caught(), proposed(Expected::Passed, Said::Passed)]), Consistency::Complete);
    assert_eq!(alone([caught(), proposed(Expected::Failed, Said::Passed)]), Consistency::Partial);
    assert_eq!(alone([caught(), proposed(Expected::Passed, Said::Failed)]), Consistency::Inconsistent);
}

#[test]
fn a_procedure_without_a_criterion_of_the_rule_is_a_part() {
    let answers = || [case(Expected::Failed, Said::Failed), case(Expected::Passed, Said::Passed)];
    let counted = |has: &[&str], required: Option<&[&str]>| {
        consistency(&[procedure(has, answers())], required.map(names).as_ref())
    };
    assert_eq!(counted(&[], Some(&[KEYBOARD])), Consistency::Partial);
    assert_eq!(counted(&[KEYBOARD], Some(&[KEYBOARD, FOCUS_ORDER])), Consistency::Partial);
    assert_eq!(counted(&[KEYBOARD, FOCUS_ORDER], Some(&[KEYBOARD])), Consistency::Complete, "more are not judged");
    assert_eq!(counted(&[], Some(&[])), Consistency::Complete, "the rule requires none");
    assert_eq!(counted(&[], None), Consistency::Complete, "what it requires is not known");
}

#[test]
fn several_procedures_are_complete_together() {
    let first = [
        case(Expected::Failed, Said::Failed),
        case(Expected::Failed, Said::Passed),
        case(Expected::Passed, Said::Passed),
    ];
    let second = [
        case(Expected::Failed, Said::Passed),
        case(Expected::Failed, Said::Failed),
        case(Expected::Passed, Said::Passed),
    ];
    let both = [procedure(&[KEYBOARD], first.clone()), procedure(&[FOCUS_ORDER], second)];
    for procedure in &both {
        assert_eq!(consistency(std::slice::from_ref(procedure), None), Consistency::Partial);
    }
    assert_eq!(consistency(&both, None), Consistency::Complete);
    assert_eq!(
        consistency(&both, Some(&names(&[KEYBOARD, FOCUS_ORDER]))),
        Consistency::Complete,
        "so are their criteria"
    );
    let same = [procedure(&[KEYBOARD], first.clone()), procedure(&[KEYBOARD], first)];
    assert_eq!(consistency(&same, None), Consistency::Partial, "both miss the same");
}

#[test]
fn those_procedures_count_that_map_best() {
    let complete =
        || procedure(&[KEYBOARD], [case(Expected::Failed, Said::Failed), case(Expected::Passed, Said::Passed)]);
    let partial =
        || procedure(&[KEYBOARD], [case(Expected::Failed, Said::Failed), case(Expected::Passed, Said::Untested)]);
    let wrong = || procedure(&[KEYBOARD], [case(Expected::Failed, Said::Failed), case(Expected::Passed, Said::Failed)]);
    assert_eq!(consistency(&[wrong(), complete(), partial()], None), Consistency::Complete);
    assert_eq!(consistency(&[wrong(), partial()], None), Consistency::Partial);
    assert_eq!(consistency(&[wrong(), wrong()], None), Consistency::Inconsistent);
}
