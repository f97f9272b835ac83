//! The files that can be made from a check.

use chrono::{DateTime, Utc};

use super::{ExportFormat, acr::AcrFormat};

/// A file that can be made from a completed check.
///
/// The enum is exhaustive, so that a new file leads to compiler errors: one for each place that has to know it. The
/// variants of PDFs exist even without the feature `pdf`; the service then refuses them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Artifact {
    /// The report for the site's owner as a PDF.
    ReportPdf,
    /// The list of issues in this format.
    Issues(ExportFormat),
    /// The draft of an accessibility conformance report in this format.
    Acr(AcrFormat),
    /// The same draft as a PDF.
    AcrPdf,
}

impl Artifact {
    /// Returns every file, those of features that are off included.
    pub fn all() -> impl Iterator<Item = Self> {
        let issues = ExportFormat::ALL.into_iter().map(Self::Issues);
        let drafts = AcrFormat::ALL.into_iter().map(Self::Acr);
        [Self::ReportPdf].into_iter().chain(issues).chain(drafts).chain([Self::AcrPdf])
    }

    /// Returns whether this build can make the file.
    pub const fn is_built_in(self) -> bool {
        match self {
            Self::ReportPdf | Self::AcrPdf => cfg!(feature = "pdf"),
            Self::Issues(_) | Self::Acr(_) => true,
        }
    }

    /// Returns the media type, as `Content-Type` has it.
    pub const fn media_type(self) -> &'static str {
        match self {
            Self::ReportPdf | Self::AcrPdf => "application/pdf",
            Self::Issues(ExportFormat::Json) | Self::Acr(AcrFormat::Json) => "application/json",
            Self::Issues(ExportFormat::Csv | ExportFormat::Jira) => "text/csv; charset=utf-8",
            Self::Issues(ExportFormat::Github) => "text/markdown; charset=utf-8",
            Self::Acr(AcrFormat::Html) => "text/html; charset=utf-8",
            Self::Acr(AcrFormat::Docx) => "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        }
    }

    /// Returns the JSON schema of the file's content, with the definitions that it names in the generator; `None` where the file is not
    /// JSON.
    #[cfg(feature = "schema")]
    pub fn schema(self, generator: &mut schemars::SchemaGenerator) -> Option<schemars::Schema> {
        match self {
            Self::Issues(ExportFormat::Json) => Some(super::json::schema(generator)),
            Self::Acr(AcrFormat::Json) => Some(super::acr::schema(generator)),
            Self::ReportPdf
            | Self::Issues(ExportFormat::Csv | ExportFormat::Github | ExportFormat::Jira)
            | Self::Acr(AcrFormat::Html | AcrFormat::Docx)
            | Self::AcrPdf => None,
        }
    }

    /// Returns the name of the file for a site of this domain: `{domain}-{date}-{suffix}`, for example
    /// `example.com-2027-06-01-a11ycheck.json`. It is ASCII without any character that a file system refuses, and no two
    /// files of a check have the same name.
    pub fn file_name(self, domain: &str, checked_at: DateTime<Utc>) -> String {
        let is_plain = |character: char| character.is_ascii_alphanumeric() || matches!(character, '.' | '-');
        // An IPv6 address has other characters, too: brackets around it, and colons within.
        let domain: String = domain
            .trim_matches(|character| !is_plain(character))
            .chars()
            .map(|character| if is_plain(character) { character } else { '-' })
            .collect();
        // A leading dot hides a file, and a leading hyphen makes it an option.
        let domain = domain.trim_start_matches(['.', '-']);
        format!("{domain}-{}-{}", checked_at.format("%Y-%m-%d"), self.suffix())
    }

    const fn suffix(self) -> &'static str {
        match self {
            Self::ReportPdf => "accessibility.pdf",
            Self::Issues(ExportFormat::Json) => "a11ycheck.json",
            // The only place for the disclaimer is the name of the file.
            Self::Issues(ExportFormat::Csv) => "a11ycheck-automated-check-no-audit.csv",
            Self::Issues(ExportFormat::Github) => "a11ycheck.md",
            Self::Issues(ExportFormat::Jira) => "a11ycheck-jira.csv",
            Self::Acr(AcrFormat::Json) => "accessibility-acr.json",
            Self::Acr(AcrFormat::Html) => "accessibility-acr.html",
            Self::Acr(AcrFormat::Docx) => "accessibility-acr.docx",
            Self::AcrPdf => "accessibility-acr.pdf",
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn no_two_files_of_a_check_overwrite_each_other_when_they_are_saved() {
        let suffixes: HashSet<_> = Artifact::all().map(Artifact::suffix).collect();
        assert_eq!(suffixes.len(), Artifact::all().count());
    }

    #[test]
    fn a_file_is_named_after_site_and_day() {
        let day = DateTime::<Utc>::from_timestamp(1_811_851_200, 0).unwrap();
        let (json, markdown) = (Artifact::Issues(ExportFormat::Json), Artifact::Issues(ExportFormat::Github));
        assert_eq!(json.file_name("example.com", day), "example.com-2027-06-01-a11ycheck.json");
        assert_eq!(markdown.file_name("[2001:db8::1]", day), "2001-db8--1-2027-06-01-a11ycheck.md");
        assert_eq!(markdown.file_name("-x.example", day), "x.example-2027-06-01-a11ycheck.md");
    }

    #[test]
    fn only_pdfs_need_a_feature() {
        for artifact in Artifact::all() {
            let is_pdf = artifact.media_type() == "application/pdf";
            assert_eq!(artifact.is_built_in(), cfg!(feature = "pdf") || !is_pdf, "{artifact:?}");
        }
    }
}
