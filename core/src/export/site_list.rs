//! The list of a team's sites as CSV, out and in again.
//!
//! What [`write_sites`] has written, [`read_sites`] reads as it was, whatever is in the cells: an apostrophe is put before what a spreadsheet
//! would calculate, and before apostrophes that are followed by such a text; reading takes one away from both.

use std::io;

use ::csv::{Position, ReaderBuilder, StringRecord, Terminator, Trim, WriterBuilder};

use crate::{
    domain::{
        FieldErrors, PlatformKey, Problem, Site, SiteDetails, SiteField, SiteInput, SiteName, SiteTextError, SiteUrl,
        SiteUrlError, SiteValueChanges, SiteValues, StandardId, Tag,
    },
    locale::Locale,
};

/// The columns that every list has, in the order in which they are written. Those of the team's own fields follow.
const COLUMNS: [&str; 6] = SiteField::COLUMNS;

/// The byte order mark, without which Excel reads UTF-8 as the computer's old code page.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// The lines of a file that may be sites.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SiteList {
    /// The lines that are not blank, without the one that names the columns.
    pub lines: Vec<SiteLine>,
    /// The names of columns that mean nothing here.
    pub ignored: Vec<String>,
}

/// A line of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SiteLine {
    /// The number of the line in the file, counted from 1; of the first one, where a cell has several.
    pub number: u64,
    /// The site, or what is wrong with which column.
    pub site: Result<SiteEntry, FieldErrors>,
}

/// A site as a line describes it. What has no column in the file is `None`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SiteEntry {
    /// The address.
    pub url: SiteUrl,
    /// The name, or none.
    pub name: Option<Option<SiteName>>,
    /// The language of the reports; English for an empty cell.
    pub report_locale: Option<Locale>,
    /// The tags, each once.
    pub tags: Option<Vec<Tag>>,
    /// The platforms, each once.
    pub platforms: Option<Vec<PlatformKey>>,
    /// The standard, or the operator's choice.
    pub standard: Option<Option<StandardId>>,
    /// The values of the team's own fields that have a column.
    pub values: SiteValueChanges,
}

/// The reason why a file is no list of sites.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SiteListError {
    /// The file is not UTF-8: the first such line has this number.
    #[error("line {0} is not UTF-8")]
    NotUtf8(u64),
    /// The first line names no column `url`.
    #[error("the first line has no column `url`")]
    NoUrlColumn,
    /// There are more lines than [`SiteList::MAX_LINES`].
    #[error("there are more than {} lines", SiteList::MAX_LINES)]
    TooManyLines,
}

impl SiteList {
    /// The most lines of a file.
    pub const MAX_LINES: usize = 800;
}

impl SiteEntry {
    /// Returns what is entered for a site that is not there yet.
    pub(crate) fn details(&self) -> SiteDetails {
        let url = self.url.clone();
        self.applied_to(&SiteDetails {
            url,
            name: None,
            report_locale: Locale::En,
            platform: None,
            stack: Vec::new(),
            tags: Vec::new(),
            standard: None,
        })
    }

    /// Returns the details of a site that is there with what the line says of it.
    pub(crate) fn applied_to(&self, details: &SiteDetails) -> SiteDetails {
        let mut details = details.clone();
        if let Some(name) = &self.name {
            details.name = name.as_ref().map(|name| name.as_str().to_owned());
        }
        if let Some(locale) = self.report_locale {
            details.report_locale = locale;
        }
        if let Some(tags) = &self.tags {
            details.tags = tags.iter().map(|tag| tag.as_str().to_owned()).collect();
        }
        if let Some(platforms) = self.platforms.as_ref().filter(|platforms| **platforms != details.stack) {
            details.stack.clone_from(platforms);
            // The older form of the first one, which is no longer it.
            details.platform = None;
        }
        if let Some(standard) = self.standard {
            details.standard = standard;
        }
        details
    }
}

/// Returns the sites, each with its values of the team's own fields, as a CSV file in UTF-8, with a byte order mark and the line ends of
/// RFC 4180. Each field has a column by its name.
pub fn write_sites<'a>(
    fields: &[SiteField],
    sites: impl IntoIterator<Item = (&'a Site, Option<&'a SiteValues>)>,
) -> Vec<u8> {
    let mut file = BYTE_ORDER_MARK.to_string().into_bytes();
    // Nothing can fail: the file is in memory.
    drop(write(fields, sites, &mut file));
    file
}

fn write<'a>(
    fields: &[SiteField],
    sites: impl IntoIterator<Item = (&'a Site, Option<&'a SiteValues>)>,
    out: &mut Vec<u8>,
) -> io::Result<()> {
    let mut rows = WriterBuilder::new().terminator(Terminator::CRLF).from_writer(out);
    rows.write_record(COLUMNS.into_iter().map(str::to_owned).chain(fields.iter().map(|field| safe(&field.name))))?;
    for (site, values) in sites {
        let details = &site.details;
        let platforms: Vec<_> = details.stack.iter().map(PlatformKey::as_str).collect();
        let tags: Vec<_> = details.tags.iter().map(String::as_str).collect();
        let cells = [
            safe(details.url.as_str()),
            safe(details.name.as_deref().unwrap_or_default()),
            details.report_locale.code().to_owned(),
            safe(&list(&tags)),
            safe(&list(&platforms)),
            details.standard.as_ref().map_or_else(String::new, |standard| standard.as_str().to_owned()),
        ];
        let value =
            |field: &SiteField| safe(values.and_then(|values| values.get(&field.id)).map_or("", String::as_str));
        rows.write_record(cells.into_iter().chain(fields.iter().map(value)))?;
    }
    rows.flush()
}

/// Reads a CSV file whose first line names the columns, in any order; only `url` is needed. Its separator is a comma, a semicolon or a
/// tab. Blank lines are skipped. A column with the name of one of the team's own fields, whatever its case, has the values of that field.
///
/// # Errors
/// Returns [`SiteListError`] if the file as a whole can't be read. What is wrong with one line is with that line.
pub fn read_sites(file: &[u8], fields: &[SiteField]) -> Result<SiteList, SiteListError> {
    let text = str::from_utf8(file).map_err(|error| {
        let before = file.get(..error.valid_up_to()).unwrap_or_default();
        SiteListError::NotUtf8(1 + before.iter().filter(|byte| **byte == b'\n').count() as u64)
    })?;
    let text = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
    let mut rows =
        ReaderBuilder::new().has_headers(false).flexible(true).delimiter(separator(text)).from_reader(text.as_bytes());
    // What is UTF-8, of any number of fields and read from memory has no errors.
    let mut records = rows.records().filter_map(Result::ok);
    let head = records.next().unwrap_or_default();
    let names: Vec<String> = head.iter().map(|name| plain(name.trim()).to_lowercase()).collect();
    let columns = COLUMNS.map(|column| names.iter().position(|name| name == column));
    if columns[0].is_none() {
        return Err(SiteListError::NoUrlColumn);
    }
    let own = fields.iter().filter_map(|field| {
        let key = field.key();
        Some((field, names.iter().position(|name| *name == key)?))
    });
    let own: Vec<(&SiteField, usize)> = own.collect();
    let is_own = |name: &str| fields.iter().any(|field| field.key() == name);
    let is_unknown = |name: &&String| !name.is_empty() && !COLUMNS.contains(&name.as_str()) && !is_own(name);
    let ignored = names.iter().filter(is_unknown).cloned().collect();
    let mut lines = Vec::new();
    for record in records.filter(|record| record.iter().any(|cell| !cell.trim().is_empty())) {
        if lines.len() == SiteList::MAX_LINES {
            return Err(SiteListError::TooManyLines);
        }
        let number = record.position().map_or(0, |position| line_of(position, text));
        lines.push(SiteLine { number, site: entry(&record, &columns, &own) });
    }
    Ok(SiteList { lines, ignored })
}

/// Returns the line in which a record begins. Its position is where the record before it has ended, with the rest of a line's end and
/// blank lines still to come.
fn line_of(position: &Position, text: &str) -> u64 {
    let start = usize::try_from(position.byte()).unwrap_or(usize::MAX);
    let rest = text.as_bytes().get(start..).unwrap_or_default();
    let between = rest.iter().take_while(|byte| matches!(byte, b'\r' | b'\n'));
    position.line() + between.filter(|byte| **byte == b'\n').count() as u64
}

fn entry(
    record: &StringRecord,
    columns: &[Option<usize>; 6],
    own: &[(&SiteField, usize)],
) -> Result<SiteEntry, FieldErrors> {
    let mut errors = FieldErrors::default();
    let cells = columns.map(|column| column.map(|column| plain(record.get(column).unwrap_or_default().trim())));
    let [url, name, language, tags, platforms, standard] = &cells;
    let url = match url.as_deref().unwrap_or_default() {
        "" => Err(Problem::Required),
        url => SiteUrl::typed(url).map_err(|error| match error {
            SiteUrlError::TooLong => Problem::TooLong(SiteUrl::MAX_TYPED),
            SiteUrlError::Invalid => Problem::NotUrl,
        }),
    };
    let url = url.map_err(|problem| errors.add("url", problem)).ok();
    let name = name.as_deref().map(|name| match name {
        "" => None,
        name => SiteName::new(name).map_err(|error| errors.add("name", of_text(error))).ok(),
    });
    let report_locale = language.as_deref().and_then(|code| match code {
        "" => Some(Locale::En),
        code => code.to_lowercase().parse().map_err(|_| errors.add("report_language", Problem::NotInList)).ok(),
    });
    let tags = tags.as_deref().map(|cell| {
        let tags = items(cell).into_iter().map(|tag| Tag::new(&tag));
        let tags = tags.filter_map(|tag| tag.map_err(|error| errors.add("tags", of_text(error))).ok());
        each_once(tags)
    });
    if tags.as_ref().is_some_and(|tags| tags.len() > SiteInput::MAX_TAGS) {
        errors.add("tags", Problem::TooMany(SiteInput::MAX_TAGS));
    }
    let platforms = platforms.as_deref().map(|cell| each_once(items(cell).iter().map(|key| PlatformKey::new(key))));
    // One may stand before the stack.
    if platforms.as_ref().is_some_and(|platforms| platforms.len() > SiteInput::MAX_STACK + 1) {
        errors.add("platforms", Problem::TooMany(SiteInput::MAX_STACK));
    }
    let standard = standard.as_deref().map(|word| match word {
        "" => None,
        word => {
            let known = StandardId::known(word);
            if known.is_none() {
                errors.add("standard", Problem::NotInList);
            }
            known
        }
    });
    let mut values = SiteValueChanges::new();
    for (field, column) in own {
        match field.value(&plain(record.get(*column).unwrap_or_default().trim())) {
            Ok(value) => drop(values.insert(field.id, value)),
            Err(problem) => errors.add(&field.name, problem),
        }
    }
    match url {
        Some(url) if errors.is_empty() => Ok(SiteEntry { url, name, report_locale, tags, platforms, standard, values }),
        _ => Err(errors),
    }
}

const fn of_text(error: SiteTextError) -> Problem {
    match error {
        SiteTextError::Blank => Problem::Required,
        SiteTextError::TooLong(most) => Problem::TooLong(most),
    }
}

fn each_once<T: PartialEq>(items: impl IntoIterator<Item = T>) -> Vec<T> {
    items.into_iter().fold(Vec::new(), |mut seen, item| {
        if !seen.contains(&item) {
            seen.push(item);
        }
        seen
    })
}

/// Returns the separator that the first line has most of.
fn separator(text: &str) -> u8 {
    let first = text.lines().next().unwrap_or_default();
    let count = |separator: u8| first.bytes().filter(|byte| *byte == separator).count();
    // Of several with the same number, the last one is the greatest.
    [b'\t', b';', b','].into_iter().max_by_key(|separator| count(*separator)).unwrap_or(b',')
}

/// Returns a list as one cell: a line of CSV itself, with quotes around what has a comma in it.
fn list(items: &[&str]) -> String {
    let mut cell = WriterBuilder::new().from_writer(Vec::new());
    let written = if items.is_empty() { Ok(()) } else { cell.write_record(items) };
    // The cell is in memory, and made of texts.
    written.expect("memory takes what is written");
    let cell = cell.into_inner().expect("memory takes what is written");
    String::from_utf8(cell).expect("texts are UTF-8").trim_end_matches('\n').to_owned()
}

/// Returns the items of a list in one cell, without blank ones.
fn items(cell: &str) -> Vec<String> {
    let mut rows = ReaderBuilder::new().has_headers(false).flexible(true).trim(Trim::All).from_reader(cell.as_bytes());
    let items = rows
        .records()
        .filter_map(Result::ok)
        .flat_map(|record| record.iter().filter(|item| !item.is_empty()).map(str::to_owned).collect::<Vec<_>>());
    items.collect()
}

/// Returns the pieces of a cell that a spreadsheet may take for cells: one that is set to another separator than ours splits at it even
/// within quotes.
fn pieces(cell: &str) -> impl Iterator<Item = &str> {
    cell.split_inclusive(splits)
}

const fn splits(character: char) -> bool {
    matches!(character, ';' | '\t' | '\r' | '\n')
}

/// Returns whether a spreadsheet may calculate a piece, or would if the apostrophes before it were gone (OWASP, "CSV Injection").
fn is_formula(piece: &str) -> bool {
    let rest = piece.trim_start_matches('\'');
    // Some spreadsheets drop leading blanks before they look for a formula.
    let rest = rest.trim_start_matches(|character: char| character.is_whitespace() && !splits(character));
    rest.starts_with(['=', '+', '-', '@', '＝', '＋', '－', '＠'])
}

fn safe(cell: &str) -> String {
    let safe = pieces(cell).flat_map(|piece| [if is_formula(piece) { "'" } else { "" }, piece]);
    safe.collect()
}

fn plain(cell: &str) -> String {
    let plain = pieces(cell).map(|piece| piece.strip_prefix('\'').filter(|_| is_formula(piece)).unwrap_or(piece));
    plain.collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{
        domain::SiteFieldInput,
        id::{SiteFieldId, SiteId, TeamId},
    };

    /// A field for texts, and one with choices, both of which a spreadsheet might calculate.
    fn own_fields() -> Vec<SiteField> {
        let inputs = [SiteFieldInput::text("=Owner; \"x\""), SiteFieldInput::choice("Region", ["North", "-South"])];
        let ids = [0, 1].map(|second| SiteFieldId::generate(chrono::DateTime::from_timestamp(second, 0).unwrap()));
        inputs.into_iter().zip(ids).map(|(input, id)| input.field(id).unwrap()).collect()
    }

    fn site(details: SiteDetails) -> Site {
        let now = chrono::Utc::now();
        let (id, team) = (SiteId::generate(now), TeamId::generate(now));
        Site { id, team, details, next_scan_at: now, created_at: now }
    }

    fn lines(file: &str) -> Vec<(u64, Result<SiteEntry, String>)> {
        let list = read_sites(file.as_bytes(), &[]).unwrap();
        list.lines.into_iter().map(|line| (line.number, line.site.map_err(|errors| errors.to_string()))).collect()
    }

    fn any_details() -> impl Strategy<Value = SiteDetails> {
        let text = || "[ =+@'\"\t;,\r\na-cЖ-]{0,12}";
        let name = text().prop_map(|text| SiteName::new(&text).ok().map(|name| name.as_str().to_owned()));
        let tags = proptest::collection::vec(text(), 0..4)
            .prop_map(|tags| each_once(tags.iter().filter_map(|tag| Tag::new(tag).ok()).map(String::from)));
        let stack = proptest::collection::vec("[a-z=',-]{1,5}", 0..4)
            .prop_map(|keys| each_once(keys.iter().map(|key| PlatformKey::new(key))));
        let standard =
            proptest::option::of(proptest::sample::select(StandardId::defaults().copied().collect::<Vec<_>>()));
        let locale = proptest::sample::select(Locale::ALL.to_vec());
        (name, locale, tags, stack, standard).prop_map(|(name, report_locale, tags, stack, standard)| SiteDetails {
            url: SiteUrl::parse("https://shop.example/=1?a=%27").unwrap(),
            name,
            report_locale,
            platform: None,
            stack,
            tags,
            standard,
        })
    }

    proptest! {
        #[test]
        fn what_was_written_is_read_as_it_was(details in any_details(), owner in "[ =+@'\"\t;,\r\na-cЖ-]{0,12}", region in 0_usize..3) {
            let (site, fields) = (site(details), own_fields());
            let region = ["", "North", "-South"][region];
            let entered = [owner.as_str(), region];
            let read = fields.iter().zip(entered).map(|(field, text)| (field.id, field.value(text).unwrap()));
            let changes: SiteValueChanges = read.collect();
            let values: SiteValues = changes.clone().into_iter().filter_map(|(id, value)| Some((id, value?))).collect();
            let list = read_sites(&write_sites(&fields, [(&site, Some(&values))]), &fields).unwrap();
            prop_assert_eq!(&list.lines[0].site.as_ref().unwrap().values, &changes);
            prop_assert_eq!(list.ignored.len(), 0);
            prop_assert_eq!(list.lines.len(), 1);
            let entry = list.lines[0].site.clone().unwrap();
            prop_assert_eq!(entry.details(), site.details.clone());
            prop_assert_eq!(entry.applied_to(&site.details), site.details);
        }

        #[test]
        fn no_cell_is_a_formula(details in any_details()) {
            let site = site(details);
            let values = own_fields().iter().map(|field| (field.id, "=1".to_owned())).collect();
            let file = write_sites(&own_fields(), [(&site, Some(&values))]);
            let mut rows = ReaderBuilder::new().has_headers(false).from_reader(&file[3..]);
            for record in rows.records() {
                for cell in &record.unwrap() {
                    for piece in cell.split(splits) {
                        prop_assert!(!piece.trim_start().starts_with(['=', '+', '-', '@']), "{:?}", cell);
                    }
                }
            }
        }
    }

    #[test]
    fn a_spreadsheets_separator_order_and_blank_lines_do_not_matter() {
        let expected = lines("url,name,tags\nhttps://a.example/,Alpha,\"red,blue\"\n");
        assert_eq!(expected[0].1.as_ref().unwrap().name, Some(Some(SiteName::new("Alpha").unwrap())));
        for file in [
            "\u{feff}URL;Tags;Name\r\na.example;red, blue;Alpha\r\n;;\r\n",
            "name\ttags\turl\nAlpha\tred,blue\ta.example\n\n",
            "tags,url,name\n\"red\nblue\",a.example, Alpha ",
        ] {
            assert_eq!(lines(file), expected, "{file}");
        }
        let list = read_sites(b"url;owner;\na.example;Jo;\n", &[]).unwrap();
        assert_eq!((list.ignored, list.lines.len()), (vec!["owner".to_owned()], 1));
        let entry = list.lines[0].site.as_ref().unwrap();
        assert_eq!((&entry.name, &entry.tags), (&None, &None), "what has no column stays as it is");
    }

    #[test]
    fn a_line_that_is_wrong_is_named_with_its_number_column_and_reason() {
        let long = "x".repeat(121);
        let file = format!(
            "url,name,report_language,tags,standard\na.example,,,,\n\n,,,,\n\"b.example\",\"two\nlines\",,,\n,x,,,\nnot a site,{long},xx,{},wcag9\n",
            "y".repeat(41)
        );
        let found = lines(&file);
        assert_eq!(found.iter().map(|(number, _)| *number).collect::<Vec<_>>(), [2, 5, 7, 8]);
        assert!(found[0].1.is_ok() && found[1].1.is_ok());
        assert_eq!(found[2].1, Err("url: is required".to_owned()));
        let all = "url: is not a web address; name: has more than 120 characters; report_language: is not one of the \
                   values that exist; tags: has more than 40 characters; standard: is not one of the values that exist";
        assert_eq!(found[3].1, Err(all.to_owned()));
    }

    #[test]
    fn lines_are_counted_as_an_editor_counts_them() {
        for end in ["\n", "\r\n"] {
            let file = ["url", "a.example", "", "", "\"b.example", "\"", "c.example", ""].join(end);
            let numbers: Vec<_> = lines(&file).into_iter().map(|(number, _)| number).collect();
            assert_eq!(numbers, [2, 5, 7], "{end:?}");
        }
    }

    #[test]
    fn a_column_with_the_name_of_an_own_field_has_its_values() {
        let fields = own_fields();
        let list =
            read_sites(b"url,REGION,owner\na.example,North,Jo\nb.example,,\nc.example,West,\n", &fields).unwrap();
        assert_eq!(list.ignored, ["owner"]);
        let region = fields[1].id;
        let values: Vec<_> = list.lines.iter().map(|line| line.site.as_ref().map(|entry| &entry.values)).collect();
        assert_eq!(values[0], Ok(&[(region, Some("North".to_owned()))].into()));
        assert_eq!(values[1], Ok(&[(region, None)].into()));
        let problem = values[2].unwrap_err().to_string();
        assert_eq!(problem, "Region: is not one of the values that exist");
    }

    #[test]
    fn a_file_that_is_no_list_is_refused_as_a_whole() {
        for file in ["", "name\nx\n", "https://a.example/\n"] {
            assert_eq!(read_sites(file.as_bytes(), &[]), Err(SiteListError::NoUrlColumn), "{file}");
        }
        assert_eq!(read_sites(b"url\na.example\n\xff\n", &[]), Err(SiteListError::NotUtf8(3)));
        let file = |lines: usize| format!("url\n{}", "a.example\n".repeat(lines));
        assert_eq!(read_sites(file(800).as_bytes(), &[]).unwrap().lines.len(), 800);
        assert_eq!(read_sites(file(801).as_bytes(), &[]), Err(SiteListError::TooManyLines));
    }
}
