//! The comparison of the blocks that pages of one site have in common.
//!
//! Blocks are compared with those of the same language and [`Slot`], of which there may be several variants. The
//! variant that most pages have is the usual one, and at most one block of each page is its counterpart: the one with
//! the most links or controls in common. These are compared with it. The blocks that are left are compared in the same
//! way, in further rounds.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
};

use super::{
    blocks::{Block, Item, PageBlocks, Slot},
    words::Words,
};

/// The greatest number of slots of a site that are compared.
const MAX_SLOTS: usize = 200;
/// The greatest number of variants of one slot that are compared.
const MAX_VARIANTS: usize = 100;
/// The greatest number of rounds for one slot, each with the usual variant of the blocks that are left.
const MAX_ROUNDS: usize = 20;
/// The least number of links or controls that counterparts have in common. For searches, one is enough.
const LEAST_COMMON: usize = 3;

/// A page, with its number.
#[derive(Debug, Clone, Copy)]
pub(super) struct Seen<'a> {
    pub(super) page: usize,
    pub(super) blocks: &'a PageBlocks,
}

/// The differences between the pages of a site.
#[derive(Debug, Default)]
pub(super) struct Comparison<'a> {
    pub(super) reordered: Vec<Reordered<'a>>,
    pub(super) renamed: Vec<Renamed<'a>>,
    /// The pages of which the order of links was compared with that of other pages, whatever came of it.
    pub(super) ordered: BTreeSet<usize>,
    /// The pages of which names were compared with those on other pages, whatever came of it.
    pub(super) named: BTreeSet<usize>,
}

/// A block whose links are not in the usual order.
#[derive(Debug)]
pub(super) struct Reordered<'a> {
    pub(super) page: usize,
    pub(super) block: &'a Block,
    /// Two links of it, in its own order. In the usual order, the second comes before the first.
    pub(super) links: [&'a Item; 2],
    /// A page with the usual order.
    pub(super) usual_on: usize,
}

/// A link or a control whose name is not the usual one.
#[derive(Debug)]
pub(super) struct Renamed<'a> {
    pub(super) page: usize,
    pub(super) item: &'a Item,
    pub(super) usual_name: &'a str,
    /// A page with the usual name.
    pub(super) usual_on: usize,
}

/// Compares the pages of a site.
pub(super) fn compare<'a>(pages: &[Seen<'a>]) -> Comparison<'a> {
    let mut slots: BTreeMap<(&str, &Slot), Variants<'a>> = BTreeMap::new();
    for Seen { page, blocks } in pages {
        for block in &blocks.blocks {
            slots.entry((blocks.language.as_str(), &block.slot)).or_default().add(*page, block);
        }
    }
    let mut found = Comparison::default();
    for variants in slots.into_values().filter(|variants| variants.pages.len() > 1).take(MAX_SLOTS) {
        variants.compare(&mut found);
    }
    found.reordered.sort_by_key(|reordered| reordered.page);
    found.renamed.sort_by_key(|renamed| renamed.page);
    found
}

/// The variants of the blocks of one language and slot.
#[derive(Debug, Default)]
struct Variants<'a> {
    variants: Vec<Variant<'a>>,
    /// The indices of variants by the address of the block: pages with equal blocks share one in memory.
    numbers: HashMap<*const Block, usize>,
    /// The numbers of orders, by the keys of the links in that order.
    orders: HashMap<Vec<&'a str>, usize>,
    /// The pages in their order, each with the indices of the variants that it has.
    pages: Vec<(usize, Vec<usize>)>,
}

/// One variant of the blocks of a slot.
#[derive(Debug)]
struct Variant<'a> {
    block: &'a Block,
    /// The positions of items by key, without keys that several items have.
    places: HashMap<&'a str, usize>,
    /// The number of the order of its links, as in [`Variants::orders`].
    order: usize,
}

/// A name that pages have for a link or control.
#[derive(Debug, Clone, Copy)]
struct UsedName<'a> {
    /// The number of pages with this name.
    pages: usize,
    /// The first of these pages.
    first: usize,
    name: &'a str,
}

/// The match of two variants that are counterparts.
#[derive(Debug, Clone, Copy)]
struct Match<'a> {
    /// The number of links and controls that both have.
    common: usize,
    /// True if both have at least [`LEAST_COMMON`] links, so that their orders can be compared.
    has_order: bool,
    /// The first two links whose order differs.
    swapped: Option<[&'a Item; 2]>,
}

impl<'a> Variants<'a> {
    fn add(&mut self, page: usize, block: &'a Block) {
        let (next, key) = (self.variants.len(), std::ptr::from_ref(block));
        let number = match self.numbers.get(&key).copied() {
            Some(number) => number,
            None if next < MAX_VARIANTS => {
                self.numbers.insert(key, next);
                let links: Vec<&str> = block.items.iter().filter_map(|item| item.leads_to()).collect();
                let orders = self.orders.len();
                let order = *self.orders.entry(links).or_insert(orders);
                self.variants.push(Variant { block, places: places_of(block), order });
                next
            }
            None => return,
        };
        match self.pages.last_mut() {
            Some((last, variants)) if *last == page => variants.push(number),
            _ => self.pages.push((page, vec![number])),
        }
    }

    fn compare(mut self, found: &mut Comparison<'a>) {
        for _ in 0..MAX_ROUNDS {
            let Some(usual) = self.most_frequent() else { return };
            let matches = self.matches(usual);
            let cluster = self.take_counterparts(usual, &matches);
            if cluster.len() > 1 {
                self.compare_orders(usual, matches, &cluster, found);
                self.compare_names(&cluster, found);
            }
        }
    }

    /// Returns the first variant among those whose order of links most pages have; `None` if no blocks are left.
    fn most_frequent(&self) -> Option<usize> {
        let mut counts: BTreeMap<usize, (usize, usize)> = BTreeMap::new();
        for variant in self.pages.iter().flat_map(|(_, variants)| variants) {
            let (count, first) = counts.entry(self.variants[*variant].order).or_insert((0, *variant));
            *count += 1;
            *first = (*first).min(*variant);
        }
        let most = counts.into_values().max_by_key(|(count, first)| (*count, Reverse(*first)));
        most.map(|(_, first)| first)
    }

    /// Returns the match of each variant with this one; `None` for a variant that is no counterpart.
    fn matches(&self, usual: usize) -> Vec<Option<Match<'a>>> {
        self.variants.iter().map(|variant| self.variants[usual].matches(variant)).collect()
    }

    /// Removes from each page the counterpart of the usual variant, and returns these with their pages.
    fn take_counterparts(&mut self, usual: usize, matches: &[Option<Match<'a>>]) -> Vec<(usize, usize)> {
        let mut cluster = Vec::new();
        for (page, variants) in &mut self.pages {
            // Of equally good counterparts, one with the links in the same order is preferred.
            let best = variants.iter().copied().enumerate().filter_map(|(place, variant)| {
                let Match { common, swapped, .. } = matches[variant]?;
                Some(((common, swapped.is_none(), Reverse(place)), place, variant))
            });
            if let Some((_, place, variant)) = best.max_by_key(|(rank, ..)| *rank) {
                variants.remove(place);
                cluster.push((*page, variant));
            }
            // A small block may be no counterpart even of itself. It is removed, so that it is not the usual one of the
            // next round again.
            variants.retain(|variant| *variant != usual);
        }
        self.pages.retain(|(_, variants)| !variants.is_empty());
        cluster
    }

    fn compare_orders(
        &self,
        mut usual: usize,
        mut matches: Vec<Option<Match<'a>>>,
        cluster: &[(usize, usize)],
        found: &mut Comparison<'a>,
    ) {
        let swapped = |matches: &[Option<Match<'a>>]| -> Vec<(usize, usize, [&'a Item; 2])> {
            let links = |variant: usize| matches[variant].and_then(|found| found.swapped);
            cluster.iter().filter_map(|(page, variant)| Some((*page, *variant, links(*variant)?))).collect()
        };
        let mut others = swapped(&matches);
        if others.len() * 2 > cluster.len() {
            // Most pages depart from this order, so the order of one of them is tried instead.
            let other = others[0].1;
            let of_other = self.matches(other);
            let departing = swapped(&of_other);
            if departing.len() < others.len() {
                (usual, matches, others) = (other, of_other, departing);
            }
        }
        let order = self.variants[usual].order;
        let Some((usual_on, _)) = cluster.iter().find(|(_, variant)| self.variants[*variant].order == order) else {
            return;
        };
        let has_order = |variant: usize| matches[variant].is_some_and(|found| found.has_order);
        let of_order: BTreeSet<usize> =
            cluster.iter().filter(|(_, variant)| has_order(*variant)).map(|(page, _)| *page).collect();
        if of_order.len() > 1 {
            found.ordered.extend(of_order);
        }
        found.reordered.extend(others.into_iter().map(|(page, variant, links)| {
            let block = self.variants[variant].block;
            Reordered { page, block, links, usual_on: *usual_on }
        }));
    }

    fn compare_names(&self, cluster: &[(usize, usize)], found: &mut Comparison<'a>) {
        let mut pages_of: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (page, variant) in cluster {
            pages_of.entry(*variant).or_default().push(*page);
        }
        let mut names: BTreeMap<&str, BTreeMap<Words, UsedName<'a>>> = BTreeMap::new();
        let mut said: BTreeMap<usize, Vec<(&'a Item, Words)>> = BTreeMap::new();
        for (variant, pages) in &pages_of {
            let Variant { block, places, .. } = &self.variants[*variant];
            let once = block.items.iter().map(|item| &**item).filter(|item| places.contains_key(item.key.as_str()));
            let own: Vec<(&'a Item, Words)> = once.map(|item| (item, Words::of(&item.name))).collect();
            for (item, words) in own.iter().filter(|(_, words)| !words.is_empty()) {
                let of_key = names.entry(item.key.as_str()).or_default();
                let new = UsedName { pages: 0, first: pages[0], name: item.name.as_str() };
                let called = of_key.entry(words.clone()).or_insert(new);
                called.pages += pages.len();
                called.first = called.first.min(pages[0]);
            }
            said.insert(*variant, own);
        }
        // The usual name of each link or control that several pages have: the one on most pages.
        let mut usual: BTreeMap<&str, (&Words, UsedName<'a>)> = BTreeMap::new();
        for (key, names) in &names {
            let most = names.iter().max_by_key(|(_, called)| (called.pages, Reverse(called.first)));
            if let Some((words, called)) = most
                && names.values().map(|called| called.pages).sum::<usize>() > 1
            {
                usual.insert(key, (words, *called));
            }
        }
        for (variant, items) in &said {
            let known = items.iter().filter_map(|(item, words)| {
                let (usual, called) = *usual.get(item.key.as_str())?;
                Some((*item, words.differs_from(usual), called))
            });
            let known: Vec<(&'a Item, bool, UsedName<'a>)> = known.collect();
            if known.is_empty() {
                continue;
            }
            let pages = &pages_of[variant];
            found.named.extend(pages);
            let others = known.iter().filter(|(_, differs, _)| *differs);
            // If most names differ, the page may be in another language than its `lang` says.
            let is_search = self.variants[*variant].block.slot.role == "search";
            if !is_search && others.clone().count() * 2 > known.len() {
                continue;
            }
            for (item, _, UsedName { first, name, .. }) in others.copied() {
                let renamed = |page: &usize| Renamed { page: *page, item, usual_name: name, usual_on: first };
                found.renamed.extend(pages.iter().map(renamed));
            }
        }
    }
}

impl<'a> Variant<'a> {
    /// Returns the match of another variant with this one. Returns `None` if they are no counterparts: they have too
    /// few links and controls in common, or fewer than half of those of the smaller one.
    fn matches(&self, other: &Self) -> Option<Match<'a>> {
        let both = self.places.iter().filter_map(|(key, here)| Some((*other.places.get(key)?, *here)));
        // Pairs of positions, in the other variant and in this one, in the order of the other.
        let mut common: Vec<(usize, usize)> = both.collect();
        common.sort_unstable();
        let smaller = self.places.len().min(other.places.len());
        let least = if self.block.slot.role == "search" { 1 } else { LEAST_COMMON };
        if common.len() < least || common.len() * 2 < smaller {
            return None;
        }
        let item = |place: usize| -> &'a Item { &other.block.items[place] };
        let is_link = |(there, _): &&(usize, usize)| item(*there).leads_to().is_some();
        let links: Vec<(usize, usize)> = common.iter().filter(is_link).copied().collect();
        let has_order = links.len() >= LEAST_COMMON;
        let pair = links.windows(2).find(|pair| pair[0].1 > pair[1].1).filter(|_| has_order);
        let swapped = pair.map(|pair| [item(pair[0].0), item(pair[1].0)]);
        Some(Match { common: common.len(), has_order, swapped })
    }
}

fn places_of(block: &Block) -> HashMap<&str, usize> {
    let mut places = HashMap::new();
    let mut twice = HashSet::new();
    for (place, item) in block.items.iter().enumerate() {
        if places.insert(item.key.as_str(), place).is_some() {
            twice.insert(item.key.as_str());
        }
    }
    places.retain(|key, _| !twice.contains(key));
    places
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proptest::prelude::*;

    use super::{super::blocks::Kept, *};

    /// The parts of a block: its role, its place, and the address and the name of each item.
    type BlockParts<'t> = (&'t str, &'t str, &'t [(&'t str, &'t str)]);

    fn block((role, place, items): BlockParts<'_>) -> Arc<Block> {
        let item = |(key, name): &(&str, &str)| {
            let key = if key.contains(' ') { (*key).to_owned() } else { format!("link a.example/{key}") };
            Arc::new(Item { key, name: (*name).to_owned(), selector: "#x".to_owned(), source: "<a>".to_owned() })
        };
        let slot = Slot { role: role.to_owned(), place: place.to_owned(), label: String::new() };
        let items = items.iter().map(item).collect();
        Arc::new(Block { slot, selector: role.to_owned(), source: format!("<{role}>"), items })
    }

    /// Returns `page first second` for each two links that are not in the usual order, and `page name usual` for each
    /// name that is not the usual one.
    fn differences(pages: &[(&str, &[BlockParts<'_>])]) -> Vec<String> {
        let mut kept = Kept::default();
        let pages: Vec<PageBlocks> = pages
            .iter()
            .map(|(language, blocks)| {
                let blocks = blocks.iter().map(|parts| block(*parts)).collect();
                kept.keep(PageBlocks { language: (*language).to_owned(), blocks, ..PageBlocks::default() }).unwrap()
            })
            .collect();
        let seen: Vec<Seen<'_>> = pages.iter().enumerate().map(|(page, blocks)| Seen { page, blocks }).collect();
        let found = compare(&seen);
        let orders = found.reordered.iter().map(|one| {
            let [first, second] = one.links.map(Item::shown);
            format!("{} {first} {second}", one.page)
        });
        let names = found.renamed.iter().map(|one| format!("{} {} {}", one.page, one.item.name, one.usual_name));
        orders.chain(names).collect()
    }

    const MENU: &[(&str, &str)] = &[("home", "Home"), ("shop", "Shop"), ("news", "News"), ("help", "Help")];
    const NONE: [&str; 0] = [];

    fn menu<'t>(items: &'t [(&'t str, &'t str)]) -> BlockParts<'t> {
        ("navigation", "banner", items)
    }

    #[test]
    fn a_menu_in_another_order_is_found_on_the_page_that_departs_from_the_others() {
        let other = [("home", "Home"), ("news", "News"), ("shop", "Shop"), ("help", "Help")];
        let usual = [menu(MENU)];
        assert_eq!(differences(&[("en", &usual), ("en", &usual), ("en", &[menu(&other)])]), ["2 News Shop"]);
        assert_eq!(differences(&[("en", &[menu(&other)]), ("en", &usual), ("en", &usual)]), ["0 News Shop"]);
        // If the menu of each page is another variant, the usual order is still the one that most of them share.
        let with = |own: &'static str| [MENU, &[(own, own)]].concat();
        let (a, b) = (with("a"), with("b"));
        assert_eq!(differences(&[("en", &[menu(&other)]), ("en", &[menu(&a)]), ("en", &[menu(&b)])]), ["0 News Shop"]);
    }

    #[test]
    fn what_is_added_left_out_or_somewhere_else_has_the_same_order() {
        let more = [("home", "Home"), ("shop", "Shop"), ("shoes", "Shoes"), ("hats", "Hats"), ("help", "Help")];
        let less = [("shop", "Shop"), ("news", "News"), ("help", "Help")];
        let other = [("help", "Help"), ("news", "News"), ("shop", "Shop"), ("home", "Home")];
        assert_eq!(differences(&[("en", &[menu(MENU)]), ("en", &[menu(&more)]), ("en", &[menu(&less)])]), NONE);
        let footer = ("navigation", "contentinfo", &other[..]);
        assert_eq!(differences(&[("en", &[menu(MENU), footer]), ("en", &[menu(MENU), footer])]), NONE);
        // Menus of the same page are not compared with each other, and neither are pages in different languages.
        assert_eq!(differences(&[("en", &[menu(MENU), menu(&other)]), ("en", &[menu(MENU), menu(&other)])]), NONE);
        assert_eq!(differences(&[("en", &[menu(MENU)]), ("de", &[menu(&other)])]), NONE);
        // Two links in common are too few to compare an order, and links that a block has twice are left out.
        let two = [("news", "News"), ("shop", "Shop"), ("x", "X"), ("y", "Y")];
        let twice = [MENU, &[("shop", "Shop"), ("news", "News")]].concat();
        assert_eq!(differences(&[("en", &[menu(MENU)]), ("en", &[menu(&two)]), ("en", &[menu(&twice)])]), NONE);
    }

    #[test]
    fn another_name_for_the_same_is_found_where_fewer_pages_have_it() {
        let find = [("submit /s q", "Find"), ("field /s q", "Words")];
        let search = [("submit /s q", "Search"), ("field /s q", "Words")];
        let of = |items| ("search", "banner", items);
        let (find, search) = ([of(&find[..])], [of(&search[..])]);
        let pages: [(&str, &[BlockParts<'_>]); 3] = [("en", &find), ("en", &search), ("en", &search)];
        assert_eq!(differences(&pages), ["0 Find Search"]);
        let other = [("home", "Home"), ("shop", "Products"), ("news", "News"), ("help", "Help")];
        assert_eq!(differences(&[("en", &[menu(MENU)]), ("en", &[menu(&other)])]), ["1 Products Shop"]);
    }

    #[test]
    fn names_that_say_more_count_something_or_are_in_another_language_are_no_other_names() {
        let more = [("home", "Home (this page)"), ("shop", "Our shop"), ("news", "News, 3 new"), ("help", "")];
        assert_eq!(differences(&[("en", &[menu(MENU)]), ("en", &[menu(&more)])]), NONE);
        let german = [("home", "Start"), ("shop", "Laden"), ("news", "Neues"), ("help", "Hilfe")];
        assert_eq!(differences(&[("en", &[menu(MENU)]), ("en", &[menu(&german)])]), NONE);
        assert_eq!(differences(&[("en", &[menu(MENU)]), ("de", &[menu(&german)])]), NONE);
        // In a list of pages, a link that is called “Next” on one page leads to the same page as “Back” on another.
        let pages = |number: &'static str| [("1", number), ("2", "2"), ("3", "3")];
        let (next, back) = (pages("Next"), pages("Back"));
        let numbers = |items| ("navigation", "", items);
        let all: [(&str, &[BlockParts<'_>]); 2] = [("en", &[numbers(&next[..2])]), ("en", &[numbers(&back[..2])])];
        assert_eq!(differences(&all), NONE, "two links in common are no block");
    }

    proptest! {
        #[test]
        fn pages_are_found_to_differ_in_the_same_way_whatever_blocks_they_have(
            pages in prop::collection::vec(
                prop::collection::vec(prop::collection::vec((0_u8..6, 0_u8..3), 0..8), 0..4), 0..8,
            ),
        ) {
            let mut kept = Kept::default();
            let pages: Vec<PageBlocks> = pages.iter().map(|blocks| {
                let blocks = blocks.iter().map(|items| {
                    let items: Vec<(String, String)> =
                        items.iter().map(|(key, name)| (key.to_string(), format!("n{name}"))).collect();
                    let items: Vec<(&str, &str)> = items.iter().map(|(key, name)| (&**key, &**name)).collect();
                    block(menu(&items))
                });
                kept.keep(PageBlocks { blocks: blocks.collect(), ..PageBlocks::default() }).unwrap()
            }).collect();
            let seen: Vec<Seen<'_>> = pages.iter().enumerate().map(|(page, blocks)| Seen { page, blocks }).collect();
            let found = compare(&seen);
            for Reordered { page, links: [first, second], usual_on, .. } in &found.reordered {
                prop_assert!(page != usual_on && first.key != second.key && found.ordered.contains(page));
            }
            for Renamed { page, item, usual_name, usual_on } in &found.renamed {
                prop_assert!(page != usual_on && item.name != *usual_name && found.named.contains(page));
            }
        }
    }
}
