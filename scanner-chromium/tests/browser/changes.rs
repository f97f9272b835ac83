//! The findings that count as new and fixed when a site changes: a table of changes that fix and break nothing, and of
//! changes that do.

use std::sync::{Arc, Mutex};

use a11ycheck_core::{
    domain::{DiffSummary, Findings, PreviousScan, compare},
    id::ScanId,
};
use a11ycheck_scanner_chromium::ChromiumScanner;

use crate::support::{Reply, Site, scan, without_pictures};

const PAGES: usize = 4;
/// The number of problems of each product.
const PER_PRODUCT: u64 = 7;
const PRODUCTS: [&str; 5] = ["White shirt", "Blue shirt", "Black coat", "Green hat", "Red scarf"];

/// A shop of four pages with five products each. Every product has seven problems, and every page four more of the
/// template: 156.
#[derive(Debug, Clone)]
struct Shop {
    products: Vec<&'static str>,
    /// The path of the pages other than the start page.
    path: &'static str,
    card_class: &'static str,
    before: &'static str,
    wrapper: (&'static str, &'static str),
    price: &'static str,
    stock: &'static str,
    attributes: &'static str,
    amount: &'static str,
    star: &'static str,
    drawn_id: &'static str,
    year: u32,
}

impl Shop {
    fn new() -> Self {
        Self {
            products: PRODUCTS.to_vec(),
            path: "p",
            card_class: "card",
            before: "",
            wrapper: ("", ""),
            price: "€ 25.10",
            stock: "In stock",
            attributes: "",
            amount: "1",
            star: "star-DiwrgTda.png",
            drawn_id: "q-mvbnt",
            year: 2026,
        }
    }

    fn page(&self, number: usize) -> String {
        let Self { products, path, before, wrapper: (open, close), year, .. } = self;
        let links: String = (1..PAGES).map(|page| format!("<a href='/{path}{page}'>Page {page}</a>, ")).collect();
        let cards: String = products.iter().enumerate().map(|(index, name)| self.card(number, index, name)).collect();
        format!(
            "<!DOCTYPE html><html lang=en><head><meta charset=utf-8><title>Shop {number}</title>\
             <style>.price,.stock,.year{{color:#999;background:#fff}}</style></head><body>{before}\
             <header><img class=logo src=data:,logo><button class=menu></button><nav>{links}</nav></header>\
             <main><h1>Shop {number}</h1>{open}<ul>{cards}</ul>{close}</main>\
             <footer><input class=newsletter name=newsletter><p class=year>Shop {year}</p></footer></body></html>"
        )
    }

    fn card(&self, page: usize, index: usize, name: &str) -> String {
        let Self { card_class, price, stock, attributes, amount, star, drawn_id, .. } = self;
        let file = format!("{page}-{}", name.replace(' ', "-").to_lowercase());
        format!(
            "<li class={card_class}><h2>{name}</h2><img class=photo src='/img/{file}.png'>\
             <img class=star src='/assets/{star}'><p class=price {attributes}>{price}</p><p class=stock>{stock}</p>\
             <button class=buy id='{drawn_id}{index}'></button><a class=more href='#{file}'></a>\
             <input class=amount type=number name=amount value={amount}></li>"
        )
    }
}

/// A shop that may change, with a scanner to check it.
struct Lab {
    shop: Arc<Mutex<Shop>>,
    site: Site,
    scanner: ChromiumScanner,
}

impl Lab {
    async fn open() -> Self {
        let shop = Arc::new(Mutex::new(Shop::new()));
        let served = Arc::clone(&shop);
        let answer = move |request: &crate::support::Request| {
            let shop = served.lock().unwrap();
            let number = match request.path.as_str() {
                "/" => Some(0),
                path => path[1..].strip_prefix(shop.path).and_then(|number| number.parse().ok()),
            };
            match number.filter(|number| *number < PAGES) {
                Some(number) => Reply::Html(shop.page(number)),
                None => Reply::Status(404, String::new()),
            }
        };
        Self { shop, site: Site::start(answer).await, scanner: ChromiumScanner::new(without_pictures()).unwrap() }
    }

    async fn check(&self, shop: Shop) -> Findings {
        *self.shop.lock().unwrap() = shop;
        let findings = scan(&self.scanner, &self.site.url("/"), u32::try_from(PAGES).unwrap()).await;
        assert_eq!(findings.pages.len(), PAGES, "{:?}", findings.pages);
        assert!(findings.pages.iter().all(|page| page.is_checked()), "{:?}", findings.pages);
        findings
    }
}

/// Compares two checks as the service does.
fn compared(previous: &Findings, current: &Findings) -> (DiffSummary, Findings) {
    let mut current = current.clone();
    let finished_at = chrono::DateTime::UNIX_EPOCH;
    let base = PreviousScan::new(ScanId::generate(finished_at), finished_at, previous.totals().total());
    let summary = compare(&mut current, previous, base);
    assert_eq!(current.totals().total(), summary.new + summary.remaining + summary.not_comparable_now, "{summary:?}");
    let before = summary.fixed + summary.remaining - summary.carried + summary.not_comparable_before;
    assert_eq!(previous.totals().total(), before, "{summary:?}");
    (summary, current)
}

type Change = (&'static str, fn(&mut Shop));

/// The changes of a deployment that fix and break nothing.
const HARMLESS: [Change; 17] = [
    ("nothing at all", |_| {}),
    ("a class renamed", |shop| shop.card_class = "product-tile"),
    ("a banner inserted before", |shop| shop.before = "<div class=banner><p>Sale this week</p></div>"),
    ("a top bar inserted before", |shop| shop.before = "<div><div><p>Call us</p></div></div>"),
    ("two wrappers added", |shop| shop.wrapper = ("<div class=outer><div class=inner>", "</div></div>")),
    ("the list reversed", |shop| shop.products.reverse()),
    ("the list rotated", |shop| shop.products.rotate_left(2)),
    ("the price changed", |shop| shop.price = "€ 19.90"),
    ("a text changed", |shop| shop.stock = "Only a few left"),
    ("an attribute added", |shop| shop.attributes = "data-track=price"),
    ("an attribute changed", |shop| shop.amount = "2"),
    ("a hexadecimal file hash", |shop| shop.star = "star-9f86d081884c7d65.png"),
    ("the year", |shop| shop.year = 2027),
    ("a bundler's file hash", |shop| shop.star = "star-BxYzKqLm.png"),
    ("random letters in an id", |shop| shop.drawn_id = "q-kqzxw"),
    ("a class and a text at once", |shop| (shop.card_class, shop.stock) = ("product-tile", "Only a few left")),
    ("the path renamed", |shop| shop.path = "q"),
];

/// Site owners would stop believing "new" if it came with every deployment.
#[tokio::test(flavor = "multi_thread")]
async fn a_change_that_fixes_and_breaks_nothing_gives_nothing_new_and_nothing_fixed() {
    let lab = Lab::open().await;
    let before = lab.check(Shop::new()).await;
    assert_eq!(before.totals().total(), 156);
    let mut wrong = Vec::new();
    for (name, change) in HARMLESS {
        let mut shop = Shop::new();
        change(&mut shop);
        let after = lab.check(shop).await;
        for (way, from, to) in [("there", &before, &after), ("back", &after, &before)] {
            let (summary, _) = compared(from, to);
            if (summary.new, summary.fixed) != (0, 0) {
                wrong.push(format!("{name}, {way}: {} new, {} fixed", summary.new, summary.fixed));
            }
        }
    }
    lab.scanner.close().await;
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Real changes must be reported, and for the right elements.
#[tokio::test(flavor = "multi_thread")]
async fn real_changes_keep_their_right_counts_and_mark_the_right_elements() {
    let lab = Lab::open().await;
    let before = lab.check(Shop::new()).await;
    let of_a_product = PER_PRODUCT * u64::try_from(PAGES).unwrap();
    for place in [0, 2, PRODUCTS.len()] {
        let mut more = Shop::new();
        more.products.insert(place, "Yellow socks");
        let after = lab.check(more).await;
        let (summary, marked) = compared(&before, &after);
        assert_eq!((summary.new, summary.fixed), (of_a_product, 0), "at {place}");
        let (back, _) = compared(&after, &before);
        assert_eq!((back.new, back.fixed), (0, of_a_product), "at {place}");
        // An element that names the product is distinguished from its neighbours, wherever it is.
        let named = |item: &&a11ycheck_core::domain::Finding| item.html.contains("shirt") || item.html.contains("coat");
        let old: Vec<_> = marked.items.iter().filter(named).filter(|item| item.is_new).collect();
        assert!(old.is_empty(), "at {place}: {old:#?}");
        let socks: Vec<_> = marked.items.iter().filter(|item| item.html.contains("yellow-socks")).collect();
        assert!(!socks.is_empty() && socks.iter().all(|item| item.is_new), "at {place}: {socks:#?}");
    }
    let mut other = Shop::new();
    other.products[1] = "Yellow socks";
    let after = lab.check(other).await;
    lab.scanner.close().await;
    let (summary, _) = compared(&before, &after);
    assert!(summary.new == summary.fixed && (1..=of_a_product).contains(&summary.new), "{summary:?}");
}

/// A news site shows other articles each week; the faults of its template are not new with each of them.
#[tokio::test(flavor = "multi_thread")]
async fn articles_that_come_on_top_bring_nothing_new_of_the_template() {
    let newest = Arc::new(Mutex::new(10_u32));
    let served = Arc::clone(&newest);
    let site = Site::start(move |request| {
        let newest = *served.lock().unwrap();
        let links: String =
            (newest - 8..newest).rev().map(|id| format!("<a href=/news/{id}>Article {id}</a>, ")).collect();
        let body = format!("<h1>News {}</h1><p>What happened in week {newest}.</p>", request.path);
        Reply::Html(format!(
            "<!DOCTYPE html><html lang=en><title>News</title><body><header><img class=logo src=data:,x>\
             <button class=menu></button></header><nav>{links}</nav><main>{body}</main>\
             <footer><input class=newsletter></footer></body></html>"
        ))
    })
    .await;
    let scanner = ChromiumScanner::new(without_pictures()).unwrap();
    let before = scan(&scanner, &site.url("/"), 6).await;
    *newest.lock().unwrap() = 13;
    let after = scan(&scanner, &site.url("/"), 6).await;
    scanner.close().await;
    assert_eq!((before.totals().total(), after.totals().total()), (18, 18));
    let urls = |findings: &Findings| findings.pages.iter().map(|page| page.url.clone()).collect::<Vec<_>>();
    assert_ne!(urls(&before), urls(&after), "the budget lets other articles in");
    let (summary, _) = compared(&before, &after);
    assert_eq!(summary.new, 0, "{summary:?}");
}
