//! The input for adding a site, in types.

use super::{FieldErrors, PlatformKey, Problem, SiteDetails, SiteName, SiteUrl, SiteUrlError, StandardId, Tag};
use crate::locale::Locale;

/// A site that is to be added, as a host program writes it.
///
/// ```
/// use a11ycheck_core::{domain::{SiteInput, Tag}, locale::Locale};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let site = SiteInput::parse("shop.example.com")?.with_report_locale(Locale::De).with_tags([Tag::new("shops")?]);
/// assert_eq!(site.url().as_str(), "https://shop.example.com/");
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SiteInput {
    url: SiteUrl,
    name: Option<SiteName>,
    report_locale: Locale,
    platform: Option<PlatformKey>,
    stack: Vec<PlatformKey>,
    tags: Vec<Tag>,
    standard: Option<StandardId>,
    has_first_scan: bool,
}

impl SiteInput {
    /// The greatest number of platforms in a stack (contract §6.3).
    pub const MAX_STACK: usize = 8;
    /// The greatest number of tags (contract §6.3).
    pub const MAX_TAGS: usize = 10;

    /// Takes an address. By default reports are in English, and the first check is queued when the site is added.
    pub const fn new(url: SiteUrl) -> Self {
        Self {
            url,
            name: None,
            report_locale: Locale::En,
            platform: None,
            stack: Vec::new(),
            tags: Vec::new(),
            standard: None,
            has_first_scan: true,
        }
    }

    /// Takes an address as a person types it, and otherwise does what [`new`](Self::new) does.
    ///
    /// # Errors
    /// Returns [`SiteUrlError`] as [`SiteUrl::typed`] does.
    pub fn parse(url: &str) -> Result<Self, SiteUrlError> {
        SiteUrl::typed(url).map(Self::new)
    }

    /// Gives the site a name for people.
    #[must_use]
    pub fn with_name(self, name: SiteName) -> Self {
        Self { name: Some(name), ..self }
    }

    /// Sets the language of the site's reports.
    #[must_use]
    pub fn with_report_locale(self, report_locale: Locale) -> Self {
        Self { report_locale, ..self }
    }

    /// Sets the platform that the site is built with, in the older form of [`with_stack`](Self::with_stack). If both
    /// are set, this one comes first, in addition to up to eight others.
    #[must_use]
    pub fn with_platform(self, platform: PlatformKey) -> Self {
        Self { platform: Some(platform), ..self }
    }

    /// Sets the platforms that the site is built with, at most [`MAX_STACK`](Self::MAX_STACK) before duplicates are
    /// removed.
    #[must_use]
    pub fn with_stack(self, stack: impl IntoIterator<Item = PlatformKey>) -> Self {
        Self { stack: stack.into_iter().collect(), ..self }
    }

    /// Sets the tags of the site, at most [`MAX_TAGS`](Self::MAX_TAGS) before duplicates are removed.
    #[must_use]
    pub fn with_tags(self, tags: impl IntoIterator<Item = Tag>) -> Self {
        Self { tags: tags.into_iter().collect(), ..self }
    }

    /// Sets the standard against which the site is checked; without it, the operator's choice for all sites holds.
    #[must_use]
    pub fn with_standard(self, standard: StandardId) -> Self {
        Self { standard: Some(standard), ..self }
    }

    /// Leaves the first check to the schedule: none is queued when the site is added.
    #[must_use]
    pub fn without_first_scan(self) -> Self {
        Self { has_first_scan: false, ..self }
    }

    /// Returns the address.
    pub const fn url(&self) -> &SiteUrl {
        &self.url
    }

    /// Returns whether a check is queued when the site is added.
    pub const fn has_first_scan(&self) -> bool {
        self.has_first_scan
    }

    /// Returns the site as it is stored. Whether the address is public is judged elsewhere, because that takes a
    /// look-up.
    ///
    /// # Errors
    /// Returns the fields that contain too many items.
    pub fn into_details(self) -> Result<SiteDetails, FieldErrors> {
        let Self { url, name, report_locale, platform, stack, tags, standard, has_first_scan: _ } = self;
        let mut errors = FieldErrors::default();
        if stack.len() > Self::MAX_STACK {
            errors.add("stack", Problem::TooMany(Self::MAX_STACK));
        }
        if tags.len() > Self::MAX_TAGS {
            errors.add("tags", Problem::TooMany(Self::MAX_TAGS));
        }
        if !errors.is_empty() {
            return Err(errors);
        }
        let stack = each_once(platform.iter().cloned().chain(stack));
        let tags = each_once(tags.into_iter().map(String::from));
        Ok(SiteDetails { url, name: name.map(String::from), report_locale, platform, stack, tags, standard })
    }
}

fn each_once<T: PartialEq>(items: impl IntoIterator<Item = T>) -> Vec<T> {
    items.into_iter().fold(Vec::new(), |mut seen, item| {
        if !seen.contains(&item) {
            seen.push(item);
        }
        seen
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_that_is_too_long_is_refused_with_its_field() {
        let tags = (0..11).map(|number| Tag::new(&number.to_string()).unwrap());
        let stack = (0..9).map(|number| PlatformKey::new(&number.to_string()));
        let input = SiteInput::parse("a.example").unwrap().with_tags(tags).with_stack(stack);
        let errors = input.into_details().unwrap_err();
        assert_eq!(errors.to_string(), "stack: has more than 8 items; tags: has more than 10 items");
    }

    #[test]
    fn the_platform_of_the_older_form_leads_the_stack() {
        let keys = ["shopify", "vue", "vue"].map(PlatformKey::new);
        let input = SiteInput::parse("a.example").unwrap().with_stack(keys).with_platform(PlatformKey::new("Vue"));
        let stack = input.into_details().unwrap().stack;
        assert_eq!(stack.iter().map(PlatformKey::as_str).collect::<Vec<_>>(), ["vue", "shopify"]);
    }
}
