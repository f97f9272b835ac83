//! Platforms: the products that a site is built with, as short keys.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::bounded;

/// The key of a platform, for example `shopify`. Unknown keys are kept as they are, and are not an error: they result
/// in general tips.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
#[serde(transparent)]
pub struct PlatformKey(String);

impl PlatformKey {
    /// The greatest number of characters of a key.
    pub const MAX_LENGTH: usize = 40;

    /// Makes a key of a text, in lower case. U+0000 is removed, and the text is cut to [`MAX_LENGTH`](Self::MAX_LENGTH)
    /// characters.
    pub fn new(key: &str) -> Self {
        Self(bounded(&key.to_lowercase(), Self::MAX_LENGTH))
    }

    /// Returns the key as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns whether shops are built with the platform: "fixing tips follow the first shop platform" (contract §6.3).
    pub fn is_shop(&self) -> bool {
        const SHOPS: [&str; 10] = [
            "shopify",
            "woocommerce",
            "magento",
            "prestashop",
            "opencart",
            "shopware",
            "bigcommerce",
            "horoshop",
            "shoptet",
            "shoper",
        ];
        SHOPS.contains(&self.as_str())
    }

    /// Returns the name as its makers spell it; for an unknown key, the key itself.
    pub fn display_name(&self) -> &str {
        match self.as_str() {
            "shopify" => "Shopify",
            "woocommerce" => "WooCommerce",
            "wordpress" => "WordPress",
            "laravel" => "Laravel",
            "vue" => "Vue",
            "nuxt" => "Nuxt",
            "react" => "React",
            "next" => "Next.js",
            "angular" => "Angular",
            "svelte" => "Svelte",
            "magento" => "Magento",
            "prestashop" => "PrestaShop",
            "opencart" => "OpenCart",
            "wix" => "Wix",
            "squarespace" => "Squarespace",
            "drupal" => "Drupal",
            "joomla" => "Joomla",
            "typo3" => "TYPO3",
            "shopware" => "Shopware",
            "bigcommerce" => "BigCommerce",
            "webflow" => "Webflow",
            "ghost" => "Ghost",
            "bitrix" => "1C-Bitrix",
            "tilda" => "Tilda",
            "horoshop" => "Horoshop",
            "shoptet" => "Shoptet",
            "shoper" => "Shoper",
            other => other,
        }
    }
}

impl fmt::Display for PlatformKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Returns the platform that tips follow: the first shop platform, or else the first of all.
pub fn leading_platform(stack: &[PlatformKey]) -> Option<&PlatformKey> {
    stack.iter().find(|key| key.is_shop()).or_else(|| stack.first())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_bounded_in_lower_case() {
        assert_eq!(PlatformKey::new("Shop\0ware").as_str(), "shopware");
        // In lower case it is two characters.
        assert_eq!(PlatformKey::new(&"İ".repeat(40)).as_str().chars().count(), PlatformKey::MAX_LENGTH);
    }

    #[test]
    fn tips_follow_the_first_shop_platform() {
        let stack = ["wordpress", "WooCommerce", "shopify"].map(PlatformKey::new);
        assert_eq!(leading_platform(&stack).unwrap().as_str(), "woocommerce");
        assert_eq!(leading_platform(&stack[..1]).unwrap().as_str(), "wordpress");
        assert_eq!(leading_platform(&[]), None);
    }
}
