//! The files that can be made from a check.

use super::{ExportFormat, acr::AcrFormat};

/// A file that can be made from a completed check.
///
/// The enum is exhaustive, so that a new file leads to compiler errors: one for each place that has to know it. The
/// variants of PDFs exist even without the feature `pdf`; the service then refuses them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Artifact {
    /// The report for the site's owner as a PDF.
    ReportPdf,
    /// The same report in its long form, with all examples, as a PDF.
    FullReportPdf,
    /// The report as a web page in one file, with all examples and page by page.
    ReportHtml,
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
        [Self::ReportPdf, Self::FullReportPdf, Self::ReportHtml]
            .into_iter()
            .chain(issues)
            .chain(drafts)
            .chain([Self::AcrPdf])
    }

    /// Returns whether this build can make the file.
    pub const fn is_built_in(self) -> bool {
        match self {
            Self::ReportPdf | Self::FullReportPdf | Self::AcrPdf => cfg!(feature = "pdf"),
            Self::ReportHtml | Self::Issues(_) | Self::Acr(_) => true,
        }
    }

    /// Returns the media type, as `Content-Type` has it.
    pub const fn media_type(self) -> &'static str {
        match self {
            Self::ReportPdf | Self::FullReportPdf | Self::AcrPdf => "application/pdf",
            Self::Issues(ExportFormat::Json) | Self::Acr(AcrFormat::Json) => "application/json",
            Self::Issues(ExportFormat::Csv | ExportFormat::Jira) => "text/csv; charset=utf-8",
            Self::Issues(ExportFormat::Github) => "text/markdown; charset=utf-8",
            Self::ReportHtml | Self::Acr(AcrFormat::Html) => "text/html; charset=utf-8",
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
            | Self::FullReportPdf
            | Self::ReportHtml
            | Self::Issues(ExportFormat::Csv | ExportFormat::Github | ExportFormat::Jira)
            | Self::Acr(AcrFormat::Html | AcrFormat::Docx)
            | Self::AcrPdf => None,
        }
    }

    /// Returns the end of the file's name: which file of a check it is.
    pub(super) const fn suffix(self) -> &'static str {
        match self {
            Self::ReportPdf => "accessibility.pdf",
            Self::FullReportPdf => "accessibility-full.pdf",
            Self::ReportHtml => "accessibility.html",
            Self::Issues(ExportFormat::Json) => "accessibility-issues.json",
            // The only place for the disclaimer is the name of the file.
            Self::Issues(ExportFormat::Csv) => "accessibility-issues-automated-check-no-audit.csv",
            Self::Issues(ExportFormat::Github) => "accessibility-issues-github.md",
            Self::Issues(ExportFormat::Jira) => "accessibility-issues-jira.csv",
            Self::Acr(AcrFormat::Json) => "accessibility-acr.json",
            Self::Acr(AcrFormat::Html) => "accessibility-acr.html",
            Self::Acr(AcrFormat::Docx) => "accessibility-acr.docx",
            Self::AcrPdf => "accessibility-acr.pdf",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_pdfs_need_a_feature() {
        for artifact in Artifact::all() {
            let is_pdf = artifact.media_type() == "application/pdf";
            assert_eq!(artifact.is_built_in(), cfg!(feature = "pdf") || !is_pdf, "{artifact:?}");
        }
    }
}
