//! Elements that fail, in runs within a gzip member. Each run is compressed by itself, so that it can be read without
//! the others.

use std::{error::Error as StdError, io, ops::Range};

use flate2::{Compress, Compression, Crc, Decompress, FlushCompress, FlushDecompress, Status};
use serde::{Deserialize, Serialize};

use crate::domain::{Finding, Findings, masked_items};

/// The number of elements of a run: some 40 kB.
pub(super) const RUN: usize = 64;

/// The positions of the runs, in the order of their elements.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Runs(Vec<RunAt>);

/// The position of a run in the bytes, and the number of bytes that it has when it is unpacked.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
struct RunAt {
    start: usize,
    end: usize,
    unpacked: usize,
}

/// Elements as a run has them.
#[derive(Deserialize)]
struct Elements(#[serde(deserialize_with = "masked_items")] Vec<Finding>);

impl Runs {
    /// Reads the elements with these indices, in their order. If the indices ascend, each run is read at most once.
    ///
    /// # Errors
    /// Returns an error if there is no element with one of the indices, or if the bytes are no runs.
    pub(super) fn read(
        &self,
        bytes: &[u8],
        indices: &[usize],
    ) -> Result<Vec<Finding>, Box<dyn StdError + Send + Sync>> {
        let mut elements = Vec::with_capacity(indices.len());
        let mut open: Option<(usize, Vec<Finding>)> = None;
        for index in indices {
            let (number, within) = (index / RUN, index % RUN);
            let run = match open.take().filter(|(known, _)| *known == number) {
                Some((_, run)) => run,
                None => self.0.get(number).ok_or("there is no such run")?.read(bytes)?,
            };
            elements.push(run.get(within).ok_or("there is no such element")?.clone());
            open = Some((number, run));
        }
        Ok(elements)
    }
}

impl RunAt {
    fn read(self, bytes: &[u8]) -> Result<Vec<Finding>, Box<dyn StdError + Send + Sync>> {
        let mut json = Vec::with_capacity(self.unpacked + 2);
        json.push(b'[');
        let packed = bytes.get(self.start..self.end).ok_or("the run is not there")?;
        let mut inflate = Decompress::new(false);
        let has_all = |json: &[u8]| json.len() > self.unpacked;
        while !has_all(&json) {
            let before = (inflate.total_in(), json.len());
            let rest = packed.get(index(inflate.total_in())..).unwrap_or_default();
            let status = inflate.decompress_vec(rest, &mut json, FlushDecompress::Sync)?;
            if status == Status::StreamEnd || (inflate.total_in(), json.len()) == before {
                break;
            }
        }
        if !has_all(&json) {
            return Err("the run is too short".into());
        }
        json.push(b']');
        let Elements(elements) = serde_json::from_slice(&json)?;
        Ok(elements)
    }
}

/// Writes findings as a gzip member, and returns it with the places of its runs.
pub(super) fn member(findings: &Findings) -> io::Result<(Vec<u8>, Runs)> {
    let mut member = Member::new();
    // Fields may be in any order. That of the elements, which is empty here, is not written twice.
    let mut rest = serde_json::to_value(findings.without_items())?;
    if let Some(fields) = rest.as_object_mut() {
        fields.remove("items");
    }
    member.write(br#"{"items":["#, FlushCompress::Full)?;
    let mut runs = Vec::new();
    for (number, elements) in findings.items.chunks(RUN).enumerate() {
        if number > 0 {
            member.write(b",", FlushCompress::Full)?;
        }
        let json = serde_json::to_vec(elements)?;
        let run = json.get(1..json.len() - 1).unwrap_or_default();
        let Range { start, end } = member.write(run, FlushCompress::Full)?;
        runs.push(RunAt { start, end, unpacked: run.len() });
    }
    let rest = serde_json::to_vec(&rest)?;
    member.write(b"],", FlushCompress::None)?;
    member.write(rest.get(1..).unwrap_or_default(), FlushCompress::None)?;
    Ok((member.finish()?, Runs(runs)))
}

/// A gzip member that is written in parts.
struct Member {
    bytes: Vec<u8>,
    deflate: Compress,
    crc: Crc,
}

impl Member {
    fn new() -> Self {
        // RFC 1952: deflate, no flags, no time, no hint, unknown system.
        let header = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255];
        Self { bytes: header, deflate: Compress::new(Compression::default(), false), crc: Crc::new() }
    }

    /// Writes a part, and returns where it is among the bytes, if what came before and the part itself end in a full flush.
    fn write(&mut self, part: &[u8], flush: FlushCompress) -> io::Result<Range<usize>> {
        self.crc.update(part);
        let (start, before) = (self.bytes.len(), self.deflate.total_in());
        loop {
            self.bytes.reserve(32 * 1024);
            let rest = part.get(index(self.deflate.total_in() - before)..).unwrap_or_default();
            let status = self.deflate.compress_vec(rest, &mut self.bytes, flush)?;
            let is_taken = index(self.deflate.total_in() - before) == part.len();
            // There was room left, so nothing waits.
            let is_written = self.bytes.len() < self.bytes.capacity();
            let is_done =
                if flush == FlushCompress::Finish { status == Status::StreamEnd } else { is_taken && is_written };
            if is_done {
                return Ok(start..self.bytes.len());
            }
        }
    }

    fn finish(mut self) -> io::Result<Vec<u8>> {
        self.write(b"", FlushCompress::Finish)?;
        self.bytes.extend_from_slice(&self.crc.sum().to_le_bytes());
        self.bytes.extend_from_slice(&self.crc.amount().to_le_bytes());
        Ok(self.bytes)
    }
}

/// Returns a number of bytes that are in memory.
fn index(bytes: u64) -> usize {
    usize::try_from(bytes).unwrap_or(usize::MAX)
}
