//! The user agent: the name under which sites see the scanner. It also tells their owners what to do.

use url::Url;

/// The product token that sites use for the scanner, in robots.txt or in the rules of their protection.
pub(crate) const PRODUCT_TOKEN: &str = "a11ycheck";

/// The variable part of the user agent, besides the product and its version.
#[derive(Debug, Clone, Default)]
pub(crate) struct Agent {
    contact: Option<Url>,
}

impl Agent {
    /// Returns an agent that names a page for owners of sites, if there is one.
    pub(crate) const fn new(contact: Option<Url>) -> Self {
        Self { contact }
    }

    /// Returns the browser's own user agent with our name added, so that site owners see who visits them.
    pub(crate) fn of_browser(&self, own: &str) -> String {
        format!("{} {PRODUCT_TOKEN}/{} ({})", own.replace("HeadlessChrome/", "Chrome/"), version(), self.comment())
    }

    /// Returns the user agent of the crawler, whichever network stack sends its requests.
    pub(crate) fn of_crawler(&self) -> String {
        format!("Mozilla/5.0 (compatible; {PRODUCT_TOKEN}/{}; {})", version(), self.comment())
    }

    /// Returns the comment of the user agent: its purpose, and how to admit or block it.
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
