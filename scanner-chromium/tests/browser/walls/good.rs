//! Pages of live sites: sparse ones, and some that are about bot checks, maintenance and the like.

use crate::support::{Reply, page};

pub(super) struct Good {
    pub(super) path: &'static str,
    title: &'static str,
    /// The menu above it, as most pages have one.
    menu: Menu,
    body: &'static str,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Menu {
    Shown,
    None,
}

impl Good {
    pub(super) fn reply(&self) -> Reply {
        let menu = match self.menu {
            Menu::Shown => {
                "<ul><li><a href=/>Home</a></li><li><a href=/about>About</a></li><li><a href=/contact>Contact</a></li></ul>"
            }
            Menu::None => "",
        };
        Reply::Html(page(self.title, &format!("{menu}{}", self.body)))
    }
}

const fn good(path: &'static str, title: &'static str, body: &'static str) -> Good {
    Good { path, title, menu: Menu::Shown, body }
}

const fn bare(path: &'static str, title: &'static str, body: &'static str) -> Good {
    Good { path, title, menu: Menu::None, body }
}

pub(super) const GOOD: &[Good] = &[
    bare("/one-word", "Hello", "Hello"),
    bare("/empty", "Shop", ""),
    bare("/coming-soon", "Coming soon", "<p>We open in spring. Stay tuned!</p>"),
    bare(
        "/launch",
        "Something new is coming",
        "<p>Leave your address.</p><form><label>E-mail <input type=email></label><button>Send</button></form>",
    ),
    bare("/picture", "Picture", "<img alt='A lamp' width=600 height=400 src=data:,>"),
    bare("/card", "Jan Kowalski", "<p>Carpenter, Kraków. +48 12 000 00 00</p>"),
    bare("/thanks", "Thank you", "<p>Your order has arrived.</p>"),
    bare(
        "/login",
        "Sign in",
        "<form><label>Name <input autocomplete=username></label><label>Password <input type=password></label><button>Sign in</button></form>",
    ),
    bare(
        "/forgot",
        "Forgot password",
        "<form><label>E-mail <input type=email></label><div class=h-captcha></div><button>Send</button></form>",
    ),
    bare("/reveal", "Contact", "<p>Show the e-mail address:</p><div class=cf-turnstile></div><button>Show</button>"),
    bare("/status", "Status", "<p>Scheduled maintenance on Sunday from 2 to 4. All systems work.</p>"),
    bare("/good-bye", "Good bye", "<p>You will get no more letters from us.</p>"),
    bare("/refresh", "Clock", "<meta http-equiv=refresh content=600><p>It is ten past nine.</p>"),
    bare("/noindex", "Internal", "<meta name=robots content=noindex><p>For our employees.</p>"),
    bare("/offline", "Offline", "<p>This page works without a connection.</p>"),
    bare("/splash", "Enter", "<p><a href=/shop>Enter the shop</a></p>"),
    bare("/languages", "Choose", "<p><a href=/de>Deutsch</a> <a href=/pl>Polski</a> <a href=/uk>Українська</a></p>"),
    bare("/age", "Are you 18?", "<p>We sell wine.</p><button>Yes</button><button>No</button>"),
    bare("/canvas", "Game", "<canvas width=600 height=400></canvas><button>Start</button>"),
    bare("/frame", "Map", "<iframe title=Map srcdoc='<p>Map' width=600 height=400></iframe>"),
    bare("/captcha-demo", "Our captcha", "<p>Try it.</p><div class=g-recaptcha></div><button>Check</button>"),
    good(
        "/cloudflare-article",
        "What is a Cloudflare challenge?",
        "<p>“Just a moment…” and “Checking your browser before accessing” are what \
        visitors read when /cdn-cgi/challenge-platform/ decides whether they are people. Verify you are human, it says.</p>\
        <pre>window._cf_chl_opt = { cType: 'managed' }</pre>",
    ),
    bare(
        "/challenge-note",
        "“Verify you are human”: a note",
        "<p>Why do pages say “verify you are human”? Because bots do not answer.</p>",
    ),
    good(
        "/jsd",
        "Behind Cloudflare",
        "<p>Lamps</p><script src='/cdn-cgi/challenge-platform/scripts/jsd/main.js'></script>",
    ),
    good("/datadome-tag", "Behind DataDome", "<p>Chairs</p><script src='https://js.datadome.co/tags.js'></script>"),
    good("/imperva-tag", "Behind Imperva", "<p>Tables</p><script src='/_Incapsula_Resource?SWJIYLWA=1'></script>"),
    good("/aws-tag", "Behind AWS", "<p>Desks</p><script src='https://x.token.awswaf.com/x/challenge.js'></script>"),
    bare("/jsd-sparse", "Lamps", "<p>Lamps</p><script src='/cdn-cgi/challenge-platform/scripts/jsd/main.js'></script>"),
    bare(
        "/404-museum",
        "The 404 museum",
        "<p>Pages that were not found, and what they said: “404 – this page does not exist”.</p>",
    ),
    good("/search", "Search", "<p>Nothing found for “sofa”. The product you are looking for could not be found.</p>"),
    good("/empty-category", "Sofas", "<p>There are no products in this category.</p>"),
    good("/basket", "Basket", "<p>Your basket is empty.</p>"),
    good(
        "/error-codes",
        "Error codes",
        "<p>404 means that a page was not found, 503 that a site is under maintenance.</p>",
    ),
    good(
        "/domain-seller",
        "Names for you: domains for sale",
        "<p>Buy this domain or that one: each of ours is for sale.</p>\
        <a href='https://sedo.com/x'>Our offers at Sedo</a>",
    ),
    bare("/sold", "Our old name is for sale", "<p>We have moved. The domain lamps.example is for sale.</p>"),
    good("/parking", "Parking", "<p>Parking crew wanted: our car park has 40 places, the domain of Mr Bodis.</p>"),
    good(
        "/maintenance",
        "Maintenance of lamps",
        "<p>Lamps under maintenance are back soon. Wartungsarbeiten at your home.</p>",
    ),
    bare("/maintenance-firm", "Maintenance", "<p>We maintain your lamps.</p>"),
    good(
        "/cookie-policy",
        "Cookies",
        "<p>We use cookies. You can accept or refuse them.</p><button>Change my consent</button>",
    ),
    bare(
        "/cookie-shop",
        "Cookies",
        "<div class=cookie-shop><p>Fresh cookies, every day.</p><button>Order</button></div>",
    ),
    bare(
        "/consent-study",
        "Consent",
        "<div class=consent-form><p>I consent to take part in the study.</p><button>I agree</button></div>",
    ),
    good(
        "/banner",
        "Lamps",
        "<p>Twelve lamps</p><div id=onetrust-banner-sdk style='position:fixed;bottom:0;background:#eee'>\
        <p>We use cookies</p><button>Accept</button></div>",
    ),
    bare(
        "/word-and-banner",
        "Hello",
        "Hello<div id=CybotCookiebotDialog style='position:fixed;bottom:0;background:#eee'>\
        <p>We use cookies</p><button>OK</button></div>",
    ),
    good(
        "/dialog",
        "Lamps",
        "<p>Twelve lamps</p><div role=dialog aria-label=Letter style='position:fixed;bottom:0;background:#eee'>\
        <p>Subscribe?</p><button>No</button></div>",
    ),
];
