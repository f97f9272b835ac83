//! The parts of a page that are kept so that they can be compared with those of other pages of its site.

use std::{collections::HashSet, sync::Arc};

use a11ycheck_core::domain::{masked_html, masked_selector, masked_text};
use serde::{Deserialize, Serialize};
use url::Url;

use super::words::Words;
use crate::{
    axe::{Shared, SharedBlock, SharedItem},
    crawl::address,
};

/// The greatest number of bytes of all blocks and items that are kept in a check.
const MAX_BYTES: usize = 16 * 1024 * 1024;
/// The beginning of the keys of links, which distinguishes them from those of controls.
const LINK: &str = "link ";

/// The blocks of a page that other pages may have as well, without personal data.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(in crate::crawl) struct PageBlocks {
    /// The primary part of the page's `lang`.
    pub(in crate::crawl) language: String,
    pub(in crate::crawl) has_search: bool,
    pub(in crate::crawl) has_index: bool,
    /// True if the page has links or controls in blocks that are not kept.
    pub(in crate::crawl) is_cut: bool,
    pub(in crate::crawl) blocks: Vec<Arc<Block>>,
}

/// A block of a page.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(in crate::crawl) struct Block {
    pub(in crate::crawl) slot: Slot,
    pub(in crate::crawl) selector: String,
    pub(in crate::crawl) source: String,
    /// Its links and controls in their order.
    pub(in crate::crawl) items: Vec<Arc<Item>>,
}

/// The identity of a block within its page. Blocks of several pages are compared only if it is the same.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub(in crate::crawl) struct Slot {
    pub(in crate::crawl) role: String,
    /// The role of the block around it; empty if there is none.
    pub(in crate::crawl) place: String,
    /// The accessible name.
    pub(in crate::crawl) label: String,
}

/// A link or a control.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(in crate::crawl) struct Item {
    /// The key of what it does: items with equal keys do the same. It is [`LINK`] and the address of a page or an
    /// anchor, or of a control, what its form does with it.
    pub(in crate::crawl) key: String,
    /// The accessible name.
    pub(in crate::crawl) name: String,
    pub(in crate::crawl) selector: String,
    pub(in crate::crawl) source: String,
}

impl PageBlocks {
    /// Returns the parts of `shared` that are kept, with personal data masked. A link whose address reveals something
    /// about people is left out.
    pub(in crate::crawl) fn of(shared: &Shared) -> Self {
        let Shared { language, has_search, has_index, is_cut, blocks, .. } = shared;
        let kept: Vec<Arc<Block>> = blocks.iter().map(|block| Arc::new(Block::of(block))).collect();
        let count: usize = blocks.iter().map(|block| block.items.len()).sum();
        let is_cut = *is_cut || kept.iter().map(|block| block.items.len()).sum::<usize>() < count;
        let (has_search, has_index) = (*has_search, *has_index);
        Self { language: masked_text(language).into_owned(), has_search, has_index, is_cut, blocks: kept }
    }

    /// Returns whether comparing this page with other pages would find the same as comparing `other` with them.
    /// Selectors and sources may differ, since scripts give elements ids that are new each time, and so may numbers in
    /// names.
    pub(in crate::crawl) fn is_like(&self, other: &Self) -> bool {
        let Self { language, has_search, has_index, is_cut, blocks } = self;
        let is_same_page = (language, has_search, has_index, is_cut)
            == (&other.language, &other.has_search, &other.has_index, &other.is_cut);
        let pairs = || blocks.iter().zip(&other.blocks);
        is_same_page && blocks.len() == other.blocks.len() && pairs().all(|(block, other)| block.is_like(other))
    }
}

impl Block {
    fn of(block: &SharedBlock) -> Self {
        let SharedBlock { role, place, label, selector, source, items } = block;
        let (role, place, label) = (role.clone(), place.clone(), masked_text(label).into_owned());
        Self {
            slot: Slot { role, place, label },
            selector: masked_selector(selector).into_owned(),
            source: masked_html(source).into_owned(),
            items: items.iter().filter_map(Item::of).map(Arc::new).collect(),
        }
    }

    fn is_like(&self, other: &Self) -> bool {
        let is_like =
            |item: &Item, other: &Item| item.key == other.key && Words::of(&item.name) == Words::of(&other.name);
        let mut pairs = self.items.iter().zip(&other.items);
        self.slot == other.slot
            && self.items.len() == other.items.len()
            && pairs.all(|(item, other)| is_like(item, other))
    }

    fn bytes(&self) -> usize {
        let Self { slot: Slot { role, place, label }, selector, source, items } = self;
        [role, place, label, selector, source].map(String::len).iter().sum::<usize>() + items.len() * size_of::<usize>()
    }
}

impl Item {
    fn of(item: &SharedItem) -> Option<Self> {
        let SharedItem { key, name, selector, source } = item;
        if masked_text(key) != key.as_str() {
            return None;
        }
        let key = if key.starts_with("http:") || key.starts_with("https:") {
            format!("{LINK}{}", address::key(&Url::parse(key).ok()?))
        } else if key.starts_with('#') {
            format!("{LINK}{key}")
        } else {
            key.clone()
        };
        Some(Self {
            key,
            name: masked_text(name).into_owned(),
            selector: masked_selector(selector).into_owned(),
            source: masked_html(source).into_owned(),
        })
    }

    /// Returns the page to which a link leads, as [`address::key`] has it, or an anchor; `None` for a control.
    pub(super) fn leads_to(&self) -> Option<&str> {
        self.key.strip_prefix(LINK)
    }

    /// Returns its name; if that is empty, the address to which it leads, or its key.
    pub(super) fn shown(&self) -> &str {
        if self.name.is_empty() { self.leads_to().unwrap_or(&self.key) } else { &self.name }
    }

    fn bytes(&self) -> usize {
        let Self { key, name, selector, source } = self;
        key.len() + name.len() + selector.len() + source.len()
    }
}

/// The blocks of a check, each of them once.
#[derive(Debug, Default)]
pub(super) struct Kept {
    blocks: HashSet<Arc<Block>>,
    items: HashSet<Arc<Item>>,
    bytes: usize,
}

impl Kept {
    /// Returns the page with each of its blocks replaced by an equal one that is kept already, so that these share
    /// memory. Returns `None` if there is no room for a new one within [`MAX_BYTES`].
    pub(super) fn keep(&mut self, page: PageBlocks) -> Option<PageBlocks> {
        let blocks: Vec<Arc<Block>> = page.blocks.iter().map(|block| self.block(block)).collect::<Option<_>>()?;
        Some(PageBlocks { blocks, ..page })
    }

    fn block(&mut self, block: &Arc<Block>) -> Option<Arc<Block>> {
        if let Some(known) = self.blocks.get(&**block) {
            return Some(Arc::clone(known));
        }
        let new = block.items.iter().filter(|item| !self.items.contains(&***item));
        let bytes = self.bytes + block.bytes() + new.map(|item| item.bytes()).sum::<usize>();
        if bytes > MAX_BYTES {
            return None;
        }
        self.bytes = bytes;
        let items = block.items.iter().map(|item| self.item(item)).collect();
        let kept = Arc::new(Block { items, ..Block::clone(block) });
        self.blocks.insert(Arc::clone(&kept));
        Some(kept)
    }

    fn item(&mut self, item: &Arc<Item>) -> Arc<Item> {
        if let Some(known) = self.items.get(&**item) {
            return Arc::clone(known);
        }
        self.items.insert(Arc::clone(item));
        Arc::clone(item)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shared_item(key: &str, name: &str) -> SharedItem {
        let (key, name) = (key.to_owned(), name.to_owned());
        SharedItem { key, name, selector: "nav > a".to_owned(), source: "<a>".to_owned() }
    }

    fn page(items: Vec<SharedItem>) -> Shared {
        let role = "navigation".to_owned();
        let (place, label, selector, source) = (String::new(), String::new(), "nav".to_owned(), "<nav>".to_owned());
        let block = SharedBlock { role, place, label, selector, source, items };
        Shared { language: "en".to_owned(), blocks: vec![block], ..Shared::default() }
    }

    #[test]
    fn links_to_one_page_have_one_key_and_controls_keep_theirs() {
        let keys = ["https://www.a.example/x/", "http://a.example/x/index.html#top", "#main", "field  q"];
        let blocks = PageBlocks::of(&page(keys.iter().map(|key| shared_item(key, "")).collect()));
        let items = &blocks.blocks[0].items;
        assert_eq!(items[0].key, items[1].key);
        assert_eq!(items[0].leads_to(), Some("a.example/x"));
        assert_eq!((items[2].leads_to(), items[3].leads_to()), (Some("#main"), None));
        assert!(!blocks.is_cut);
    }

    #[test]
    fn nothing_of_people_is_kept_and_what_is_left_out_is_known() {
        let blocks = PageBlocks::of(&page(vec![
            shared_item("https://a.example/?mail=jane.doe@example.org", "Account"),
            shared_item("https://a.example/account", "jane.doe@example.org"),
        ]));
        assert!(blocks.is_cut);
        let kept = format!("{blocks:?}");
        assert!(!kept.contains("jane.doe") && kept.contains("a.example/account"), "{kept}");
    }

    #[test]
    fn pages_are_alike_whose_selectors_sources_and_numbers_differ_and_nothing_else() {
        let first = PageBlocks::of(&page(vec![shared_item("https://a.example/cart", "Cart (1)")]));
        let mut shared = page(vec![shared_item("https://a.example/cart", "Cart (2)")]);
        shared.blocks[0].items[0].selector = "#x9281".to_owned();
        shared.blocks[0].source = "<nav id=x9282>".to_owned();
        let again = PageBlocks::of(&shared);
        assert!(first != again && first.is_like(&again) && again.is_like(&first));
        for other in [
            page(vec![shared_item("https://a.example/cart", "Basket")]),
            page(vec![shared_item("https://a.example/basket", "Cart (1)")]),
            page(vec![shared_item("https://a.example/cart", "Cart (1)"), shared_item("https://a.example/", "Home")]),
            page(Vec::new()),
            Shared { has_search: true, ..page(vec![shared_item("https://a.example/cart", "Cart (1)")]) },
        ] {
            assert!(!first.is_like(&PageBlocks::of(&other)), "{other:?}");
        }
    }

    #[test]
    fn equal_blocks_are_kept_once_and_no_more_than_there_is_room_for() {
        let mut kept = Kept::default();
        let menu = |name: &str| PageBlocks::of(&page(vec![shared_item("https://a.example/a", name)]));
        let (first, again) = (kept.keep(menu("A")).unwrap(), kept.keep(menu("A")).unwrap());
        assert!(Arc::ptr_eq(&first.blocks[0], &again.blocks[0]));
        let other = kept.keep(menu("B")).unwrap();
        assert!(!Arc::ptr_eq(&first.blocks[0], &other.blocks[0]));
        let large = |number: usize| {
            let page = menu("A");
            let name = format!("{number}{}", "x".repeat(1024 * 1024));
            let item = Item { name, ..Item::clone(&page.blocks[0].items[0]) };
            let block = Block { items: vec![Arc::new(item)], ..Block::clone(&page.blocks[0]) };
            PageBlocks { blocks: vec![Arc::new(block)], ..page }
        };
        let without_room = (0..20).filter(|number| kept.keep(large(*number)).is_none()).count();
        assert!(without_room >= 4, "{without_room}");
        assert_eq!(kept.keep(menu("A")), Some(first), "what is known needs no room");
    }
}
