//! Reading sitemaps: files, and addresses through the scanner's guard.

use std::{
    collections::{HashSet, VecDeque},
    io,
    path::{Path, PathBuf},
};

use a11ycheck_core::domain::Failure;
use a11ycheck_scanner_chromium::{ChromiumScanner, Sitemap};
use url::Url;

use super::{Replacement, select::replaced};

/// The number of files that one sitemap may consist of, and of the pages in them.
const MAX_FILES: usize = 500;
const MAX_PAGES: usize = 50_000;
/// The greatest size of a file, as the scanner reads it.
const MAX_BYTES: u64 = 50 * 1024 * 1024;

/// The reason why a sitemap was not read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SitemapError {
    /// The file can't be read.
    #[error("the sitemap {} could not be read", file.display())]
    File {
        /// The file.
        file: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// The address does not answer with a file.
    #[error("the sitemap {address} could not be read: {}", failure.message)]
    Address {
        /// The address.
        address: String,
        /// The reason.
        failure: Box<Failure>,
    },
    /// The file names neither pages nor further sitemaps.
    #[error("{0} names no pages: is it a sitemap?")]
    Empty(String),
}

/// Where a part of a sitemap is.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum SitemapPlace {
    /// At an address.
    Address(Url),
    /// In a file.
    File(PathBuf),
}

/// Returns the pages that a sitemap names, at most 50,000, and those of the sitemaps that it names, with `replacements` applied to
/// each address. A part beside a file is read from there if there is a file of its name.
///
/// # Errors
/// [`SitemapError`]: a part that can't be read is an error too, as its pages would go unchecked.
pub async fn read_sitemap(
    scanner: &ChromiumScanner,
    place: SitemapPlace,
    replacements: &[Replacement],
) -> Result<Vec<Url>, SitemapError> {
    let mut waiting = VecDeque::from([place]);
    let mut known: HashSet<SitemapPlace> = HashSet::new();
    let mut pages = Vec::new();
    while let Some(place) = waiting.pop_front() {
        if !known.insert(place.clone()) || known.len() > MAX_FILES || pages.len() >= MAX_PAGES {
            continue;
        }
        let (found, name) = match &place {
            SitemapPlace::Address(address) => {
                let failed =
                    |failure| SitemapError::Address { address: address.to_string(), failure: Box::new(failure) };
                (scanner.read_sitemap(address).await.map_err(failed)?, address.to_string())
            }
            SitemapPlace::File(file) => {
                let read = read_file(file);
                let content = read.map_err(|source| SitemapError::File { file: file.clone(), source })?;
                (Sitemap::parse(content), file.display().to_string())
            }
        };
        if found.pages.is_empty() && found.sitemaps.is_empty() {
            return Err(SitemapError::Empty(name));
        }
        let absolute = |text: &str| match &place {
            SitemapPlace::Address(address) => address.join(text).ok(),
            SitemapPlace::File(_) => Url::parse(text).ok(),
        };
        let found_pages = found.pages.iter().filter_map(|page| absolute(page));
        pages.extend(found_pages.map(|page| replaced(replacements, &page)));
        waiting.extend(found.sitemaps.iter().filter_map(|part| {
            let beside = match &place {
                SitemapPlace::File(file) => sibling(file, part),
                SitemapPlace::Address(_) => None,
            };
            beside
                .map(SitemapPlace::File)
                .or_else(|| Some(SitemapPlace::Address(replaced(replacements, &absolute(part)?))))
        }));
    }
    pages.truncate(MAX_PAGES);
    Ok(pages)
}

fn read_file(file: &Path) -> io::Result<Vec<u8>> {
    if file.metadata()?.len() > MAX_BYTES {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    std::fs::read(file)
}

/// Returns the file beside `file` that has the name of a part.
fn sibling(file: &Path, part: &str) -> Option<PathBuf> {
    let name = part.split(['?', '#']).next()?.rsplit('/').next().filter(|name| !name.is_empty() && *name != "..")?;
    let sibling = file.with_file_name(name);
    sibling.is_file().then_some(sibling)
}
