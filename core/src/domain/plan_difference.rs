//! Differences between the plans that a server was given and those that are stored.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;

use super::{Features, Limits, Plan, PlanCatalog, PlanCode, UnknownFields};

/// A field in which a given plan differs from the stored plan of the same code.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("plan `{plan}`: {field} is {stored} in the database and {given} in the settings")]
#[non_exhaustive]
pub struct PlanDifference {
    /// The code of the plan.
    pub plan: PlanCode,
    /// The field, for example `limits.sites`.
    pub field: String,
    /// The value that was given, as JSON.
    pub given: String,
    /// The stored value, as JSON.
    pub stored: String,
}

impl PlanCatalog {
    /// Returns the fields in which these plans differ from the stored ones of the same codes, in the order of the
    /// plans. Codes that are not stored, and fields that only the stored plan has (those of a later release), are not
    /// differences.
    pub fn differences(&self, stored: &[Plan]) -> Vec<PlanDifference> {
        let mut differences = Vec::new();
        for given in self.plans() {
            if let Some(stored) = stored.iter().find(|stored| stored.code == given.code) {
                compare(given, stored, &mut differences);
            }
        }
        differences
    }
}

fn compare(given: &Plan, stored: &Plan, differences: &mut Vec<PlanDifference>) {
    let stored: BTreeMap<String, Value> = fields(stored).into_iter().collect();
    for (field, given_value) in fields(given) {
        let stored_value = stored.get(&field).unwrap_or(&Value::Null);
        if given_value != *stored_value {
            differences.push(PlanDifference {
                plan: given.code.clone(),
                field,
                given: given_value.to_string(),
                stored: stored_value.to_string(),
            });
        }
    }
}

/// Returns the fields of a plan in the order of its stored document. They are listed here because a map of `serde_json`
/// has no order of its own; the exhaustive patterns make the compiler report a field that is missing here.
fn fields(plan: &Plan) -> Vec<(String, Value)> {
    let Plan { code, name, features, limits, unknown } = plan;
    let Features { api, exports, white_label, statement_drafts, acr_drafts, unknown: unknown_features } = features;
    let Limits {
        sites,
        pages_per_check,
        check_frequency,
        history_months,
        seats,
        manual_check_interval,
        requests_per_minute,
        files_per_minute,
        unknown: unknown_limits,
    } = limits;
    let of_plan = [("code", json(code)), ("name", json(name))];
    let of_features = [
        ("features.api", json(api)),
        ("features.exports", json(exports)),
        ("features.white_label", json(white_label)),
        ("features.statement_drafts", json(statement_drafts)),
        ("features.acr_drafts", json(acr_drafts)),
    ];
    let of_limits = [
        ("limits.sites", json(sites)),
        ("limits.pages_per_check", json(pages_per_check)),
        ("limits.check_frequency", json(check_frequency)),
        ("limits.history_months", json(history_months)),
        ("limits.seats", json(seats)),
        ("limits.manual_check_interval", json(manual_check_interval)),
        ("limits.requests_per_minute", json(requests_per_minute)),
        ("limits.files_per_minute", json(files_per_minute)),
    ];
    let known = |(field, value): (&str, Value)| (field.to_owned(), value);
    let later = |group: &'static str, fields: &UnknownFields| {
        let fields = fields.iter().map(move |(name, value)| (format!("{group}{name}"), value.clone()));
        fields.collect::<Vec<_>>()
    };
    let all = of_plan.into_iter().chain(of_features).map(known).chain(later("features.", unknown_features));
    all.chain(of_limits.into_iter().map(known))
        .chain(later("limits.", unknown_limits))
        .chain(later("", unknown))
        .collect()
}

fn json(value: &impl Serialize) -> Value {
    // A plan consists of texts, numbers and words, all of which JSON can represent.
    serde_json::to_value(value).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_field_that_differs_is_named_with_both_values() {
        let given = PlanCatalog::shipped();
        let mut stored = given.plans().to_vec();
        assert_eq!(given.differences(&stored), []);
        let pro = stored.iter_mut().find(|plan| plan.code.as_str() == "pro").unwrap();
        pro.limits.sites = 77;
        pro.name = "Professional".to_owned();
        pro.features.exports = false;
        let lines: Vec<String> = given.differences(&stored).iter().map(ToString::to_string).collect();
        assert_eq!(lines.len(), 3, "{lines:?}");
        let sites = "plan `pro`: limits.sites is 77 in the database and 15 in the settings";
        assert!(lines.iter().any(|line| line == sites), "{lines:?}");
        assert!(lines.iter().any(|line| line.contains("name is \"Professional\"")), "{lines:?}");
        assert!(lines.iter().any(|line| line.contains("features.exports is false")), "{lines:?}");
        let fields: Vec<String> = given.differences(&stored).into_iter().map(|difference| difference.field).collect();
        assert_eq!(fields, ["name", "features.exports", "limits.sites"], "in the order of the stored document");
    }

    #[test]
    fn a_code_that_is_not_stored_is_no_difference() {
        assert_eq!(PlanCatalog::shipped().differences(&[]), []);
    }

    #[test]
    fn a_field_of_a_later_release_is_no_difference() {
        let given = PlanCatalog::shipped();
        let mut document = json(&given.plans()[0]);
        document["limits"]["new_limit"] = 7.into();
        let stored: Plan = serde_json::from_value(document).unwrap();
        assert_eq!(given.differences(&[stored]), []);
    }

    #[test]
    fn the_fields_of_a_plan_are_those_of_its_stored_document_in_its_order() {
        let shipped = PlanCatalog::shipped();
        let plan = &shipped.plans()[0];
        let text = serde_json::to_string(plan).unwrap();
        let mut rest = text.as_str();
        for (field, value) in fields(plan) {
            let name = field.rsplit('.').next().unwrap();
            let written = format!("\"{name}\":{value}");
            let at = rest.find(&written).unwrap_or_else(|| panic!("{written} is not in {rest}"));
            rest = &rest[at + written.len()..];
        }
        let fields_of_text = text.matches("\":").count();
        assert_eq!(fields(plan).len() + ["features", "limits"].len(), fields_of_text);
    }
}
