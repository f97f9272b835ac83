//! The words of the report's sections around its rules.

use serde::Deserialize;

use super::{Fixer, language::Language, terms::words};
use crate::locale::Locale;

/// Returns the words of the report's first and last sections in a language.
pub fn brief(locale: Locale) -> &'static BriefTerms {
    &Language::of(locale).brief
}

/// The words of the report's sections around its rules. The use of each is explained beside its English text, in
/// `brief/en.toml`.
#[derive(Debug, Deserialize)]
#[non_exhaustive]
pub struct BriefTerms {
    /// The first page.
    pub opening: OpeningTerms,
    /// The list of what to do.
    pub todo: TodoTerms,
    /// What is new since the previous check.
    pub changes: ChangeTerms,
    /// The rules.
    pub rule: RuleTerms,
    /// What is accepted.
    pub accepted: AcceptedTerms,
    /// Kinds of things on pages.
    pub thing: ThingTerms,
    /// The lists of pages.
    pub pages: PageTerms,
    /// What no machine tests.
    pub by_hand: ByHandTerms,
    /// The law.
    pub law: LawTerms,
    /// The glossary.
    pub glossary: GlossaryTerms,
    /// How the check was made.
    pub method: MethodTerms,
    /// The HTML file, beside the sections above.
    pub html: HtmlTerms,
}

impl BriefTerms {
    /// Returns the name of a craft.
    pub fn fixer(&self, fixer: Fixer) -> &str {
        match fixer {
            Fixer::Design => &self.todo.design,
            Fixer::Code => &self.todo.code,
            Fixer::Content => &self.todo.content,
        }
    }
}

words! {
    /// Words of the first page.
    pub struct OpeningTerms: String {
        verdict_critical verdict_serious verdict_moderate places clear_pages n_of_m start_page start_page_clean
        taken_over
    }
}

words! {
    /// Words of the list of what to do.
    pub struct TodoTerms: String {
        title note what place fixer effort design code content for_example quick further
    }
}

words! {
    /// Words about what is new.
    pub struct ChangeTerms: String {
        title nothing this_check not_comparable not_comparable_note carried
    }
}

words! {
    /// Words around a rule.
    pub struct RuleTerms: String {
        more goes_away also others others_note picture place_of
    }
}

words! {
    /// Words about accepted elements.
    pub struct AcceptedTerms: String {
        accepted note false_positive not_ours planned wont_fix until
    }
}

words! {
    /// Kinds of things on pages.
    pub struct ThingTerms: String {
        link button image field list heading frame table media page area named
    }
}

words! {
    /// Words of the lists of pages.
    pub struct PageTerms: String {
        worst not_checked noted
    }
}

words! {
    /// Tests that a person makes.
    pub struct ByHandTerms: String {
        title note keyboard keyboard_how zoom zoom_how alternatives alternatives_how captions captions_how forms forms_how
        reading reading_how links links_how motion motion_how
    }
}

words! {
    /// The law in three lines.
    pub struct LawTerms: String {
        title eaa standard advice
    }
}

words! {
    /// Words that the report uses, with their meanings.
    pub struct GlossaryTerms: String {
        title place place_means element element_means wcag wcag_means alternative alternative_means name name_means reader
        reader_means contrast contrast_means landmark landmark_means focus focus_means aria aria_means
    }
}

words! {
    /// Words about the method.
    pub struct MethodTerms: String {
        title text all_elements
    }
}

words! {
    /// Words of the HTML file alone.
    pub struct HtmlTerms: String {
        by_page by_page_note more_examples not_listed further_pages pictures_left_out in_full
    }
}
