//! Makes files from their sources.

use super::{
    DraftSource, PdfError, PdfSource,
    compose::Composer,
    draft::Draft,
    finish::{Facts, finish},
    picture::Pictures,
    text,
};

/// Makes the report's file.
///
/// It holds everything that the report holds, within bounds: long texts end in an ellipsis, and long lists in a row that
/// counts the rest.
///
/// # Errors
/// See [`PdfError`]; no report causes one.
pub fn render(source: &PdfSource<'_>) -> Result<Vec<u8>, PdfError> {
    let mut pictures = Pictures::new();
    let composer = Composer::new(*source, &mut pictures);
    let author = text::line(&source.brand.name, 200);
    let facts = Facts {
        title: composer.title(),
        program: source.generated_by.unwrap_or(&author),
        author: &author,
        locale: source.report.locale,
        made_at: source.report.checked_at,
    };
    finish(composer.compose(), pictures, &facts)
}

/// Makes the file of a conformance report's draft, from the same verdicts as [`acr::write`](crate::export::acr::write).
///
/// # Errors
/// See [`PdfError`]; no check causes one.
pub fn render_draft(source: &DraftSource<'_>) -> Result<Vec<u8>, PdfError> {
    let mut pictures = Pictures::new();
    let draft = Draft::new(*source, &mut pictures);
    let author = text::line(&source.brand.name, 200);
    let facts = Facts {
        title: draft.title(),
        program: source.generated_by.unwrap_or(&author),
        author: &author,
        locale: source.export.locale,
        made_at: source.export.checked_at,
    };
    finish(draft.compose(), pictures, &facts)
}
