//! The file of an export.
//!
//! ```text
//! {"a11ycheck_export":{"format":7,"made_by":"0.1.0"}}
//! {"plan":{"code":"pro",…}}
//! {"team":{"id":"team_…",…}}
//! {"findings":{"scan":"scan_…","team":"team_…","bytes":48213}}
//! ‹48213 bytes, and a line break›
//! {"end":{"plan":{"count":4,"sha256":"…"},…}}
//! ```
//!
//! A line of JSON for each record, in the order of [`Kind`](super::Kind). What is long is compressed already (findings,
//! pictures, PDFs) and follows its line as it is. The last line has the number of records of each kind, and the SHA-256 of
//! their lines and bytes with all line breaks: without it the file is not complete, and with another number or digest it
//! was changed. Nothing in it says when it was made, so the same content always gives the same file.

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use tokio::io::{AsyncBufRead, AsyncBufReadExt as _, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, BufWriter};

use super::{
    Record, RecordSink, RecordSource, Records, Tally, Totals, TransferError,
    lines::{self, Fault, Line},
};

/// The format that this release writes. It also reads format 1, in which there are no people, format 2, in which there are no
/// judgements, and format 3, in which persons do not say whether they want notices, nor tokens who made and last used them, and there
/// are no second factors, format 4, in which there are no assignments, format 5, in which sites have no fields of their teams, and teams do not
/// say whether they demand a second factor, and format 6, in which there are no assessments, and checks do not say which
/// depth was asked for.
const FORMAT: u32 = 7;
/// The longest line. The longest known ones are those of plans and of failures, of some kilobytes.
const LONGEST_LINE: u64 = 16 * 1_024 * 1_024;
/// The most bytes of one record: what SQLite keeps in a row.
const MOST_BYTES: u64 = 1_000_000_000;
/// The number of records, and of their bytes, after which records are passed on.
const BATCH: (usize, u64) = (500, 4 * 1_024 * 1_024);
/// The size of the buffer before the file.
const BUFFER: usize = 256 * 1_024;

/// The first line.
#[derive(Serialize, Deserialize)]
struct Head {
    a11ycheck_export: Made,
}

#[derive(Serialize, Deserialize)]
struct Made {
    format: u32,
    made_by: String,
}

/// Writes a file.
pub(super) struct Writer<W> {
    file: BufWriter<W>,
    tally: Tally,
    buffer: Vec<u8>,
}

impl<W: AsyncWrite + Unpin + Send> Writer<W> {
    pub(super) async fn begin(file: W) -> Result<Self, TransferError> {
        let mut writer =
            Self { file: BufWriter::with_capacity(BUFFER, file), tally: Tally::default(), buffer: Vec::new() };
        let made_by = env!("CARGO_PKG_VERSION").to_owned();
        writer.write_line(&Head { a11ycheck_export: Made { format: FORMAT, made_by } }).await?;
        Ok(writer)
    }

    /// Writes the last line, and everything to the file.
    pub(super) async fn end(mut self) -> Result<Totals, TransferError> {
        let totals = self.tally.totals();
        self.write_line(&Line::End(totals.clone())).await?;
        self.file.flush().await.map_err(TransferError::Write)?;
        Ok(totals)
    }

    async fn write_line(&mut self, line: &(impl Serialize + Sync)) -> Result<(), TransferError> {
        let mut line = serde_json::to_vec(line).map_err(|error| self.tally.malformed(error.into()))?;
        line.push(b'\n');
        self.file.write_all(&line).await.map_err(TransferError::Write)
    }
}

#[async_trait]
impl<W: AsyncWrite + Unpin + Send> RecordSink for Writer<W> {
    async fn put(&mut self, record: Record) -> Result<(), TransferError> {
        self.buffer.clear();
        lines::encode(&record, &mut self.buffer).map_err(|error| self.tally.malformed(error.into()))?;
        self.tally.add(record.kind(), &self.buffer)?;
        self.file.write_all(&self.buffer).await.map_err(TransferError::Write)
    }
}

/// Reads a file.
pub(super) struct Reader<R> {
    file: R,
    tally: Tally,
    /// A record that was read, and is of another kind than those before it.
    next: Option<Record>,
    has_ended: bool,
    buffer: Vec<u8>,
}

impl<R: AsyncBufRead + Unpin + Send> Reader<R> {
    pub(super) async fn begin(file: R) -> Result<Self, TransferError> {
        let mut reader = Self { file, tally: Tally::default(), next: None, has_ended: false, buffer: Vec::new() };
        match reader.read_line().await {
            Err(TransferError::Malformed { .. } | TransferError::Truncated) => return Err(TransferError::NotAnExport),
            read => read?,
        }
        let head: Head = serde_json::from_slice(&reader.buffer).map_err(|_| TransferError::NotAnExport)?;
        let Made { format, made_by } = head.a11ycheck_export;
        if (1..=FORMAT).contains(&format) { Ok(reader) } else { Err(TransferError::LaterFormat { format, made_by }) }
    }

    /// Returns what was read.
    ///
    /// # Errors
    /// [`TransferError::Truncated`] if the last line was not reached.
    pub(super) fn ended(self) -> Result<Totals, TransferError> {
        if self.has_ended { Ok(self.tally.totals()) } else { Err(TransferError::Truncated) }
    }

    /// Reads the next record; `None` after the last.
    async fn read(&mut self) -> Result<Option<Record>, TransferError> {
        self.read_line().await?;
        let line: Line = serde_json::from_slice(&self.buffer).map_err(|error| self.tally.malformed(error.into()))?;
        if let Line::End(written) = line {
            return self.end(&written).await.map(|()| None);
        }
        let bytes = match line.bytes() {
            Some(length) => self.read_bytes(length).await?,
            None => Vec::new(),
        };
        let record = line.record(bytes).map_err(|fault| self.tally.malformed(fault))?;
        self.tally.add(record.kind(), &self.buffer)?;
        Ok(Some(record))
    }

    /// Reads a line into the buffer, with its line break.
    async fn read_line(&mut self) -> Result<(), TransferError> {
        self.buffer.clear();
        let mut line = (&mut self.file).take(LONGEST_LINE);
        line.read_until(b'\n', &mut self.buffer).await.map_err(TransferError::Read)?;
        if self.buffer.ends_with(b"\n") {
            Ok(())
        } else if (self.buffer.len() as u64) < LONGEST_LINE {
            Err(TransferError::Truncated)
        } else {
            Err(self.tally.malformed("the line is too long".into()))
        }
    }

    /// Returns the bytes after a line, and adds them to the buffer, with their line break.
    async fn read_bytes(&mut self, length: u64) -> Result<Vec<u8>, TransferError> {
        if length > MOST_BYTES {
            return Err(self.tally.malformed("it has too many bytes".into()));
        }
        let start = self.buffer.len();
        let read = (&mut self.file).take(length + 1).read_to_end(&mut self.buffer).await;
        if (read.map_err(TransferError::Read)? as u64) < length + 1 {
            return Err(TransferError::Truncated);
        }
        let end = self.buffer.len() - 1;
        if self.buffer[end] != b'\n' {
            return Err(self.tally.malformed("its bytes are not followed by a line break".into()));
        }
        Ok(self.buffer[start..end].to_vec())
    }

    /// Compares what was written with what was read, and makes sure that nothing follows.
    async fn end(&mut self, written: &Totals) -> Result<(), TransferError> {
        if let Some(kind) = written.first_difference(&self.tally.totals()) {
            return Err(TransferError::Altered(kind));
        }
        if !self.file.fill_buf().await.map_err(TransferError::Read)?.is_empty() {
            return Err(self.tally.malformed(Fault::from("it comes after the last line")));
        }
        self.has_ended = true;
        Ok(())
    }
}

#[async_trait]
impl<R: AsyncBufRead + Unpin + Send> RecordSource for Reader<R> {
    async fn next(&mut self) -> Result<Option<Records>, TransferError> {
        if self.has_ended && self.next.is_none() {
            return Ok(None);
        }
        let first = match self.next.take() {
            Some(record) => record,
            None => match self.read().await? {
                Some(record) => record,
                None => return Ok(None),
            },
        };
        let mut records = Records::from(first);
        let (mut count, mut bytes) = (1, self.buffer.len() as u64);
        while !self.has_ended && count < BATCH.0 && bytes < BATCH.1 {
            let Some(record) = self.read().await? else { break };
            (count, bytes) = (count + 1, bytes + self.buffer.len() as u64);
            if let Err(record) = records.push(record) {
                self.next = Some(record);
                break;
            }
        }
        Ok(Some(records))
    }

    fn given(&self) -> Totals {
        self.tally.totals()
    }
}
