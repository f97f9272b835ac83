//! The name under which sites see us, and which tells their owners what to do.

use url::Url;

/// The product token by which a site names us, in its robots.txt or in the rules of its protection.
pub(crate) const PRODUCT_TOKEN: &str = "a11ycheck";

/// What the name says besides the product.
#[derive(Debug, Clone, Default)]
pub(crate) struct Agent {
    contact: Option<Url>,
}

impl Agent {
    /// An agent that names a page for owners of sites.
    pub(crate) const fn new(contact: Option<Url>) -> Self {
        Self { contact }
    }

    /// The browser's own user agent under our name, so that site owners see who visits them.
    pub(crate) fn of_browser(&self, own: &str) -> String {
        format!("{} {PRODUCT_TOKEN}/{} ({})", own.replace("HeadlessChrome/", "Chrome/"), version(), self.comment())
    }

    /// The user agent of the crawler, whichever stack asks.
    pub(crate) fn of_crawler(&self) -> String {
        format!("Mozilla/5.0 (compatible; {PRODUCT_TOKEN}/{}; {})", version(), self.comment())
    }

    /// Who comes, and how to let it in or keep it out.
    fn comment(&self) -> String {
        match &self.contact {
            Some(contact) => format!("accessibility check; +{contact}"),
            None => format!("accessibility check; allow or refuse {PRODUCT_TOKEN} in robots.txt or firewall"),
        }
    }
}

const fn version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn owners_learn_who_visits_them_and_what_to_do_about_it() {
        let chrome = "Mozilla/5.0 (X11; Linux x86_64) HeadlessChrome/156.0.0.0 Safari/537.36";
        let agent = Agent::default();
        for name in [agent.of_browser(chrome), agent.of_crawler()] {
            assert!(name.contains(" a11ycheck/") && name.contains("allow or refuse a11ycheck in robots.txt"), "{name}");
            assert!(!name.contains("Headless"), "{name}");
        }
        let agent = Agent::new(Some(Url::parse("https://checks.example/about").unwrap()));
        for name in [agent.of_browser(chrome), agent.of_crawler()] {
            assert!(name.ends_with("; +https://checks.example/about)"), "{name}");
        }
    }
}
