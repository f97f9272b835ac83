//! From a source to a file.

use super::{
    PdfError, PdfSource,
    compose::Composer,
    finish::{Facts, finish},
    picture::Pictures,
    text,
};

/// Makes the file.
///
/// It holds everything that the report holds, within bounds: long texts end in an ellipsis, long lists in a row that tells
/// how many more there are.
///
/// # Errors
/// See [`PdfError`]; no report causes one.
pub fn render(source: &PdfSource<'_>) -> Result<Vec<u8>, PdfError> {
    let mut pictures = Pictures::new();
    let composer = Composer::new(*source, &mut pictures);
    let facts = Facts {
        title: composer.title(),
        author: text::line(&source.brand.name, 200),
        program: source.generated_by,
        locale: source.report.locale,
        made_at: source.report.checked_at,
    };
    finish(composer.compose(), pictures, &facts)
}
