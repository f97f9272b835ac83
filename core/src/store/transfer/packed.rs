//! Findings as stores keep them.
//!
//! They are one gzip member, as every release wrote it, and after it comes what pages need of them. Releases that know nothing of that
//! read the member alone. Within the member, the elements that fail are compressed in runs, each by itself, so that some of them can
//! be read without the others.

use std::{
    borrow::Borrow,
    error::Error as StdError,
    fmt,
    io::{self, Read as _},
    sync::Arc,
};

use flate2::read::GzDecoder;

use crate::{
    domain::Findings,
    ranking::Extract,
    store::{
        OpenFindings, StoreError,
        runs::{Runs, member},
    },
};

/// The findings of a check as one document: JSON, gzip-compressed, and the [extract](Extract) that pages are made from. A fifth of
/// their size, they are stored and moved without being unpacked.
#[derive(Clone, PartialEq, Eq)]
pub struct PackedFindings(Vec<u8>);

/// The last bytes of findings that an extract follows. Before them are the lengths of the extract and of its index.
const MAGIC: &[u8; 8] = b"a11yextr";

impl PackedFindings {
    /// Packs findings. Long ones take some tenths of a second, so this runs on a blocking thread.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] if the process has no thread left for it.
    pub async fn pack(findings: impl Borrow<Findings> + Send + 'static) -> Result<Self, StoreError> {
        let write = move || -> io::Result<Vec<u8>> {
            let findings = findings.borrow();
            let (mut bytes, runs) = member(findings)?;
            let (extract, runs) = (Extract::of(findings).write()?, serde_json::to_vec(&runs)?);
            bytes.extend_from_slice(&extract);
            bytes.extend_from_slice(&runs);
            bytes.extend_from_slice(&(extract.len() as u64).to_le_bytes());
            bytes.extend_from_slice(&(runs.len() as u64).to_le_bytes());
            bytes.extend_from_slice(MAGIC);
            Ok(bytes)
        };
        let packed = tokio::task::spawn_blocking(write).await.unwrap_or_else(|error| Err(error.into()));
        packed.map(Self).map_err(|error| StoreError::Unavailable(error.into()))
    }

    /// Unpacks them, on a blocking thread as well.
    ///
    /// # Errors
    /// Returns the reason why the bytes are no packed findings.
    pub async fn unpack(self) -> Result<Findings, Box<dyn StdError + Send + Sync>> {
        blocking(move || unpacked(&self.0)).await
    }

    /// Opens them for pages, which need the extract and some elements. If they have no extract, or that of another
    /// release, it is made from all findings.
    ///
    /// # Errors
    /// Returns the reason why the bytes are no packed findings.
    pub async fn open(self) -> Result<OpenFindings, Box<dyn StdError + Send + Sync>> {
        let open = move || {
            if let Some((extract, runs)) = self.extract() {
                return Ok(OpenFindings::of_packed(extract, self.0, runs));
            }
            Ok(OpenFindings::now(Arc::new(unpacked(&self.0)?)))
        };
        blocking(open).await
    }

    fn extract(&self) -> Option<(Extract, Runs)> {
        let (rest, magic) = self.0.split_last_chunk::<8>()?;
        let (rest, runs) = rest.split_last_chunk::<8>()?;
        let (rest, extract) = rest.split_last_chunk::<8>()?;
        let length = |bytes: &[u8; 8]| usize::try_from(u64::from_le_bytes(*bytes)).ok();
        let (_, rest) = rest.split_at_checked(rest.len().checked_sub(length(runs)?.checked_add(length(extract)?)?)?)?;
        let (extract, runs) = rest.split_at_checked(length(extract)?)?;
        (magic == MAGIC).then_some(())?;
        Some((Extract::read(extract).ok()?, serde_json::from_slice(runs).ok()?))
    }

    /// Wraps stored bytes, without examining them.
    pub const fn from_stored(bytes: Vec<u8>) -> Self {
        Self(bytes)
    }

    /// Returns the bytes that are stored.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Debug for PackedFindings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("PackedFindings").field(&self.0.len()).finish()
    }
}

async fn blocking<T: Send + 'static>(
    read: impl FnOnce() -> Result<T, Box<dyn StdError + Send + Sync>> + Send + 'static,
) -> Result<T, Box<dyn StdError + Send + Sync>> {
    tokio::task::spawn_blocking(read).await.unwrap_or_else(|error| Err(error.into()))
}

fn unpacked(bytes: &[u8]) -> Result<Findings, Box<dyn StdError + Send + Sync>> {
    let mut json = Vec::new();
    // What follows the first member is not read.
    GzDecoder::new(bytes).read_to_end(&mut json)?;
    Ok(serde_json::from_slice(&json)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        domain::{Finding, Impact, PageOutcome, RuleFacts, RuleId, Tool},
        store::runs::RUN,
    };

    fn findings(count: usize) -> Findings {
        let (url, rules) = ("https://shop.example/", ["label", "link-name", "region"].map(RuleId::new));
        let pages = ["", "a", "b"].map(|page| PageOutcome::checked(format!("{url}{page}"), "Крамниця"));
        let item = |number: usize| {
            let (rule, page) = (&rules[number % 3], number * 3 / count.max(1));
            let mut item = Finding::new(
                rule.clone(),
                page,
                &pages[page].url,
                &format!("main > a:nth-child({number})"),
                &format!("<a href=\"/{}\">\"items\":[], ціна {number}</a>", number % 40),
                "Fix any of the following: it has no name",
            );
            item.is_new = number.is_multiple_of(7);
            item
        };
        let facts = rules.iter().map(|rule| (rule.clone(), RuleFacts::new(Impact::Serious, ["wcag2a", "wcag412"])));
        let (items, facts): (Vec<_>, Vec<_>) = ((0..count).map(item).collect(), facts.collect());
        let mut findings = Findings::new(Tool::new("t", "1")).with_rules(facts).with_items(items).with_pages(pages);
        findings.undecided = findings.items.iter().take(3).cloned().collect();
        findings
    }

    #[tokio::test]
    async fn an_earlier_release_reads_the_findings_and_nothing_of_the_extract() {
        for count in [0, 1, RUN, RUN + 1, 1_000] {
            let findings = findings(count);
            let packed = PackedFindings::pack(findings.clone()).await.unwrap();
            let mut json = Vec::new();
            GzDecoder::new(packed.as_bytes()).read_to_end(&mut json).unwrap();
            assert_eq!(serde_json::from_slice::<Findings>(&json).unwrap(), findings);
            assert_eq!(packed.unpack().await.unwrap(), findings);
        }
    }

    #[tokio::test]
    async fn elements_are_read_one_by_one_and_the_extract_is_that_of_all_findings() {
        for count in [0, 1, RUN, RUN + 1, 1_000] {
            let findings = findings(count);
            let packed = PackedFindings::pack(findings.clone()).await.unwrap();
            assert!(packed.extract().is_some());
            let open = packed.open().await.unwrap();
            assert_eq!(*open.extract(), Extract::of(&findings));
            let numbers: Vec<u64> = (1..=count as u64 + 3).rev().step_by(3).collect();
            let read = open.elements(&numbers).await.unwrap();
            let expected: Vec<_> = numbers.iter().filter_map(|number| findings.numbered(*number).cloned()).collect();
            assert_eq!(read, expected);
            assert!(open.elements(&[count as u64 + 4]).await.unwrap().is_empty());
        }
    }

    #[tokio::test]
    async fn findings_of_an_earlier_release_and_an_extract_of_another_one_are_read_whole() {
        let findings = findings(200);
        let packed = PackedFindings::pack(findings.clone()).await.unwrap();
        let (member, _) = member(&findings).unwrap();
        let mut other = packed.as_bytes().to_vec();
        other[member.len() + 10] ^= 1;
        for bytes in [member, other] {
            let packed = PackedFindings::from_stored(bytes);
            assert!(packed.extract().is_none());
            let open = packed.open().await.unwrap();
            assert_eq!(*open.extract(), Extract::of(&findings));
            assert_eq!(
                open.elements(&[7, 201]).await.unwrap(),
                [findings.items[6].clone(), findings.undecided[0].clone()]
            );
        }
        assert!(PackedFindings::from_stored(b"none".to_vec()).open().await.is_err());
    }
}
