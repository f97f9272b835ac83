//! The list of sites as a file: out, and in again.

use a11ycheck_core::{
    catalog::fill,
    domain::{AuditAction, FieldErrors, SiteField},
    export::{SiteList, SiteListError, read_sites, write_sites},
    service::{FirstChecks, Imported},
};
use askama::Template;

use super::{
    context::{InTeam, form_page},
    error::PageError,
};
use crate::{
    form_errors::{FormErrors, missing, sentence},
    response::Response,
    shell::{Section, Shell},
    words::Words,
};

#[derive(Template)]
#[template(path = "import-sites.html")]
struct ImportPage {
    shell: Shell,
    fields: Vec<SiteField>,
    done: Option<Done>,
}

/// The outcome of an import.
struct Done {
    counts: [(&'static str, u64); 4],
    /// The lines that were left out: the number, the column, and the reason.
    refused: Vec<(u64, String, String)>,
    /// The columns that were not read.
    ignored: String,
}

impl ImportPage {
    fn columns(&self) -> String {
        let own = self.fields.iter().map(|field| field.name.as_str());
        let names: Vec<&str> = SiteField::COLUMNS.into_iter().chain(own).collect();
        self.shell.filled(&self.shell.words.import.columns, "columns", names.join(", "))
    }
}

/// Returns all sites as a file, which [`import`] takes.
pub(super) async fn export(team: &InTeam<'_, '_>) -> Result<Response, PageError> {
    let sites = team.handle().all_sites().await?;
    let (fields, values) = (team.handle().site_fields().await?, team.handle().all_site_values().await?);
    let file = write_sites(&fields, sites.iter().map(|site| (site, values.get(&site.id))));
    Ok(Response::download("sites.csv", "text/csv; charset=utf-8", file))
}

pub(super) async fn form(team: &InTeam<'_, '_>) -> Result<Response, PageError> {
    let fields = team.handle().site_fields().await?;
    shown(team, fields, None, FormErrors::default())
}

fn shown(
    team: &InTeam<'_, '_>,
    fields: Vec<SiteField>,
    done: Option<Done>,
    errors: FormErrors,
) -> Result<Response, PageError> {
    let shell = team.shell(Section::Sites, &team.words().import.title).with_errors(errors);
    let template = ImportPage { shell, fields, done };
    form_page(&template, &template.shell)
}

/// Imports the file, and says what became of its lines.
pub(super) async fn import(team: &InTeam<'_, '_>) -> Result<Response, PageError> {
    let (words, fields) = (team.words(), team.handle().site_fields().await?);
    let file = team.context.request.file("file");
    let Some(file) = file.filter(|file| !file.is_empty()) else {
        return shown(team, fields, None, FormErrors::one("file", missing("file", words)));
    };
    let list = match read_sites(file, &fields) {
        Ok(list) => list,
        Err(error) => {
            let mut errors = FormErrors::default();
            of_file(&error, &mut errors, words);
            return shown(team, fields, None, errors);
        }
    };
    let ignored = match list.ignored.join(", ") {
        names if names.is_empty() => names,
        names => fill(&words.import.ignored, &[("columns", &names)]),
    };
    let first_checks = if team.form().has("first") { FirstChecks::AtOnce } else { FirstChecks::BySchedule };
    let imported = team.handle().import_sites(list, first_checks).await?;
    if imported.added + imported.changed > 0 {
        let numbers = format!("+{} ~{}", imported.added, imported.changed);
        team.note(AuditAction::SitesImported, &numbers).await?;
    }
    shown(team, fields, Some(done(imported, ignored, words)), FormErrors::default())
}

fn of_file(error: &SiteListError, errors: &mut FormErrors, words: &Words) {
    let words = &words.import;
    match error {
        SiteListError::NotUtf8(line) => errors.add_filled("file", &words.not_utf8, &[("line", line.to_string())]),
        SiteListError::TooManyLines => {
            errors.add_filled("file", &words.too_many_lines, &[("most", SiteList::MAX_LINES.to_string())]);
        }
        // Reasons of a later release are about the form of the file, too.
        _ => errors.add("file", &words.no_url_column),
    }
}

fn done(imported: Imported, ignored: String, words: &'static Words) -> Done {
    let names = &words.import;
    let of_line = |(line, errors): &(u64, FieldErrors)| {
        let problems = errors.iter().flat_map(|(column, problems)| problems.iter().map(move |one| (column, one)));
        problems.map(|(column, problem)| (*line, column.to_owned(), sentence(problem, words))).collect::<Vec<_>>()
    };
    Done {
        counts: [
            (&names.added, imported.added),
            (&names.changed, imported.changed),
            (&names.unchanged, imported.unchanged),
            (&names.refused, imported.refused.len() as u64),
        ],
        refused: imported.refused.iter().flat_map(of_line).collect(),
        ignored,
    }
}
