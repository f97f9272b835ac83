//! The plans that an operator offers, as read from a TOML file.

use serde::Deserialize;

use super::{Plan, PlanCode, plan_file::PlanEntry};

/// The plans that an operator offers: at least one, each code once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanCatalog(Vec<Plan>);

/// The reason why a text is not a catalogue of plans.
#[derive(Debug, thiserror::Error)]
pub enum PlanCatalogError {
    /// The text is not TOML, or a field is missing, misspelt or of the wrong type.
    #[error("the plan file can't be read")]
    Syntax(#[from] toml::de::Error),
    /// There is no plan.
    #[error("the plan file names no plan: it needs at least one [[plan]]")]
    Empty,
    /// Two plans have the same code.
    #[error("the plan file has the plan `{0}` twice")]
    Duplicate(PlanCode),
    /// A limit is zero, which would lock every team out.
    #[error("the plan `{plan}` has {field} = 0, it must be at least 1")]
    Zero {
        /// The code of the plan.
        plan: PlanCode,
        /// The name of the limit.
        field: &'static str,
    },
}

impl PlanCatalog {
    /// Parses and checks a plan file.
    ///
    /// # Errors
    /// [`PlanCatalogError`].
    pub fn from_toml(text: &str) -> Result<Self, PlanCatalogError> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct File {
            #[serde(default)]
            plan: Vec<PlanEntry>,
        }

        Self::new(toml::from_str::<File>(text)?.plan.into_iter().map(Plan::from).collect())
    }

    /// Checks plans that were read elsewhere.
    ///
    /// # Errors
    /// [`PlanCatalogError`], but never [`Syntax`](PlanCatalogError::Syntax).
    pub fn new(plans: Vec<Plan>) -> Result<Self, PlanCatalogError> {
        if plans.is_empty() {
            return Err(PlanCatalogError::Empty);
        }
        for (index, plan) in plans.iter().enumerate() {
            if plans[..index].iter().any(|other| other.code == plan.code) {
                return Err(PlanCatalogError::Duplicate(plan.code.clone()));
            }
            let limits = &plan.limits;
            for (field, value) in [
                ("pages_per_check", limits.pages_per_check),
                ("history_months", limits.history_months),
                ("requests_per_minute", limits.requests_per_minute),
                ("files_per_minute", limits.files_per_minute),
            ] {
                if value == 0 {
                    return Err(PlanCatalogError::Zero { plan: plan.code.clone(), field });
                }
            }
        }
        Ok(Self(plans))
    }

    /// Returns the plans that the product ships with: `free`, `starter`, `pro` and `agency`.
    pub fn shipped() -> Self {
        // The file is part of the crate, and a test below parses it.
        #[expect(clippy::expect_used, reason = "a test reads the same text")]
        Self::from_toml(include_str!("../../plans.toml")).expect("the shipped plan file is valid")
    }

    /// Returns the plans in the order of the file.
    pub fn plans(&self) -> &[Plan] {
        &self.0
    }

    /// Returns the plan of this code.
    pub fn plan(&self, code: &PlanCode) -> Option<&Plan> {
        self.0.iter().find(|plan| plan.code == *code)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::IsoDuration;

    #[test]
    fn the_shipped_plans_hold_what_the_contract_says_of_them() {
        let shipped = PlanCatalog::shipped();
        let plan = |code: &str| shipped.plan(&PlanCode::new(code)).unwrap();
        assert!(!plan("free").features.api);
        assert_eq!(plan("free").limits.manual_check_interval, IsoDuration::months(1));
        for code in ["starter", "pro", "agency"] {
            assert!(plan(code).features.api, "{code}");
            assert_eq!(plan(code).limits.manual_check_interval, IsoDuration::hours(1), "{code}");
            assert_eq!(plan(code).limits.requests_per_minute, 60, "{code}");
        }
        assert!(plan("agency").features.acr_drafts && plan("agency").features.white_label);
        assert!(shipped.plans().iter().all(|plan| !plan.features.statement_drafts), "there is no such thing yet");
        assert!(!plan("pro").features.acr_drafts);
    }

    #[test]
    fn a_misspelt_field_is_named() {
        let text = include_str!("../../plans.toml").replacen("sites =", "site =", 1);
        let error = PlanCatalog::from_toml(&text).unwrap_err();
        assert!(std::error::Error::source(&error).unwrap().to_string().contains("site"), "{error:?}");
    }

    #[test]
    fn what_no_release_knows_is_named_although_a_stored_plan_may_have_it() {
        let text = include_str!("../../plans.toml");
        for (known, unknown) in [
            ("name = \"Free\"", "name = \"Free\"\nbadge = 1"),
            ("api = false", "api = false, sso = true"),
            ("seats = 1", "seats = 1\nlanguages = 7"),
            ("\"monthly\"", "\"fortnightly\""),
        ] {
            let error = PlanCatalog::from_toml(&text.replacen(known, unknown, 1)).unwrap_err();
            let source = std::error::Error::source(&error).unwrap().to_string();
            let named = ["badge", "sso", "languages", "fortnightly"].iter().any(|name| source.contains(name));
            assert!(named, "{source}");
        }
    }

    #[test]
    fn a_plan_named_twice_or_a_zero_is_refused() {
        let text = include_str!("../../plans.toml");
        assert!(matches!(
            PlanCatalog::from_toml(&text.replace("\"starter\"", "\"free\"")),
            Err(PlanCatalogError::Duplicate(_))
        ));
        assert!(matches!(PlanCatalog::from_toml(""), Err(PlanCatalogError::Empty)));
        let zero = text.replace("history_months = 12", "history_months = 0");
        assert!(matches!(PlanCatalog::from_toml(&zero), Err(PlanCatalogError::Zero { field: "history_months", .. })));
    }
}
