//! How plans that a server was given differ from those that are stored.

use serde_json::Value;

use super::{Plan, PlanCatalog, PlanCode};

/// A field in which a plan that was given differs from the stored plan of the same code.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("plan `{plan}`: {field} is {stored} in the database and {given} in the settings")]
pub struct PlanDifference {
    /// The plan.
    pub plan: PlanCode,
    /// The field, for example `limits.sites`.
    pub field: String,
    /// The value that was given, as JSON.
    pub given: String,
    /// The stored value, as JSON.
    pub stored: String,
}

impl PlanCatalog {
    /// Returns the fields in which these plans differ from the stored ones of the same codes, in the order of the plans.
    /// Codes that are not stored, and fields that only the stored plan has (those of a later release), are no difference.
    pub fn differences(&self, stored: &[Plan]) -> Vec<PlanDifference> {
        let mut differences = Vec::new();
        for given in self.plans() {
            if let Some(stored) = stored.iter().find(|stored| stored.code == given.code) {
                compare(&given.code, "", &document(given), &document(stored), &mut differences);
            }
        }
        differences
    }
}

/// A plan as it is stored.
fn document(plan: &Plan) -> Value {
    // A plan is texts, numbers and words: nothing that JSON lacks.
    serde_json::to_value(plan).unwrap_or_default()
}

fn compare(plan: &PlanCode, field: &str, given: &Value, stored: &Value, differences: &mut Vec<PlanDifference>) {
    match given {
        Value::Object(fields) => {
            for (name, given) in fields {
                let field = if field.is_empty() { name.clone() } else { format!("{field}.{name}") };
                compare(plan, &field, given, stored.get(name).unwrap_or(&Value::Null), differences);
            }
        }
        _ if given == stored => {}
        _ => differences.push(PlanDifference {
            plan: plan.clone(),
            field: field.to_owned(),
            given: given.to_string(),
            stored: stored.to_string(),
        }),
    }
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
        let told: Vec<String> = given.differences(&stored).iter().map(ToString::to_string).collect();
        assert_eq!(told.len(), 3, "{told:?}");
        let sites = "plan `pro`: limits.sites is 77 in the database and 15 in the settings";
        assert!(told.iter().any(|line| line == sites), "{told:?}");
        assert!(told.iter().any(|line| line.contains("name is \"Professional\"")), "{told:?}");
        assert!(told.iter().any(|line| line.contains("features.exports is false")), "{told:?}");
    }

    #[test]
    fn a_code_that_is_not_stored_is_no_difference() {
        assert_eq!(PlanCatalog::shipped().differences(&[]), []);
    }

    #[test]
    fn a_field_of_a_later_release_is_no_difference() {
        let plan = PlanCatalog::shipped().plans()[0].clone();
        let (given, mut stored, mut differences) = (document(&plan), document(&plan), Vec::new());
        stored["limits"]["new_limit"] = 7.into();
        compare(&plan.code, "", &given, &stored, &mut differences);
        assert_eq!(differences, []);
    }
}
