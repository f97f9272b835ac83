//! Platforms: what a site is built with, as short keys.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The key of a platform, for example `shopify`. Unknown keys are kept as they are: they earn general tips, not an error.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PlatformKey(String);

impl PlatformKey {
    /// Characters of a key.
    pub const MAX_LENGTH: usize = 40;

    /// Takes a key; letter case does not matter.
    pub fn new(key: &str) -> Self {
        Self(key.to_lowercase())
    }

    /// The key.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether shops are built with it: "fixing tips follow the first shop platform" (contract, "Body of POST /sites").
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

    /// The name as its makers spell it; an unknown key stands for itself.
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

/// The one platform that tips follow: the first shop platform, else the first of all.
pub fn leading_platform(stack: &[PlatformKey]) -> Option<&PlatformKey> {
    stack.iter().find(|key| key.is_shop()).or_else(|| stack.first())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tips_follow_the_first_shop_platform() {
        let stack = ["wordpress", "WooCommerce", "shopify"].map(PlatformKey::new);
        assert_eq!(leading_platform(&stack).unwrap().as_str(), "woocommerce");
        assert_eq!(leading_platform(&stack[..1]).unwrap().as_str(), "wordpress");
        assert_eq!(leading_platform(&[]), None);
    }
}
