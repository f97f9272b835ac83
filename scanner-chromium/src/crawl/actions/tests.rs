//! Addresses of both kinds, as real sites write them.

use proptest::prelude::*;

use url::Url;

use super::{WithoutActions, is_action};
use crate::visit::Scope;

fn url(address: &str) -> Url {
    Url::parse("https://a.example").unwrap().join(address).unwrap()
}

#[test]
fn nobody_is_logged_out_by_a_check() {
    for address in [
        "/logout",
        "/#/logout",
        "/app#!/account/delete",
        "/log-out/",
        "/Account/LogOff",
        "/users/sign_out",
        "/signout.php?next=%2F",
        "/wp-login.php?action=logout&_wpnonce=1a2b3c4d5e",
        "/my-account/customer-logout/",
        "/index.php?route=account/logout",
        "/index.php?option=com_users&task=user.logout",
        "/ucp.php?mode=logout",
        "/?logout=1",
        "/support/logout",
        "/konto/abmelden",
        "/wyloguj-sie",
        "/uzivatel/odhl%C3%A1sit",
        "/%D0%B2%D0%B8%D0%B9%D1%82%D0%B8",
        "/vyhod/",
        "/cont/deconectare",
    ] {
        assert!(is_action(&url(address)), "{address}");
    }
}

#[test]
fn nothing_is_unsubscribed_deleted_or_confirmed_by_a_check() {
    for address in [
        "/unsubscribe",
        "/newsletter/unsubscribe?u=17",
        "/unsubscribe-from-newsletter",
        "/help/unsubscribe",
        "/newsletter-abmelden",
        "/newsletter/abbestellen",
        "/newsletter/wypisz-sie",
        "/vidpyska-vid-rozsylky",
        "/otpisatsya",
        "/newsletter/dezabonare",
        "/account/delete",
        "/delete-account",
        "/posts/12/delete",
        "/item/remove/12",
        "/profil/l%C3%B6schen",
        "/konto-loeschen",
        "/comments/usun/5",
        "/prispevek/smazat",
        "/%D1%83%D0%B4%D0%B0%D0%BB%D0%B8%D1%82%D1%8C",
        "/profil/sterge",
        "/list?action=delete&id=5",
        "/wiki/Page?action=purge",
        "/admin?do=deleteItem",
        "/x?delete=7",
        "/confirm",
        "/subscribe/confirm-email",
        "/newsletter/best%C3%A4tigen",
        "/email/potwierdz",
        "/support/tickets/12/confirm",
    ] {
        assert!(is_action(&url(address)), "{address}");
    }
}

#[test]
fn what_was_sent_to_one_person_is_left_alone() {
    for address in [
        "/reset-password/9f86d081884c7d659a2feaa0c55ad015",
        "/password/reset?email=jane%40example.org&token=abc",
        "/verify/550e8400-e29b-41d4-a716-446655440000",
        "/verify-email/123456",
        "/invite/aB3xY9kLmN",
        "/activate?key=4f2a9c1e77b1c9d2",
        "/aktywacja/4f2a9c1e77b1c9d2",
        "/login?magic=x",
        "/download?expires=1763791234&signature=9f86d081884c7d659a2feaa0c55ad015",
        "/page?access_token=abc",
        "/like?_wpnonce=1a2b3c4d5e",
        "/checkout?form_key=K2jdl",
    ] {
        assert!(is_action(&url(address)), "{address}");
    }
}

#[test]
fn no_cart_is_changed_by_a_check() {
    for address in [
        "/cart/add",
        "/cart/add/12",
        "/checkout/cart/add/uenc/aHR0/product/12/",
        "/cart/change?line=1&quantity=0",
        "/cart/36542:1,36543:2",
        "/basket/remove/3",
        "/cart/addProduct",
        "/cart/update-line/3",
        "/add-to-cart/7",
        "/shop?add-to-cart=7",
        "/shop/?ADD_TO_WISHLIST=7",
        "/cart/?remove_item=9a1158154dfa42caddbd0694a4e9bdc8",
        "/cart?add=1&id_product=5",
        "/index.php?controller=cart&delete=1",
        "/index.php?route=checkout/cart/add&product_id=5",
        "/?action=add_to_cart&id=1",
        "/wishlist/index/add/product/12/",
        "/catalog/product_compare/add/product/12",
        "/warenkorb/hinzuf%C3%BCgen/7",
        "/koszyk/dodaj/7",
        "/kosik/vlozit/7",
        "/korzina/dobavit/7",
        "/%D0%BA%D0%BE%D1%88%D0%B8%D0%BA/%D0%B4%D0%BE%D0%B4%D0%B0%D1%82%D0%B8/7",
        "/cos/adauga/7",
    ] {
        assert!(is_action(&url(address)), "{address}");
    }
}

#[test]
fn pages_about_it_and_the_carts_own_are_visited() {
    for address in [
        "/",
        "/cart",
        "/cart/",
        "/cart?step=2",
        "/checkout/cart/",
        "/warenkorb",
        "/koszyk/dostawa",
        "/wishlist",
        "/compare?ids=1,2",
        "/compare/buy-or-rent",
        "/compare/plus",
        "/shopping-cart-accessibility",
        "/collections/cart-covers",
        "/blog/how-to-delete-your-account",
        "/help/unsubscribe-from-newsletter",
        "/faq/delete-account",
        "/help/articles/how-do-i-confirm-my-email",
        "/2026/11/delete-account/",
        "/hilfe/newsletter-abmelden",
        "/pomoc/jak-usunac-konto",
        "/podpora/jak-smazat-ucet",
        "/spravka/kak-udalit-akkaunt",
        "/how-to-log-out-everywhere",
        "/delete-or-keep",
        "/tools/remove-background",
        "/confirmation-bias",
        "/order/confirmation",
        "/kuendigen",
        "/widerruf",
        "/login",
        "/register",
        "/password/reset",
        "/forgot-password",
        "/verify",
        "/activate/windows-11",
        "/invite-friends",
        "/token-economy",
        "/search?q=delete",
        "/search?q=unsubscribe+now",
        "/list?action=view&id=5",
        "/list?sort=price&page=2",
        "/list?page_token=CAUQAA",
        "/index.php?route=product/product&product_id=5",
        "/products/5f3c2a9b8d7e6f1a2b3c4d5e",
        "/p/550e8400-e29b-41d4-a716-446655440000",
        "/page?sid=9f86d081884c7d659a2feaa0c55ad015",
        "/page?v=9f86d081884c7d659a2feaa0c55ad015",
        "/offer?code=SUMMER26",
        "/a?key=design",
        "/addresses",
        "/addons/add-a-printer",
        "/vyhodnoceni",
        "/%D0%B2%D1%8B%D1%85%D0%BE%D0%B4-%D0%BA-%D0%BC%D0%BE%D1%80%D1%8E",
        "/log",
        "/sign",
        "/basketball/add-ons",
    ] {
        assert!(!is_action(&url(address)), "{address}");
    }
}

#[test]
fn a_redirect_may_bring_a_token_and_no_action() {
    #[derive(Debug)]
    struct Anywhere;
    impl Scope for Anywhere {
        fn contains(&self, _: &Url) -> bool {
            true
        }
    }
    let way = WithoutActions(Anywhere);
    for address in ["/login?state=x&nonce=9f86d081884c7d659a2feaa0c55ad015", "/", "/cart"] {
        assert!(way.contains(&url(address)), "{address}");
    }
    for address in ["/logout", "/cart/add/5", "/?action=delete"] {
        assert!(!way.contains(&url(address)), "{address}");
    }
}

proptest! {
    #[test]
    fn any_address_can_be_judged(path in ".{0,60}", query in ".{0,60}") {
        let mut url = url("/");
        url.set_path(&path);
        url.set_query(Some(&query));
        let _ = is_action(&url);
    }
}
