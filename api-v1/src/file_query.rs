//! The parameters `format`, `lang` and `detail` of requests for reports and files: which file and which language a word stands
//! for.
//!
//! A parameter that is missing or blank has its default. All parameters that are wrong are refused at once.

use a11ycheck_core::{
    domain::{DraftHead, FieldErrors, HeadText, HeadTextError, Problem},
    export::{
        Artifact, ExportFormat,
        acr::{AcrFormat, DraftOptions},
    },
    locale::Locale,
};
use schemars::JsonSchema;

/// A file, and its language; `None` is the site's own.
pub type Wanted = (Artifact, Option<Locale>);

/// The parameters of a request for the draft of a conformance report that other files do not have, as text.
#[derive(Debug, Clone, Default, JsonSchema)]
pub struct DraftQuery {
    /// The version of the product, for the head of the draft; what the team has set where left out.
    #[schemars(with = "String", length(max = HeadText::MAX_LENGTH), example = &"2027.1")]
    pub product_version: Option<String>,
    /// The contact, for the head of the draft; what the team has set where left out.
    #[schemars(with = "String", length(max = HeadText::MAX_LENGTH), example = &"accessibility@example.com")]
    pub contact: Option<String>,
    /// Who evaluates the product, for the head of the draft; what the team has set where left out.
    #[schemars(with = "String", length(max = HeadText::MAX_LENGTH), example = &"Jo Lund")]
    pub evaluator: Option<String>,
    /// Whether the criteria of level AAA are listed; false where left out.
    #[schemars(with = "bool", extend("default" = false), example = &false)]
    pub aaa: Option<String>,
}

impl DraftQuery {
    /// Reads the parameters. A line break or another control character in a text counts as a blank.
    ///
    /// # Errors
    /// Returns [`Problem::TooLong`] for each text of more than [`HeadText::MAX_LENGTH`] characters, and [`Problem::NotBoolean`]
    /// for an `aaa` that is neither true nor false.
    pub fn options(&self) -> Result<DraftOptions, FieldErrors> {
        let mut fields = FieldErrors::default();
        let head = DraftHead::default()
            .with_product_version(line("product_version", self.product_version.as_deref(), &mut fields))
            .with_contact(line("contact", self.contact.as_deref(), &mut fields))
            .with_evaluator(line("evaluator", self.evaluator.as_deref(), &mut fields));
        let options = DraftOptions::default().with_head(head);
        let options = match self.aaa.as_deref().map(str::trim).filter(|word| !word.is_empty()) {
            None | Some("false" | "0") => options,
            Some("true" | "1") => options.with_aaa(),
            Some(_) => {
                fields.add("aaa", Problem::NotBoolean);
                options
            }
        };
        if fields.is_empty() { Ok(options) } else { Err(fields) }
    }
}

/// Returns a text of one line; `None` where it is missing or blank. One that is too long is added to `errors`.
fn line(field: &str, text: Option<&str>, errors: &mut FieldErrors) -> Option<HeadText> {
    let is_blank = |character: char| character.is_control() || matches!(character, '\u{2028}' | '\u{2029}');
    match text?.replace(is_blank, " ").parse::<HeadText>() {
        Ok(text) => Some(text),
        Err(HeadTextError::TooLong) => {
            errors.add(field, Problem::TooLong(HeadText::MAX_LENGTH));
            None
        }
        Err(_) => None,
    }
}

/// The parameters `format`, `lang` and `detail` of a request, as text.
#[derive(Debug, Clone, Default, JsonSchema)]
pub struct FileQuery {
    /// The kind of file.
    #[schemars(with = "String", extend("default" = "json"), example = &"json")]
    pub format: Option<String>,
    /// The language; the site's report language where left out.
    #[schemars(with = "Language", example = &"de")]
    pub lang: Option<String>,
    /// How much the PDF report shows: with `full` every rule with all examples of the report. Other files are the same with
    /// both.
    #[schemars(with = "DetailWord", extend("default" = "brief"), example = &"full")]
    pub detail: Option<String>,
}

impl FileQuery {
    /// Reads the parameters of a request for an export: issues as JSON where no format is named.
    ///
    /// # Errors
    /// Returns [`Problem::NotInList`] for each parameter whose word has no meaning.
    pub fn export(&self) -> Result<Wanted, FieldErrors> {
        self.wanted(export_format, Artifact::Issues(ExportFormat::Json))
    }

    /// Reads the parameters of a request for the draft of a conformance report: OpenACR where no format is named.
    ///
    /// # Errors
    /// Returns [`Problem::NotInList`] for each parameter whose word has no meaning.
    pub fn acr(&self) -> Result<Wanted, FieldErrors> {
        self.wanted(acr_format, Artifact::Acr(AcrFormat::Json))
    }

    /// Reads the parameters of a request for the PDF report, which has no `format`.
    ///
    /// # Errors
    /// Returns [`Problem::NotInList`] for an unknown language, and where PDFs are not built in, as for an unknown `format`.
    pub fn report_pdf(&self) -> Result<Wanted, FieldErrors> {
        let format = export_format(Artifact::ReportPdf).map(str::to_owned);
        Self { format, ..self.clone() }.export()
    }

    /// Reads the language of a request; `None` is the site's own.
    ///
    /// # Errors
    /// Returns [`Problem::NotInList`] for an unknown language.
    pub fn language(&self) -> Result<Option<Locale>, FieldErrors> {
        let mut fields = FieldErrors::default();
        let locale = choice("lang", self.lang.as_deref(), &mut fields, |word| word.parse().ok());
        if fields.is_empty() { Ok(locale) } else { Err(fields) }
    }

    fn wanted(
        &self,
        word_of: impl Fn(Artifact) -> Option<&'static str>,
        default: Artifact,
    ) -> Result<Wanted, FieldErrors> {
        let mut fields = FieldErrors::default();
        let artifact = choice("format", self.format.as_deref(), &mut fields, |word| {
            Artifact::all().find(|artifact| artifact.is_built_in() && word_of(*artifact) == Some(word))
        });
        let artifact = artifact.unwrap_or(default);
        let locale = choice("lang", self.lang.as_deref(), &mut fields, |word| word.parse().ok());
        // Only the PDF report has forms of which one is chosen.
        let is_report = artifact == Artifact::ReportPdf;
        let detail = self.detail.as_deref().filter(|_| is_report);
        let artifact = choice("detail", detail, &mut fields, |word| match word {
            "brief" => Some(Artifact::ReportPdf),
            "full" => Some(Artifact::FullReportPdf),
            _ => None,
        })
        .unwrap_or(artifact);
        if fields.is_empty() { Ok((artifact, locale)) } else { Err(fields) }
    }
}

/// A language of reports that this release has, as in ISO 639-1.
#[derive(JsonSchema)]
#[schemars(extend("enum" = Locale::ALL))]
#[expect(dead_code, reason = "it describes a word that is read as text")]
pub(crate) struct Language(String);

/// How much the PDF report shows.
#[derive(JsonSchema)]
#[schemars(extend("enum" = ["brief", "full"]))]
#[expect(dead_code, reason = "it describes a word that is read as text")]
#[schemars(inline)]
struct DetailWord(String);

/// Returns the word of `format` for a file among the exports; `None` for what is no export.
pub(crate) const fn export_format(artifact: Artifact) -> Option<&'static str> {
    match artifact {
        Artifact::ReportPdf => Some("pdf"),
        Artifact::ReportHtml => Some("html"),
        Artifact::Issues(format) => Some(format.as_str()),
        // It is asked for by `detail`.
        Artifact::FullReportPdf | Artifact::Acr(_) | Artifact::AcrPdf => None,
    }
}

/// Returns the word of `format` for a file among the drafts of conformance reports; `None` for what is none.
pub(crate) const fn acr_format(artifact: Artifact) -> Option<&'static str> {
    match artifact {
        Artifact::Acr(format) => Some(format.as_str()),
        Artifact::AcrPdf => Some("pdf"),
        Artifact::ReportPdf | Artifact::FullReportPdf | Artifact::ReportHtml | Artifact::Issues(_) => None,
    }
}

/// Returns the value of the parameter `field`; `None` where it is missing or blank. A word that has no meaning is added to `errors`.
fn choice<T>(
    field: &str,
    text: Option<&str>,
    errors: &mut FieldErrors,
    meaning: impl FnOnce(&str) -> Option<T>,
) -> Option<T> {
    let word = text.map(str::trim).filter(|word| !word.is_empty())?;
    let value = meaning(word);
    if value.is_none() {
        errors.add(field, Problem::NotInList);
    }
    value
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn query(format: Option<&str>, lang: Option<&str>) -> FileQuery {
        FileQuery { format: format.map(str::to_owned), lang: lang.map(str::to_owned), detail: None }
    }

    fn detailed(format: Option<&str>, detail: &str) -> FileQuery {
        FileQuery { detail: Some(detail.to_owned()), ..query(format, None) }
    }

    #[test]
    fn the_long_form_of_the_pdf_is_asked_for_by_its_word_and_other_files_have_one_form() {
        assert_eq!(detailed(None, " full ").report_pdf(), Ok((Artifact::FullReportPdf, None)));
        assert_eq!(detailed(None, "brief").report_pdf(), Ok((Artifact::ReportPdf, None)));
        assert_eq!(detailed(None, " ").report_pdf(), Ok((Artifact::ReportPdf, None)));
        assert_eq!(detailed(None, "FULL").report_pdf(), Err(FieldErrors::one("detail", Problem::NotInList)));
        let csv = Artifact::Issues(ExportFormat::Csv);
        assert_eq!(detailed(Some("csv"), "anything").export(), Ok((csv, None)), "old clients may send any word there");
        assert_eq!(detailed(Some("pdf"), "anything").acr(), Ok((Artifact::AcrPdf, None)));
    }

    #[test]
    fn each_file_has_a_word_of_its_own_and_is_read_back_from_it() {
        for artifact in Artifact::all() {
            let read = match (export_format(artifact), acr_format(artifact)) {
                (Some(word), None) => query(Some(word), None).export(),
                (None, Some(word)) => query(Some(word), None).acr(),
                (None, None) if artifact == Artifact::FullReportPdf => detailed(Some("pdf"), "full").export(),
                words => panic!("{artifact:?} is asked for by {words:?}"),
            };
            assert_eq!(read, Ok((artifact, None)));
        }
        for word in ["JSON", "xml", "HTML"] {
            let refused = Err(FieldErrors::one("format", Problem::NotInList));
            assert_eq!(query(Some(word), None).export(), refused, "{word}");
        }
        assert!(query(Some("csv"), None).acr().is_err());
    }

    #[test]
    fn the_published_document_lists_the_same_words() {
        let document = crate::openapi::strict();
        let listed = |path: &str| {
            let parameters = document["paths"][path]["get"]["parameters"].as_array().unwrap();
            let format = parameters.iter().find(|parameter| parameter["name"] == "format").unwrap();
            let words = format["schema"]["enum"].as_array().unwrap().iter();
            words.map(|word| word.as_str().unwrap().to_owned()).collect::<BTreeSet<_>>()
        };
        let read = |word_of: fn(Artifact) -> Option<&'static str>| {
            Artifact::all().filter_map(word_of).map(str::to_owned).collect::<BTreeSet<_>>()
        };
        assert_eq!(listed("/sites/{site}/export"), read(export_format));
        assert_eq!(listed("/scans/{scan}/export"), read(export_format));
        assert_eq!(listed("/scans/{scan}/acr"), read(acr_format));
    }

    #[test]
    fn blank_parameters_have_their_defaults() {
        for blank in [None, Some(""), Some(" ")] {
            assert_eq!(query(blank, blank).export(), Ok((Artifact::Issues(ExportFormat::Json), None)));
            assert_eq!(query(blank, Some(" uk ")).acr(), Ok((Artifact::Acr(AcrFormat::Json), Some(Locale::Uk))));
            assert_eq!(query(Some("csv"), blank).report_pdf(), Ok((Artifact::ReportPdf, None)));
            assert_eq!(query(None, blank).language(), Ok(None));
        }
    }

    #[test]
    fn the_head_of_a_draft_is_bounded_and_what_is_blank_is_left_to_the_team() {
        let query = DraftQuery {
            product_version: Some(" 2027.1\r\n".to_owned()),
            contact: Some(" ".to_owned()),
            aaa: Some("true".to_owned()),
            ..DraftQuery::default()
        };
        let options = query.options().unwrap();
        assert_eq!(options.head.product_version.unwrap().as_str(), "2027.1");
        assert!(options.head.contact.is_none() && options.head.evaluator.is_none() && options.lists_aaa);
        assert_eq!(DraftQuery::default().options(), Ok(DraftOptions::default()));
        let wrong = DraftQuery {
            evaluator: Some("x".repeat(HeadText::MAX_LENGTH + 1)),
            aaa: Some("yes".to_owned()),
            ..DraftQuery::default()
        };
        let fields = wrong.options().unwrap_err();
        assert_eq!(fields.iter().map(|(field, _)| field).collect::<Vec<_>>(), ["evaluator", "aaa"]);
    }

    #[test]
    fn two_wrong_words_are_refused_at_once() {
        let fields = query(Some("x"), Some("fr")).export().unwrap_err();
        assert_eq!(fields.iter().map(|(field, _)| field).collect::<Vec<_>>(), ["format", "lang"]);
        let refused = FieldErrors::one("lang", Problem::NotInList);
        assert_eq!(query(Some("x"), Some("fr")).language(), Err(refused));
    }
}
