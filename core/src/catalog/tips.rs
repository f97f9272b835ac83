//! Advice for one platform: the place in it where a problem is fixed.

use std::collections::BTreeMap;

use super::language::Language;
use crate::locale::Locale;

/// The platforms with tips, by their keys in a site's `stack`.
pub const PLATFORMS: [&str; 5] = ["shopify", "woocommerce", "wordpress", "laravel", "vue"];

/// Returns the tip for the rule with this id on the platform with this key; `None` if there is no tip.
pub fn tip(rule: &str, platform: &str, locale: Locale) -> Option<&'static str> {
    Language::of(locale).tips.get(rule)?.get(platform).map(String::as_str)
}

/// A file of tips: rule, platform, text.
pub(super) type TipFile = BTreeMap<String, BTreeMap<String, String>>;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::rule;

    #[test]
    fn the_frequent_rules_have_a_tip_for_every_platform() {
        for locale in Locale::ALL {
            let tips = &Language::of(locale).tips;
            assert!(tips.len() >= 25, "{locale}: {}", tips.len());
            for (id, platforms) in tips {
                assert!(rule(id).is_some(), "{locale}: no rule {id}");
                for platform in PLATFORMS {
                    assert!(platforms.contains_key(platform), "{locale}: {id} has no tip for {platform}");
                }
                assert_eq!(platforms.len(), PLATFORMS.len(), "{locale}: {id} has a tip for an unknown platform");
            }
        }
    }

    #[test]
    fn no_tip_is_made_up_for_other_platforms_or_rules() {
        assert!(tip("image-alt", "shopify", Locale::En).is_some());
        assert_eq!(tip("image-alt", "geocities", Locale::En), None);
        assert_eq!(tip("a-rule-of-tomorrow", "shopify", Locale::En), None);
    }
}
