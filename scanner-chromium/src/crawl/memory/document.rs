//! The form in which pages are remembered: JSON, compressed, with each address once.
//!
//! It comes back from a store, and possibly from another version of this program: what is not exactly as it was written
//! counts for nothing.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    hash::Hash,
    io::{Read as _, Write as _},
    sync::Arc,
};

use a11ycheck_core::{
    domain::{Memo, RuleId, UndecidedReason, file_address_reveals_people, masked_text},
    scanner::RuleOutcomes,
};
use base64::{Engine as _, engine::general_purpose::STANDARD_NO_PAD};
use flate2::{Compression, read::GzDecoder, write::GzEncoder};
use serde::{Deserialize, Serialize};
use url::Url;

use super::asking::{Answer, Known, Now, Question};
use crate::{
    crawl::across::{Block, Item, PageBlocks, Slot},
    visit::{PagePart, PartKind, Proof},
};

/// The version of the form and of what is in it: links to other sites are in none from 4 on.
const VERSION: u32 = 4;
/// The number of bytes of a document before it is compressed.
const MAX_PLAIN: usize = 64 * 1024 * 1024;

/// The hash of a body, or of headers.
pub(in crate::crawl) type Hash256 = [u8; 32];

/// A page, as it is remembered.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::crawl) struct PageMemory {
    /// The address that was asked for.
    pub(in crate::crawl) asked: String,
    /// Its index in the findings of its check.
    pub(in crate::crawl) page: usize,
    pub(in crate::crawl) parts: Vec<KnownPart>,
    /// The addresses that it links to, in their order.
    pub(in crate::crawl) links: Vec<String>,
    /// The address that it calls its own, if any.
    pub(in crate::crawl) canonical: Option<String>,
    /// The numbers of the marks of platforms that it shows, if they were looked for.
    pub(in crate::crawl) marks: Option<Vec<usize>>,
    pub(in crate::crawl) outcomes: RuleOutcomes,
    /// The number of elements by rule that axe-core could not judge, and why.
    pub(in crate::crawl) needs_review: BTreeMap<RuleId, u32>,
    pub(in crate::crawl) reasons: BTreeMap<RuleId, Vec<UndecidedReason>>,
    /// The number of further looks without a difference until it may be taken over; 0 for nearly all pages.
    pub(in crate::crawl) unstable: u32,
    /// The number of its elements that have a picture, and one more if it has one itself.
    pub(in crate::crawl) pictures: usize,
    /// The blocks in which it is compared with other pages.
    pub(in crate::crawl) blocks: PageBlocks,
}

/// A part of a page, as it is remembered.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(in crate::crawl) struct KnownPart {
    pub(super) url: Url,
    pub(super) kind: PartKind,
    pub(super) origin: Option<String>,
    pub(super) status: u16,
    pub(super) proof: KnownProof,
    /// For a document, the hash of its headers.
    pub(super) headers: Option<Hash256>,
}

/// The property of a part that proves, when it is requested again, that it has not changed.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(in crate::crawl) enum KnownProof {
    Tag(String),
    Modified(String),
    /// The hash of its body.
    Body(#[serde(with = "base64_hash")] Hash256),
    /// The target of a redirect.
    Target(String),
    /// A status that says that the part does not exist.
    Missing,
    /// No server could be reached for it.
    Unreachable,
}

impl KnownPart {
    /// Returns the part that the browser reported, if the answer that our client got, where one is needed, is the same response.
    pub(super) fn of(part: &PagePart, now: Option<&Answer>) -> Option<Self> {
        let PagePart { url, kind, origin, status, leads_to, length, proof, headers } = part;
        let proof = match (leads_to, proof) {
            (Some(target), _) => KnownProof::Target(target.clone()),
            (None, Proof::Tag(tag)) => KnownProof::Tag(tag.clone()),
            (None, Proof::Modified(modified)) => KnownProof::Modified(modified.clone()),
            (None, Proof::Missing) => KnownProof::Missing,
            (None, Proof::Unreachable) if now == Some(&Answer::Unreachable) => KnownProof::Unreachable,
            (None, Proof::Unreachable) => return None,
            (None, Proof::Body) => {
                let Some(Answer::Now(now)) = now else { return None };
                let is_same_head = now.status == *status && !now.is_personal;
                let is_same_document = headers.is_none_or(|headers| headers == now.headers);
                let (_, hash) = now.body.filter(|(bytes, _)| Some(*bytes) == *length)?;
                if !is_same_head || !is_same_document {
                    return None;
                }
                KnownProof::Body(hash)
            }
        };
        let (origin, headers) = (origin.clone(), *headers);
        Some(Self { url: Url::parse(url).ok()?, kind: *kind, origin, status: *status, proof, headers })
    }

    /// Returns the question whose answer shows whether the part is as it was.
    pub(super) fn question(&self) -> Question {
        let known = match &self.proof {
            KnownProof::Tag(tag) => Known::Tag(tag.clone()),
            KnownProof::Modified(modified) => Known::Modified(modified.clone()),
            KnownProof::Body(_) | KnownProof::Target(_) | KnownProof::Missing | KnownProof::Unreachable => {
                Known::Nothing
            }
        };
        Question { url: self.url.clone(), kind: self.kind, origin: self.origin.clone(), known }
    }

    /// Returns whether the answer to that question is the part as it was.
    pub(super) fn is_as_it_was(&self, answer: &Answer) -> bool {
        let now = match answer {
            Answer::Unchanged => return matches!(self.proof, KnownProof::Tag(_) | KnownProof::Modified(_)),
            Answer::Unreachable => return self.proof == KnownProof::Unreachable,
            Answer::Unknown => return false,
            Answer::Now(now) => now,
        };
        let Now { status, leads_to, body, headers, is_personal } = &**now;
        let is_same = match &self.proof {
            KnownProof::Tag(_) | KnownProof::Modified(_) | KnownProof::Unreachable => false,
            KnownProof::Missing => true,
            KnownProof::Body(hash) => body.is_some_and(|(_, now)| now == *hash),
            KnownProof::Target(target) => leads_to.as_ref() == Some(target),
        };
        is_same && *status == self.status && !is_personal && self.headers.is_none_or(|known| known == *headers)
    }

    fn has_personal_data(&self) -> bool {
        let target = if let KnownProof::Target(target) = &self.proof { Some(target.as_str()) } else { None };
        let reveals = match self.kind {
            PartKind::Style | PartKind::Script | PartKind::Image | PartKind::Font => file_address_reveals_people,
            // A document may be of one visitor, and so may what a script reads.
            PartKind::Document | PartKind::Data | PartKind::Other => is_personal,
        };
        [Some(self.url.as_str()), target].into_iter().flatten().any(reveals)
            || self.origin.as_deref().is_some_and(is_personal)
    }
}

impl PageMemory {
    /// Returns the addresses of its documents, those of frames included.
    pub(in crate::crawl) fn documents(&self) -> impl Iterator<Item = &Url> {
        self.parts.iter().filter(|part| part.kind == PartKind::Document).map(|part| &part.url)
    }

    /// Returns whether it was made from these parts, in whatever order they arrived.
    pub(super) fn is_made_from(&self, parts: &[KnownPart]) -> bool {
        let all = |parts: &[KnownPart]| -> HashSet<KnownPart> { parts.iter().cloned().collect() };
        all(&self.parts) == all(parts)
    }

    /// Returns whether one of these parts is another one now than when the page was made from it.
    pub(super) fn has_changed_in(&self, parts: &[KnownPart]) -> bool {
        let place = |part: &KnownPart| (part.url.clone(), part.kind, part.origin.clone());
        let was: HashMap<_, _> = self.parts.iter().map(|part| (place(part), part)).collect();
        parts.iter().any(|part| was.get(&place(part)).is_some_and(|was| *was != part))
    }

    /// Returns whether any of its addresses would reveal something about people: then it is not remembered.
    pub(super) fn has_personal_data(&self) -> bool {
        let own = [Some(&self.asked), self.canonical.as_ref()];
        own.into_iter().flatten().chain(&self.links).any(|text| is_personal(text))
            || self.parts.iter().any(KnownPart::has_personal_data)
    }
}

fn is_personal(text: &str) -> bool {
    masked_text(text) != text
}

/// Returns a document with these pages, in this order; the last of them are left out if there is no room for all.
pub(in crate::crawl) fn write(key: &Hash256, pages: &[PageMemory]) -> Vec<u8> {
    let mut count = pages.len();
    while count > 0 {
        if let Some(document) = packed(key, &pages[..count]).filter(|document| document.len() <= Memo::MAX_DOCUMENT) {
            return document;
        }
        count /= 2;
    }
    Vec::new()
}

/// Returns the pages of a document, by the address that was asked for; none if it was written by another version of this program,
/// with other settings, or by nobody.
pub(super) fn read(key: &Hash256, document: &[u8]) -> HashMap<String, PageMemory> {
    let mut plain = Vec::new();
    let unpacked = GzDecoder::new(document).take(MAX_PLAIN as u64 + 1).read_to_end(&mut plain);
    if unpacked.is_err() || plain.len() > MAX_PLAIN {
        return HashMap::new();
    }
    let Ok(Stored { version: VERSION, key: stored, parts, texts, rules, items, blocks, shared, pages }) =
        serde_json::from_slice(&plain)
    else {
        return HashMap::new();
    };
    if stored != *key {
        return HashMap::new();
    }
    let items: Vec<Arc<Item>> = items.into_iter().map(Arc::new).collect();
    let blocks: Option<Vec<Arc<Block>>> = blocks.into_iter().map(|block| block.known(&items)).collect();
    let Some(blocks) = blocks else { return HashMap::new() };
    let tables = Tables { parts, texts, rules, blocks, shared };
    pages.into_iter().filter_map(|page| tables.page(page)).map(|page| (page.asked.clone(), page)).collect()
}

fn packed(key: &Hash256, pages: &[PageMemory]) -> Option<Vec<u8>> {
    let mut writer = Writer::default();
    let pages = pages.iter().map(|page| writer.page(page)).collect();
    let Writer { parts, texts, rules, items, blocks, shared } = writer;
    let (parts, texts, rules) = (parts.0, texts.0, rules.0);
    let (items, blocks, shared) = (items.0, blocks.0, shared.0);
    let stored = Stored { version: VERSION, key: *key, parts, texts, rules, items, blocks, shared, pages };
    let plain = serde_json::to_vec(&stored).ok().filter(|plain| plain.len() <= MAX_PLAIN)?;
    let mut gzip = GzEncoder::new(Vec::new(), Compression::default());
    gzip.write_all(&plain).ok()?;
    gzip.finish().ok()
}

/// The document as it is written. What pages have in common is in a table, and pages have its number there.
#[derive(Debug, Serialize, Deserialize)]
struct Stored {
    version: u32,
    #[serde(with = "base64_hash")]
    key: Hash256,
    parts: Vec<StoredPart>,
    texts: Vec<String>,
    rules: Vec<RuleId>,
    items: Vec<Item>,
    blocks: Vec<StoredBlock>,
    shared: Vec<StoredShared>,
    pages: Vec<StoredPage>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
struct StoredPart {
    url: String,
    kind: StoredKind,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    origin: Option<String>,
    status: u16,
    proof: KnownProof,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    headers: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum StoredKind {
    Document,
    Style,
    Script,
    Image,
    Font,
    Data,
    Other,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
struct StoredBlock {
    slot: Slot,
    selector: String,
    source: String,
    items: Vec<usize>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
struct StoredShared {
    language: String,
    has_search: bool,
    has_index: bool,
    is_cut: bool,
    blocks: Vec<usize>,
}

#[derive(Debug, Serialize, Deserialize)]
struct StoredPage {
    asked: usize,
    page: usize,
    parts: Vec<usize>,
    links: Vec<usize>,
    canonical: Option<usize>,
    marks: Option<Vec<usize>>,
    passed: Vec<usize>,
    inapplicable: Vec<usize>,
    needs_review: BTreeMap<RuleId, u32>,
    reasons: BTreeMap<RuleId, Vec<UndecidedReason>>,
    unstable: u32,
    pictures: usize,
    shared: usize,
}

/// A table in which each entry is once.
#[derive(Debug)]
struct Table<T>(Vec<T>, HashMap<T, usize>);

impl<T> Default for Table<T> {
    fn default() -> Self {
        Self(Vec::new(), HashMap::new())
    }
}

impl<T: Clone + Eq + Hash> Table<T> {
    fn number(&mut self, entry: T) -> usize {
        *self.1.entry(entry).or_insert_with_key(|entry| {
            self.0.push(entry.clone());
            self.0.len() - 1
        })
    }
}

#[derive(Debug, Default)]
struct Writer {
    parts: Table<StoredPart>,
    texts: Table<String>,
    rules: Table<RuleId>,
    items: Table<Item>,
    blocks: Table<StoredBlock>,
    shared: Table<StoredShared>,
}

impl Writer {
    fn page(&mut self, page: &PageMemory) -> StoredPage {
        let shared = self.shared(&page.blocks);
        let mut text = |text: &String| self.texts.number(text.clone());
        let (asked, canonical) = (text(&page.asked), page.canonical.as_ref().map(&mut text));
        let links = page.links.iter().map(&mut text).collect();
        let mut numbers = |rules: &BTreeSet<RuleId>| rules.iter().map(|rule| self.rules.number(rule.clone())).collect();
        StoredPage {
            asked,
            page: page.page,
            parts: page.parts.iter().map(|part| self.parts.number(StoredPart::of(part))).collect(),
            links,
            canonical,
            marks: page.marks.clone(),
            passed: numbers(&page.outcomes.passed),
            inapplicable: numbers(&page.outcomes.inapplicable),
            needs_review: page.needs_review.clone(),
            reasons: page.reasons.clone(),
            unstable: page.unstable,
            pictures: page.pictures,
            shared,
        }
    }

    fn shared(&mut self, page: &PageBlocks) -> usize {
        let PageBlocks { language, has_search, has_index, is_cut, blocks } = page;
        let mut numbers = Vec::new();
        for block in blocks {
            let Block { slot, selector, source, items } = &**block;
            let items = items.iter().map(|item| self.items.number(Item::clone(item))).collect();
            let (slot, selector, source) = (slot.clone(), selector.clone(), source.clone());
            numbers.push(self.blocks.number(StoredBlock { slot, selector, source, items }));
        }
        let (language, blocks) = (language.clone(), numbers);
        let (has_search, has_index, is_cut) = (*has_search, *has_index, *is_cut);
        self.shared.number(StoredShared { language, has_search, has_index, is_cut, blocks })
    }
}

#[derive(Debug)]
struct Tables {
    parts: Vec<StoredPart>,
    texts: Vec<String>,
    rules: Vec<RuleId>,
    blocks: Vec<Arc<Block>>,
    shared: Vec<StoredShared>,
}

impl Tables {
    /// Returns a page; `None` if it refers to what is not there.
    fn page(&self, page: StoredPage) -> Option<PageMemory> {
        let text = |number: usize| self.texts.get(number).cloned();
        let optional = |number: Option<usize>| number.map_or(Some(None), |number| text(number).map(Some));
        let rules = |numbers: &[usize]| -> Option<BTreeSet<RuleId>> {
            numbers.iter().map(|number| self.rules.get(*number).cloned()).collect()
        };
        Some(PageMemory {
            asked: text(page.asked)?,
            page: page.page,
            parts: page.parts.iter().map(|number| self.parts.get(*number)?.known()).collect::<Option<_>>()?,
            links: page.links.iter().map(|number| text(*number)).collect::<Option<_>>()?,
            canonical: optional(page.canonical)?,
            marks: page.marks,
            outcomes: RuleOutcomes { passed: rules(&page.passed)?, inapplicable: rules(&page.inapplicable)? },
            needs_review: page.needs_review,
            reasons: page.reasons,
            unstable: page.unstable,
            pictures: page.pictures,
            blocks: self.page_blocks(self.shared.get(page.shared)?)?,
        })
    }

    fn page_blocks(&self, shared: &StoredShared) -> Option<PageBlocks> {
        let StoredShared { language, has_search, has_index, is_cut, blocks } = shared;
        let (has_search, has_index, is_cut) = (*has_search, *has_index, *is_cut);
        let blocks = blocks.iter().map(|number| self.blocks.get(*number).cloned()).collect::<Option<_>>()?;
        Some(PageBlocks { language: language.clone(), has_search, has_index, is_cut, blocks })
    }
}

impl StoredBlock {
    fn known(self, items: &[Arc<Item>]) -> Option<Arc<Block>> {
        let Self { slot, selector, source, items: numbers } = self;
        let items = numbers.iter().map(|number| items.get(*number).cloned()).collect::<Option<_>>()?;
        Some(Arc::new(Block { slot, selector, source, items }))
    }
}

impl StoredPart {
    fn of(part: &KnownPart) -> Self {
        let KnownPart { url, kind, origin, status, proof, headers } = part;
        let kind = match kind {
            PartKind::Document => StoredKind::Document,
            PartKind::Style => StoredKind::Style,
            PartKind::Script => StoredKind::Script,
            PartKind::Image => StoredKind::Image,
            PartKind::Font => StoredKind::Font,
            PartKind::Data => StoredKind::Data,
            PartKind::Other => StoredKind::Other,
        };
        let (url, origin, proof) = (url.as_str().to_owned(), origin.clone(), proof.clone());
        Self { url, kind, origin, status: *status, proof, headers: headers.map(|hash| STANDARD_NO_PAD.encode(hash)) }
    }

    fn known(&self) -> Option<KnownPart> {
        let kind = match self.kind {
            StoredKind::Document => PartKind::Document,
            StoredKind::Style => PartKind::Style,
            StoredKind::Script => PartKind::Script,
            StoredKind::Image => PartKind::Image,
            StoredKind::Font => PartKind::Font,
            StoredKind::Data => PartKind::Data,
            StoredKind::Other => PartKind::Other,
        };
        let url = Url::parse(&self.url).ok().filter(|url| matches!(url.scheme(), "http" | "https"))?;
        let headers = match &self.headers {
            Some(hash) => Some(STANDARD_NO_PAD.decode(hash).ok()?.try_into().ok()?),
            None => None,
        };
        let (origin, proof) = (self.origin.clone(), self.proof.clone());
        Some(KnownPart { url, kind, origin, status: self.status, proof, headers })
    }
}

/// Hashes as text.
mod base64_hash {
    use base64::{Engine as _, engine::general_purpose::STANDARD_NO_PAD};
    use serde::{Deserialize as _, Deserializer, Serializer, de::Error as _};

    pub(super) fn serialize<S: Serializer>(hash: &[u8; 32], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&STANDARD_NO_PAD.encode(hash))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<[u8; 32], D::Error> {
        let text = String::deserialize(deserializer)?;
        let bytes = STANDARD_NO_PAD.decode(text).map_err(D::Error::custom)?;
        bytes.try_into().map_err(|_| D::Error::custom("a hash has 32 bytes"))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const KEY: Hash256 = [7; 32];

    fn part(path: &str, proof: KnownProof) -> KnownPart {
        let url = Url::parse(&format!("https://a.example/{path}")).unwrap();
        KnownPart { url, kind: PartKind::Script, origin: None, status: 200, proof, headers: None }
    }

    fn page(number: usize) -> PageMemory {
        let document = KnownPart {
            kind: PartKind::Document,
            headers: Some([1; 32]),
            ..part(&number.to_string(), KnownProof::Body([2; 32]))
        };
        PageMemory {
            asked: format!("https://a.example/{number}"),
            page: number,
            parts: vec![
                document,
                part("a.js", KnownProof::Tag("\"1\"".to_owned())),
                part("b.js", KnownProof::Missing),
                part("c.js", KnownProof::Unreachable),
            ],
            links: ["x", "y", "x"].map(|link| format!("https://a.example/{link}")).to_vec(),
            canonical: Some(format!("https://a.example/{number}")),
            marks: Some(vec![3, 1]),
            outcomes: RuleOutcomes {
                passed: [RuleId::new("html-has-lang"), RuleId::new("list")].into(),
                inapplicable: [RuleId::new("video-caption")].into(),
            },
            needs_review: [(RuleId::new("color-contrast"), 2)].into(),
            reasons: [(RuleId::new("color-contrast"), vec![UndecidedReason::new("color-contrast", None, 2)])].into(),
            unstable: 0,
            pictures: 2,
            blocks: blocks(),
        }
    }

    fn blocks() -> PageBlocks {
        let item = |(path, name): (&str, &str)| {
            let (key, name) = (format!("link a.example/{path}"), name.to_owned());
            Arc::new(Item { key, name, selector: format!("nav > a.{path}"), source: "<a>".to_owned() })
        };
        let slot = Slot { role: "navigation".to_owned(), place: "banner".to_owned(), label: "Shop".to_owned() };
        let items = [("x", "X"), ("y", "Y")].map(item).to_vec();
        let block = Block { slot, selector: "nav".to_owned(), source: "<nav>".to_owned(), items };
        PageBlocks {
            language: "en".to_owned(),
            has_search: true,
            blocks: vec![Arc::new(block)],
            ..PageBlocks::default()
        }
    }

    fn by_address(pages: Vec<PageMemory>) -> HashMap<String, PageMemory> {
        pages.into_iter().map(|page| (page.asked.clone(), page)).collect()
    }

    #[test]
    fn pages_come_back_as_they_were_and_only_with_their_key() {
        let pages: Vec<_> = (1..5).map(page).collect();
        let document = write(&KEY, &pages);
        assert_eq!(read(&KEY, &document), by_address(pages));
        assert_eq!(read(&[8; 32], &document), HashMap::new());
        assert_eq!(read(&KEY, &write(&KEY, &[])), HashMap::new());
    }

    #[test]
    fn what_pages_have_in_common_is_kept_once() {
        let size = |count: usize| write(&KEY, &(0..count).map(page).collect::<Vec<_>>()).len();
        assert!(size(1_000) < 40 * 1_000, "{} bytes", size(1_000));
    }

    #[test]
    fn pages_beyond_the_bound_are_left_out() {
        let mut seed = 1_u64;
        let mut random = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            format!("https://a.example/{seed:016x}")
        };
        let large = |number: usize| PageMemory { links: (0..20_000).map(|_| random()).collect(), ..page(number) };
        let pages: Vec<_> = (0..40).map(large).collect();
        let document = write(&KEY, &pages);
        let left = read(&KEY, &document).len();
        assert!(document.len() <= Memo::MAX_DOCUMENT && left > 0 && left < 40, "{left}");
    }

    #[test]
    fn a_page_with_personal_data_in_any_address_is_known_as_such() {
        let person = || "https://a.example/?mail=jane.doe@example.org".to_owned();
        assert!(!page(1).has_personal_data());
        assert!(PageMemory { asked: person(), ..page(1) }.has_personal_data());
        assert!(PageMemory { links: vec![person()], ..page(1) }.has_personal_data());
        assert!(PageMemory { canonical: Some(person()), ..page(1) }.has_personal_data());
        let with = |part: KnownPart| PageMemory { parts: vec![part], ..page(1) }.has_personal_data();
        assert!(with(KnownPart { url: Url::parse(&person()).unwrap(), ..part("", KnownProof::Body([0; 32])) }));
        assert!(with(part("", KnownProof::Target(person()))));
        assert!(with(KnownPart { origin: Some(person()), ..part("", KnownProof::Body([0; 32])) }));
    }

    #[test]
    fn the_version_of_a_file_and_the_key_of_a_site_are_not_personal_but_in_the_address_of_a_document_they_may_be() {
        let address = "https://maps.example/?key=AIzaSyD0a1b2c3&v=47DEQpj8HBSa1TImW";
        let of = |kind| PageMemory {
            parts: vec![
                KnownPart { url: Url::parse(address).unwrap(), kind, ..part("", KnownProof::Body([0; 32])) },
                KnownPart { kind, ..part("", KnownProof::Target(address.to_owned())) },
            ],
            ..page(1)
        };
        for (kind, is_personal) in [
            (PartKind::Style, false),
            (PartKind::Script, false),
            (PartKind::Image, false),
            (PartKind::Font, false),
            (PartKind::Document, true),
            (PartKind::Data, true),
            (PartKind::Other, true),
        ] {
            assert_eq!(of(kind).has_personal_data(), is_personal, "{kind:?}");
        }
    }

    #[test]
    fn a_page_is_made_from_the_same_parts_in_any_order_and_a_part_has_changed_only_at_its_own_address() {
        let page = page(1);
        let mut parts = page.parts.clone();
        parts.reverse();
        assert!(page.is_made_from(&parts) && !page.has_changed_in(&parts));
        let more = [parts.clone(), vec![part("d.js", KnownProof::Body([9; 32]))]].concat();
        assert!(!page.is_made_from(&more) && !page.has_changed_in(&more));
        parts[0].proof = KnownProof::Tag("\"2\"".to_owned());
        assert!(!page.is_made_from(&parts) && page.has_changed_in(&parts));
    }

    fn now(change: impl FnOnce(&mut Now)) -> Answer {
        let mut now =
            Now { status: 200, leads_to: None, body: Some((5, [2; 32])), headers: [1; 32], is_personal: false };
        change(&mut now);
        Answer::Now(Box::new(now))
    }

    #[test]
    fn a_part_is_as_it_was_if_all_that_is_known_of_it_is_equal() {
        let document = page(1).parts.remove(0);
        assert!(document.is_as_it_was(&now(|_| {})));
        for other in [
            now(|now| now.status = 203),
            now(|now| now.body = Some((5, [3; 32]))),
            now(|now| now.body = None),
            now(|now| now.headers = [0; 32]),
            now(|now| now.is_personal = true),
            Answer::Unchanged,
            Answer::Unknown,
        ] {
            assert!(!document.is_as_it_was(&other), "{other:?}");
        }
        let tagged = part("a.js", KnownProof::Tag("\"1\"".to_owned()));
        assert!(tagged.is_as_it_was(&Answer::Unchanged));
        assert!(!tagged.is_as_it_was(&now(|_| {})) && !tagged.is_as_it_was(&Answer::Unknown));
        let moved = KnownPart { status: 302, ..part("a.js", KnownProof::Target("/b.js".to_owned())) };
        let to = |target: &str, status| {
            now(|now| (now.leads_to, now.status, now.body) = (Some(target.to_owned()), status, None))
        };
        assert!(moved.is_as_it_was(&to("/b.js", 302)));
        assert!(!moved.is_as_it_was(&to("/c.js", 302)) && !moved.is_as_it_was(&to("/b.js", 301)));
        let missing = KnownPart { status: 404, ..part("a.js", KnownProof::Missing) };
        let answered = |status| now(|now| (now.status, now.body) = (status, None));
        assert!(missing.is_as_it_was(&answered(404)) && !missing.is_as_it_was(&answered(410)));
        assert!(!missing.is_as_it_was(&now(|_| {})) && !missing.is_as_it_was(&Answer::Unreachable));
        let unreachable = KnownPart { status: 0, ..part("a.js", KnownProof::Unreachable) };
        assert!(unreachable.is_as_it_was(&Answer::Unreachable));
        assert!(!unreachable.is_as_it_was(&Answer::Unknown) && !unreachable.is_as_it_was(&answered(404)));
    }

    #[test]
    fn the_answer_to_our_client_counts_if_it_is_the_response_that_the_browser_had() {
        let seen = PagePart {
            url: "https://a.example/".to_owned(),
            kind: PartKind::Document,
            origin: None,
            status: 200,
            leads_to: None,
            length: Some(5),
            proof: Proof::Body,
            headers: Some([1; 32]),
        };
        let known = KnownPart::of(&seen, Some(&now(|_| {}))).unwrap();
        assert_eq!(known.proof, KnownProof::Body([2; 32]));
        for other in [
            now(|now| now.body = Some((6, [2; 32]))),
            now(|now| now.status = 203),
            now(|now| now.headers = [0; 32]),
            now(|now| now.is_personal = true),
            Answer::Unchanged,
            Answer::Unknown,
        ] {
            assert_eq!(KnownPart::of(&seen, Some(&other)), None, "{other:?}");
        }
        assert_eq!(KnownPart::of(&seen, None), None);
        let tagged = PagePart { proof: Proof::Tag("\"1\"".to_owned()), kind: PartKind::Style, headers: None, ..seen };
        assert_eq!(KnownPart::of(&tagged, None).unwrap().proof, KnownProof::Tag("\"1\"".to_owned()));
    }

    proptest! {
        #[test]
        fn a_document_that_was_damaged_gives_no_page_that_was_not_written(
            at in any::<prop::sample::Index>(), byte in any::<u8>(), cut in any::<bool>(),
        ) {
            let pages: Vec<_> = (1..4).map(page).collect();
            let mut document = write(&KEY, &pages);
            let at = at.index(document.len());
            if cut { document.truncate(at) } else { document[at] = byte }
            let all = by_address(pages);
            for (asked, page) in read(&KEY, &document) {
                prop_assert_eq!(all.get(&asked), Some(&page));
            }
        }

        #[test]
        fn what_was_not_written_here_is_no_document(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            prop_assert!(read(&KEY, &bytes).is_empty());
            let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
            gzip.write_all(&bytes).unwrap();
            prop_assert!(read(&KEY, &gzip.finish().unwrap()).is_empty());
        }
    }
}
