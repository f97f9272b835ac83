//! The recognition of what a site is built with, from pages as the platforms make them.

use a11ycheck_core::domain::Findings;
use a11ycheck_scanner_chromium::ChromiumScanner;

use crate::support::{Reply, Site, page, scan, without_pictures};

/// The expected platforms, header lines, and the content of `head` and `body`. Assets need not exist.
type Fixture = (&'static [&'static str], &'static str, &'static str, &'static str);

const FIXTURES: &[Fixture] = &[
    (
        &["shopify"],
        "X-ShopId: 12345\r\n",
        "<script>var Shopify = { shop: 'x.myshopify.com', theme: { name: 'Dawn' } };</script>",
        "<img alt='' src='/cdn/shop/files/a.png'>",
    ),
    (
        &["woocommerce", "wordpress"],
        "",
        "<meta name=generator content='WooCommerce 9.4.1'><link rel=stylesheet href='/wp-content/themes/storefront/style.css'>",
        "<script>var wc_add_to_cart_params = {};</script>",
    ),
    (
        &["magento"],
        "",
        "<script type='text/x-magento-init'>{\"*\": {}}</script>",
        "<script src='/static/version17/frontend/Magento/luma/en_US/require.js'></script>",
    ),
    (
        &["prestashop"],
        "Set-Cookie: PrestaShop-abc=1; HttpOnly\r\n",
        "<script src='/modules/ps_shoppingcart/ps_shoppingcart.js'></script>",
        "",
    ),
    (
        &["opencart"],
        "Set-Cookie: OCSESSID=1; HttpOnly\r\n",
        "<link rel=stylesheet href='/catalog/view/javascript/bootstrap.css'>",
        "<a href='/index.php?route=common/home'>Home</a>",
    ),
    (&["shopware"], "", "<meta name='application-name' content='Shopware'>", ""),
    (&["bigcommerce"], "", "<script>var BCData = {};</script>", ""),
    (&["horoshop"], "", "<script>var HoroshopSettings = {};</script>", ""),
    (&["shoptet"], "", "<script>var shoptet = { config: {} };</script>", ""),
    (&["shoper"], "", "<script>var Shoper = {};</script>", ""),
    (&["wix"], "X-Wix-Request-Id: 1.2\r\n", "<meta name=generator content='Wix.com Website Builder'>", ""),
    (&["squarespace"], "Server: Squarespace\r\n", "<script>Static = { SQUARESPACE_CONTEXT: {} };</script>", ""),
    (&["webflow"], "", "<meta name=generator content='Webflow'>", ""),
    (&["tilda"], "", "", "<div id=allrecords data-tilda-project-id=1>x</div>"),
    (&["bitrix"], "X-Powered-CMS: Bitrix Site Manager\r\n", "", "<img alt='' src='/bitrix/images/a.png'>"),
    (
        &["wordpress"],
        "Link: <https://a.example/wp-json/>; rel=\"https://api.w.org/\"\r\n",
        "<meta name=generator content='WordPress 6.8'>",
        "<p class='wp-block-paragraph'>x</p>",
    ),
    (&["drupal"], "X-Generator: Drupal 11 (https://www.drupal.org)\r\n", "", "<p data-drupal-selector=x>x</p>"),
    (
        &["joomla"],
        "",
        "<meta name=generator content='Joomla! - Open Source Content Management'>",
        "<script type='application/json' class='joomla-script-options new'>{}</script>",
    ),
    (&["typo3"], "", "<meta name=generator content='TYPO3 CMS'>", "<img alt='' src='/typo3temp/a.png'>"),
    (
        &["ghost"],
        "",
        "<meta name=generator content='Ghost 5.9'>",
        "<svg><script src=x></script><link rel=stylesheet href=x></link></svg>",
    ),
    (&["laravel"], "Set-Cookie: laravel_session=1; HttpOnly\r\n", "<meta name=csrf-token content=x>", ""),
    (&["laravel"], "Set-Cookie: XSRF-TOKEN=1\r\n", "<meta name=csrf-token content=x>", ""),
    (&["next", "react"], "", "", "<div id=__next>x</div><script id=__NEXT_DATA__ type='application/json'>{}</script>"),
    (&["nuxt", "vue"], "", "", "<div id=__nuxt data-v-app>x</div><script>window.__NUXT__ = {};</script>"),
    (&["angular"], "", "", "<app-root ng-version='19.0.1'>x</app-root>"),
    (&["svelte"], "", "", "<div data-sveltekit-preload-data=hover class='svelte-1abc'>x</div>"),
    (&["react"], "", "", "<script>document.body['__reactContainer$abc'] = {};</script>"),
    (&["vue"], "", "", "<div id=app>x</div><script>document.querySelector('main').__vue_app__ = {};</script>"),
    (&["wordpress", "vue"], "", "<script src='/wp-content/x.js'></script>", "<div data-v-app>x</div>"),
    // Plain pages, and pages that only mention a platform or borrow a picture from one.
    (&[], "", "", "We moved from WordPress to Shopify. <a href='https://b.test/wp-content/x'>x</a>"),
    (&[], "", "<meta name=csrf-token content=x>", "<img alt='' src='http://b.test/wp-content/x.png'>"),
    // Pages that try to mislead the reading of their variables, or to keep it busy.
    (&[], "", "", "<script>Object.defineProperty(window, 'Shopify', { get() { throw new Error('no'); } });</script>"),
    (&[], "", "", "<script>Object.keys = () => { for (;;); };</script>"),
    (&[], "", "", "<script>Array.prototype.some = () => ({ valueOf() { return 'x'.repeat(1e6); } }).x;</script>"),
];

fn stack(findings: &Findings) -> Vec<&str> {
    findings.stack.iter().map(a11ycheck_core::domain::PlatformKey::as_str).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn owners_get_tips_for_the_platform_that_their_pages_show() {
    let site = Site::start(|request| {
        let number = request.path[1..].split('/').next().and_then(|number| number.parse::<usize>().ok());
        let Some((_, headers, head, body)) = number.and_then(|number| FIXTURES.get(number)) else {
            return Reply::Status(404, String::new());
        };
        let html = page("Fixture", body).replace("</head>", &format!("{head}</head>"));
        Reply::Whole(200, format!("Content-Type: text/html\r\n{headers}"), html.into())
    })
    .await;
    let scanner = ChromiumScanner::new(without_pictures()).unwrap();
    for (number, (expected, ..)) in FIXTURES.iter().enumerate() {
        let findings = scan(&scanner, &site.url(&format!("/{number}")), 1).await;
        assert_eq!(stack(&findings), *expected, "{:?}", FIXTURES[number]);
    }
    scanner.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_platform_that_only_a_later_page_shows_is_found_too() {
    let site = Site::start(|request| match request.path.as_str() {
        "/" => Reply::Html(page("Home", "<a href=/shop>Shop</a>")),
        path => Reply::Html(page(path, "<script>var woocommerce_params = {};</script>")),
    })
    .await;
    let scanner = ChromiumScanner::new(without_pictures()).unwrap();
    let findings = scan(&scanner, &site.url("/"), 2).await;
    scanner.close().await;
    assert_eq!(stack(&findings), ["woocommerce", "wordpress"]);
}
