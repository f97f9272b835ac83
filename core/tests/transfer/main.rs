//! The file of an export: what it looks like, and what is refused.

#![allow(clippy::unwrap_used, reason = "tests stop at what they did not expect")]

mod records;

use std::{path::Path, sync::Mutex};

use a11ycheck_core::store::transfer::{
    self, Kind, Record, RecordSink, RecordSource, Records, Tally, TransferError, TransferStore,
};
use async_trait::async_trait;

/// Gives records that it was made with, and keeps those that it takes.
#[derive(Default)]
struct Kept {
    gives: Vec<Record>,
    taken: Mutex<Vec<Records>>,
    /// The number of batches after which it says that it has all.
    stops_after: Option<usize>,
}

#[async_trait]
impl TransferStore for Kept {
    async fn export(&self, sink: &mut dyn RecordSink) -> Result<(), TransferError> {
        for record in &self.gives {
            sink.put(record.clone()).await?;
        }
        Ok(())
    }

    async fn import(&self, source: &mut dyn RecordSource) -> Result<(), TransferError> {
        let mut batches = 0;
        while self.stops_after.is_none_or(|stop| batches < stop)
            && let Some(records) = source.next().await?
        {
            self.taken.lock().unwrap().push(records);
            batches += 1;
        }
        Ok(())
    }
}

async fn exported(gives: Vec<Record>) -> Vec<u8> {
    let mut file = Vec::new();
    transfer::export(&Kept { gives, ..Kept::default() }, &mut file).await.unwrap();
    file
}

async fn imported(file: &[u8]) -> Result<Vec<Records>, TransferError> {
    let store = Kept::default();
    transfer::import(&store, file).await?;
    Ok(store.taken.into_inner().unwrap())
}

#[tokio::test]
async fn a_file_looks_as_files_of_this_format_always_have() {
    let file = String::from_utf8(exported(records::all()).await).unwrap();
    // Only that differs from release to release.
    let file = file.replacen(env!("CARGO_PKG_VERSION"), "0.1.0", 1);
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/transfer/golden/format-7.export");
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&path, &file).unwrap();
    }
    let golden = std::fs::read_to_string(&path).unwrap();
    assert_eq!(file, golden, "files of other releases have to be read: a change takes a new number of the format");
}

#[tokio::test]
async fn files_of_the_formats_before_are_still_read() {
    let before_assessments = |record: &Record| record.kind() != Kind::Assessment;
    let before_fields =
        |record: &Record| before_assessments(record) && !matches!(record.kind(), Kind::SiteField | Kind::SiteValue);
    let before_assignments = |record: &Record| before_fields(record) && record.kind() != Kind::Assignment;
    let before_factors = |record: &Record| before_assignments(record) && record.kind() != Kind::SecondFactor;
    let before_judgements = |record: &Record| before_factors(record) && record.kind() != Kind::Judgement;
    let before_people = |record: &Record| before_judgements(record) && !records::is_about_people(record);
    let first = (&include_bytes!("golden/format-1.export")[..], &before_people as &dyn Fn(&Record) -> bool);
    let second = (&include_bytes!("golden/format-2.export")[..], &before_judgements as &dyn Fn(&Record) -> bool);
    let third = (&include_bytes!("golden/format-3.export")[..], &before_factors as &dyn Fn(&Record) -> bool);
    for (golden, is_known) in [first, second, third] {
        let known = records::all().into_iter().filter(|record| is_known(record));
        let known: Vec<Record> = known.map(records::before_format_4).collect();
        assert_eq!(imported(golden).await.unwrap(), imported(&exported(known).await).await.unwrap());
    }
    let known = records::all().into_iter().filter(before_assignments);
    let known: Vec<Record> = known.map(records::before_format_6).collect();
    let fourth = include_bytes!("golden/format-4.export");
    assert_eq!(imported(fourth).await.unwrap(), imported(&exported(known).await).await.unwrap());
    let known = records::all().into_iter().filter(before_fields);
    let known: Vec<Record> = known.map(records::before_format_6).collect();
    let fifth = include_bytes!("golden/format-5.export");
    assert_eq!(imported(fifth).await.unwrap(), imported(&exported(known).await).await.unwrap());
    let known = records::all().into_iter().filter(before_assessments);
    let known: Vec<Record> = known.map(records::before_format_7).collect();
    let sixth = include_bytes!("golden/format-6.export");
    assert_eq!(imported(sixth).await.unwrap(), imported(&exported(known).await).await.unwrap());
}

#[tokio::test]
async fn every_record_reads_as_it_was_written() {
    let all = records::all();
    for kind in Kind::ALL {
        assert!(all.iter().any(|record| record.kind() == *kind), "{}", kind.plural());
    }
    let mut expected: Vec<Records> = Vec::new();
    for record in all.clone() {
        let rest = match expected.last_mut() {
            Some(records) => records.push(record).err(),
            None => Some(record),
        };
        expected.extend(rest.map(Records::from));
    }
    assert_eq!(imported(&exported(all).await).await.unwrap(), expected);
}

#[tokio::test]
async fn long_lists_come_in_batches() {
    let setting = |number: u32| Record::Setting(records::setting(&format!("{number:05}")));
    let batches = imported(&exported((0..1_700).map(setting).collect()).await).await.unwrap();
    let lengths: Vec<usize> = batches
        .iter()
        .map(|records| match records {
            Records::Setting(settings) => settings.len(),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(lengths, [500, 500, 500, 200]);
}

#[tokio::test]
async fn what_no_release_writes_is_refused_with_its_place() {
    let file = String::from_utf8(
        exported(vec![Record::Setting(records::setting("a")), Record::Setting(records::setting("b"))]).await,
    );
    let file = file.unwrap();
    let changed = |from: &str, to: &str| {
        assert!(file.contains(from), "{file}");
        file.replacen(from, to, 1)
    };
    let picture = r#"{"picture":{"scan":"scan_01J00000000000000000000000","team":"team_01J00000000000000000000000","subject":"element","number":1,"format":"png","width":1,"height":1,"bytes":18446744073709551615}}"#;
    for (file, place) in [
        (changed(r#""value":"v""#, r#""value":"v","later":1"#), 1),
        (changed(r#"{"setting":{"name":"b""#, r#"{"settings":{"name":"b""#), 2),
        (changed(r#"{"end":"#, &format!("{picture}\n{{\"end\":")), 3),
        (
            changed(r#"{"end":"#, "{\"newest_position\":0}\n{\"setting\":{\"name\":\"c\",\"value\":\"v\"}}\n{\"end\":"),
            4,
        ),
        (format!("{file}more"), 3),
        (file.replace('\n', "\r\n").replacen("\r\n", "\n", 1).replace("{\"end\"", "\0{\"end\""), 3),
    ] {
        let refused = imported(file.as_bytes()).await;
        assert!(matches!(&refused, Err(TransferError::Malformed { record, .. }) if *record == place), "{refused:?}");
    }
}

#[tokio::test]
async fn a_file_of_a_later_release_says_which() {
    let file = String::from_utf8(exported(Vec::new()).await).unwrap();
    let later = file.replacen("\"format\":7", "\"format\":8", 1).replacen(env!("CARGO_PKG_VERSION"), "9.8.7", 1);
    let refused = imported(later.as_bytes()).await.unwrap_err();
    assert!(refused.to_string().contains("made by release 9.8.7, and has format 8"), "{refused}");
    for other in ["", "{}\n", "SQLite format 3\0\n", "{\"a11ycheck_export\":1}\n"] {
        let refused = imported(other.as_bytes()).await;
        assert!(matches!(refused, Err(TransferError::NotAnExport)), "{refused:?}");
    }
}

#[tokio::test]
async fn a_store_that_takes_a_part_for_all_is_found_out() {
    let file = exported(records::all()).await;
    let store = Kept { stops_after: Some(3), ..Kept::default() };
    assert!(matches!(transfer::import(&store, file.as_slice()).await, Err(TransferError::Truncated)));
}

#[tokio::test]
async fn what_reads_back_otherwise_is_found_by_its_kind() {
    let (mut taken, mut read_back) = (Tally::default(), Tally::default());
    for (number, record) in records::all().into_iter().enumerate() {
        taken.put(record.clone()).await.unwrap();
        match record {
            Record::Setting(_) if number.is_multiple_of(2) => {
                read_back.put(Record::Setting(records::setting("z"))).await.unwrap()
            }
            record => read_back.put(record).await.unwrap(),
        }
    }
    transfer::compare(&taken.totals(), &taken.totals()).unwrap();
    let differs = transfer::compare(&taken.totals(), &read_back.totals());
    assert!(matches!(differs, Err(TransferError::Differs(Kind::Setting))), "{differs:?}");
}
