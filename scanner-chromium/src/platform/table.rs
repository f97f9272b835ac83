//! The marks of each platform: its public characteristics, as its documentation and its sites show them.

/// A platform and the marks that identify it.
#[derive(Debug)]
pub(super) struct Platform {
    pub(super) key: &'static str,
    /// The platforms that it is built on. They are reported too, whether their own marks are seen or not.
    pub(super) implies: &'static [&'static str],
    /// Each of these suffices.
    pub(super) strong: &'static [Mark],
    /// Two of these suffice.
    pub(super) weak: &'static [Mark],
}

/// One mark. Texts are compared without regard to letter case, except for selectors and globals.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mark {
    /// A header of the page's response, and a part of its value; any value if empty.
    Header(&'static str, &'static str),
    /// The beginning of a cookie's name.
    Cookie(&'static str),
    /// The beginning of the content of `<meta name="generator">`.
    Generator(&'static str),
    /// A part of the path of a script, style sheet or picture that comes from the site itself.
    Path(&'static str),
    /// The host, or a name above it, of a script, style sheet or picture.
    Host(&'static str),
    /// A CSS selector with a match on the page.
    Selector(&'static str),
    /// A JavaScript expression that is true on the page.
    Global(&'static str),
}

use Mark::{Cookie, Generator, Global, Header, Host, Path, Selector};

/// Returns whether a header, by its name in lower case, is among the marks of a platform.
pub(crate) fn reads_header(name: &str) -> bool {
    let marks = || PLATFORMS.iter().flat_map(|platform| platform.strong.iter().chain(platform.weak));
    marks().any(|mark| matches!(mark, Header(known, _) if *known == name))
}

/// The platforms: shops first, then other platforms for whole sites, then what programmers build with. Fixing tips
/// follow the first that is found, and those further up can say more exactly where to click.
pub(super) const PLATFORMS: &[Platform] = &[
    Platform {
        key: "shopify",
        implies: &[],
        strong: &[
            Global("typeof Shopify.shop === 'string' || typeof Shopify.theme === 'object'"),
            Header("x-shopid", ""),
            Header("x-shopify-stage", ""),
            Header("powered-by", "shopify"),
            Path("/cdn/shop/"),
            Selector("script[src*='cdn.shopify.com/shopifycloud/']"),
        ],
        weak: &[Host("cdn.shopify.com"), Cookie("_shopify_y"), Cookie("_shopify_s")],
    },
    Platform {
        key: "woocommerce",
        implies: &["wordpress"],
        strong: &[
            Generator("WooCommerce"),
            Global("typeof wc_add_to_cart_params === 'object'"),
            Global("typeof woocommerce_params === 'object'"),
            Selector("body.woocommerce, body.woocommerce-page, body.woocommerce-no-js, body.woocommerce-js"),
        ],
        weak: &[Path("/plugins/woocommerce/"), Cookie("woocommerce_"), Cookie("wp_woocommerce_session_")],
    },
    Platform {
        key: "magento",
        implies: &[],
        strong: &[
            Selector("script[type='text/x-magento-init'], [data-mage-init]"),
            Header("x-magento-cache-debug", ""),
            Header("x-magento-tags", ""),
            Header("x-magento-vary", ""),
        ],
        weak: &[
            Path("/frontend/magento/"),
            Path("/skin/frontend/"),
            Cookie("mage-"),
            Global("typeof Mage === 'object' || typeof Mage === 'function'"),
        ],
    },
    Platform {
        key: "prestashop",
        implies: &[],
        strong: &[
            Global("typeof prestashop === 'object' && typeof prestashop.emit === 'function'"),
            Generator("PrestaShop"),
            Header("powered-by", "prestashop"),
        ],
        weak: &[Path("/modules/ps_"), Cookie("PrestaShop-"), Selector("body[id='index'] [id^='_desktop_']")],
    },
    Platform {
        key: "opencart",
        implies: &[],
        strong: &[Cookie("OCSESSID"), Generator("OpenCart")],
        weak: &[
            Selector("a[href*='route=common/home'], a[href*='route=product/'], a[href*='route=account/']"),
            Path("/catalog/view/theme/"),
            Path("/catalog/view/javascript/"),
        ],
    },
    Platform {
        key: "shopware",
        implies: &[],
        strong: &[Selector("meta[name='application-name'][content='Shopware']"), Header("sw-version-id", "")],
        weak: &[
            Path("/bundles/storefront/"),
            Header("sw-context-token", ""),
            Header("sw-invalidation-states", ""),
            Cookie("sw-"),
            Selector("script[src*='/js/storefront/']"),
        ],
    },
    Platform {
        key: "bigcommerce",
        implies: &[],
        strong: &[Host("cdn11.bigcommerce.com"), Global("typeof BCData === 'object'")],
        weak: &[Cookie("SHOP_SESSION_TOKEN"), Cookie("fornax_anonymousId")],
    },
    Platform {
        key: "horoshop",
        implies: &[],
        strong: &[
            Global("Object.keys(window).some((name) => name.startsWith('Horoshop'))"),
            Generator("Horoshop"),
            Host("horoshop.ua"),
        ],
        weak: &[],
    },
    Platform {
        key: "shoptet",
        implies: &[],
        strong: &[
            Host("cdn.myshoptet.com"),
            Global("typeof shoptet === 'object' && typeof shoptet.config === 'object'"),
            Generator("Shoptet"),
        ],
        weak: &[],
    },
    Platform {
        key: "shoper",
        implies: &[],
        strong: &[Global("typeof shoper === 'object' || typeof Shoper === 'object'"), Generator("Shoper")],
        weak: &[],
    },
    Platform {
        key: "wix",
        implies: &[],
        strong: &[Generator("Wix.com"), Header("x-wix-request-id", ""), Global("typeof wixBiSession === 'object'")],
        weak: &[Host("static.wixstatic.com"), Host("static.parastorage.com")],
    },
    Platform {
        key: "squarespace",
        implies: &[],
        strong: &[
            Global("typeof Static.SQUARESPACE_CONTEXT === 'object'"),
            Header("server", "squarespace"),
            Generator("Squarespace"),
        ],
        weak: &[Host("static1.squarespace.com"), Host("assets.squarespace.com")],
    },
    Platform {
        key: "webflow",
        implies: &[],
        strong: &[Selector("html[data-wf-site]"), Generator("Webflow")],
        weak: &[Host("website-files.com"), Global("typeof Webflow === 'object' || typeof Webflow === 'function'")],
    },
    Platform {
        key: "tilda",
        implies: &[],
        strong: &[
            Generator("Tilda"),
            Selector("#allrecords[data-tilda-project-id], [data-tilda-page-id]"),
            Host("tildacdn.com"),
            Host("tildacdn.one"),
        ],
        weak: &[],
    },
    Platform {
        key: "bitrix",
        implies: &[],
        strong: &[Header("x-powered-cms", "bitrix"), Cookie("BITRIX_SM_"), Path("/bitrix/")],
        weak: &[],
    },
    Platform {
        key: "wordpress",
        implies: &[],
        strong: &[
            Generator("WordPress"),
            Path("/wp-content/"),
            Path("/wp-includes/"),
            Header("link", "api.w.org"),
            Selector("link[rel='https://api.w.org/']"),
        ],
        weak: &[Header("x-pingback", "xmlrpc.php"), Selector("[class*='wp-block-']"), Cookie("wordpress_")],
    },
    Platform {
        key: "drupal",
        implies: &[],
        strong: &[
            Generator("Drupal"),
            Header("x-generator", "drupal"),
            Header("x-drupal-cache", ""),
            Header("x-drupal-dynamic-cache", ""),
            Selector("[data-drupal-selector]"),
        ],
        weak: &[Path("/sites/default/files/"), Global("typeof Drupal === 'object'"), Path("/core/themes/")],
    },
    Platform {
        key: "joomla",
        implies: &[],
        strong: &[Generator("Joomla"), Selector("script.joomla-script-options")],
        weak: &[
            Path("/media/system/js/"),
            Path("/media/vendor/joomla"),
            Global("typeof Joomla === 'object'"),
            Selector("a[href*='option=com_']"),
        ],
    },
    Platform {
        key: "typo3",
        implies: &[],
        strong: &[Generator("TYPO3"), Path("/typo3temp/"), Path("/typo3conf/")],
        weak: &[],
    },
    Platform { key: "ghost", implies: &[], strong: &[Generator("Ghost")], weak: &[] },
    Platform {
        key: "laravel",
        implies: &[],
        strong: &[Cookie("laravel_session")],
        weak: &[
            Cookie("XSRF-TOKEN"),
            Selector("meta[name='csrf-token']"),
            Global("typeof Laravel === 'object'"),
            // Livewire, which runs only on Laravel.
            Selector("[wire\\:id]"),
            Path("/vendor/livewire/"),
        ],
    },
    Platform {
        key: "next",
        implies: &["react"],
        strong: &[
            Global("typeof __NEXT_DATA__ === 'object' || typeof __next_f === 'object'"),
            Selector("script#__NEXT_DATA__"),
            Path("/_next/static/"),
        ],
        weak: &[Header("x-powered-by", "next.js"), Selector("#__next")],
    },
    Platform {
        key: "nuxt",
        implies: &["vue"],
        strong: &[Global("typeof __NUXT__ === 'object'"), Selector("#__nuxt, #__NUXT_DATA__"), Path("/_nuxt/")],
        weak: &[Header("x-powered-by", "nuxt")],
    },
    Platform {
        key: "angular",
        implies: &[],
        strong: &[Selector("[ng-version]"), Global("typeof getAllAngularRootElements === 'function'")],
        weak: &[],
    },
    Platform {
        key: "svelte",
        implies: &[],
        strong: &[Selector("[data-sveltekit-preload-data], [data-sveltekit-hydrate], [data-sveltekit-preload-code]")],
        weak: &[
            Selector("[class^='svelte-'], [class*=' svelte-']"),
            Path("/_app/immutable/"),
            Global("typeof __svelte === 'object'"),
        ],
    },
    Platform {
        key: "react",
        implies: &[],
        strong: &[
            Global(
                "[document.body, ...document.body.children].some((element) => Object.keys(element)\
                 .some((name) => /^(_reactRootContainer$|__reactContainer)/.test(name)))",
            ),
            Selector("[data-reactroot], [data-reactid]"),
        ],
        weak: &[],
    },
    Platform {
        key: "vue",
        implies: &[],
        strong: &[
            Global("__VUE__ === true"),
            Global("[...document.body.children].some((element) => '__vue_app__' in element || '__vue__' in element)"),
            Selector("[data-v-app]"),
        ],
        weak: &[
            Selector("script[src*='/vue.'], script[src*='/vue@'], script[src*='/vue/dist/']"),
            Selector("[v-cloak]"),
        ],
    },
];
