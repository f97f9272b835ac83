//! Words by which addresses say what they do, in the languages of our users and in English.
//!
//! Folded as [`words`](super::words) folds them: in small letters, without accents, and joined where an address writes them apart.
//! Cyrillic words are listed as they are written, and in Latin letters as sites spell them in addresses.

/// Ends a visitor's session.
pub(super) const LEAVE: &[&str] = &[
    "logout",
    "logoff",
    "signout",
    "signoff",
    "endsession", // en
    "abmelden",
    "ausloggen", // de
    "wyloguj",
    "wylogowanie",
    "wylogujsie", // pl
    "odhlasit",
    "odhlaseni",
    "odhlasitse", // cs
    "вийти",
    "вихід",
    "vyity",
    "vyyty",
    "vyhid",
    "vykhid", // uk
    "выйти",
    "выход",
    "vyiti",
    "vyjti",
    "vyhod",
    "vykhod", // ru
    "deconectare",
    "deconecteaza",
    "delogare", // ro
];

/// Takes somebody off a list.
pub(super) const UNSUBSCRIBE: &[&str] = &[
    "unsubscribe",
    "unsub", // en
    "abmelden",
    "abbestellen",
    "abmeldung",
    "austragen",
    "newsletterabmeldung", // de
    "wypisz",
    "wypiszsie",
    "odsubskrybuj", // pl
    "odhlasit",
    "odhlaseni",
    "odhlasitse",
    "odhlasitodber", // cs
    "відписатися",
    "відписка",
    "відписатись",
    "vidpysatysya",
    "vidpyska", // uk
    "отписаться",
    "отписка",
    "otpisatsya",
    "otpiska", // ru
    "dezabonare",
    "dezaboneaza",
    "dezabonarenewsletter", // ro
];

/// Deletes something.
pub(super) const DELETE: &[&str] = &[
    "delete",
    "remove",
    "destroy", // en
    "loeschen",
    "loschen",
    "entfernen", // de
    "usun",
    "skasuj", // pl
    "smazat",
    "odstranit",
    "vymazat",
    "odebrat", // cs
    "видалити",
    "vydalyty", // uk
    "удалить",
    "udalit", // ru
    "sterge",
    "stergere",
    "elimina", // ro
];

/// Confirms something that somebody was asked by mail, or agrees to it.
pub(super) const CONFIRM: &[&str] = &[
    "confirm",
    "approve", // en
    "bestatigen",
    "bestaetigen", // de
    "potwierdz",   // pl
    "potvrdit",    // cs
    "підтвердити",
    "pidtverdyty",
    "pidtverdyty", // uk
    "подтвердить",
    "podtverdit", // ru
    "confirma",   // ro
];

/// Beside a token, these make a link that was sent to one person.
pub(super) const PERSONAL: &[&str] = &[
    "accept",
    "activate",
    "activation",
    "autologin",
    "confirmation",
    "forgot",
    "invitation",
    "invite",
    "magic",
    "magiclink",
    "onetime",
    "optin",
    "optout",
    "password",
    "recover",
    "recovery",
    "reset",
    "restore",
    "setpassword",
    "token",
    "validate",
    "validation",
    "verification",
    "verify", // en
    "aktivieren",
    "aktivierung",
    "bestatigung",
    "bestaetigung",
    "einladung",
    "passwort",
    "zurucksetzen",
    "zuruecksetzen", // de
    "aktywacja",
    "aktywuj",
    "haslo",
    "hasla",
    "potwierdzenie",
    "weryfikacja",
    "zaproszenie", // pl
    "aktivace",
    "heslo",
    "hesla",
    "overeni",
    "potvrzeni",
    "pozvanka", // cs
    "активація",
    "активувати",
    "запрошення",
    "пароль",
    "пароля",
    "підтвердження",
    "aktyvatsiya",
    "parol",
    "pidtverdzhennya", // uk
    "активация",
    "активировать",
    "подтверждение",
    "приглашение",
    "aktivatsiya",
    "podtverzhdenie",
    "priglashenie", // ru
    "activare",
    "activeaza",
    "confirmare",
    "invitatie",
    "parola",
    "resetare",
    "verificare", // ro
];

/// Where things are gathered that a visitor wants.
pub(super) const CARTS: &[&str] = &[
    "cart",
    "basket",
    "bag",
    "minicart",
    "shoppingcart",
    "shoppingbasket",
    "shoppingbag",
    "wishlist",
    "compare",
    "comparison",
    "productcompare",
    "favorites",
    "favourites", // en
    "warenkorb",
    "merkzettel",
    "merkliste",
    "wunschliste",
    "vergleichsliste", // de
    "koszyk",
    "schowek",
    "ulubione",
    "porownywarka", // pl
    "kosik",
    "oblibene",
    "porovnani", // cs
    "кошик",
    "обране",
    "порівняння",
    "koshyk",
    "obrane",
    "porivnyannya", // uk
    "корзина",
    "избранное",
    "сравнение",
    "korzina",
    "izbrannoe",
    "sravnenie", // ru
    "cos",
    "cosul",
    "cosdecumparaturi",
    "cosulmeu",
    "favorite",
    "comparare", // ro
];

/// The first words of what changes a cart.
pub(super) const CHANGES: &[&str] = &[
    "add",
    "apply",
    "buy",
    "change",
    "clear",
    "decrease",
    "empty",
    "increase",
    "insert",
    "minus",
    "move",
    "plus",
    "put",
    "remove",
    "set",
    "toggle",
    "update", // en
    "einlegen",
    "hinzufugen",
    "hinzufuegen",
    "leeren", // de
    "dodaj",
    "oproznij",
    "wyczysc", // pl
    "pridat",
    "vlozit",
    "vysypat", // cs
    "додати",
    "додай",
    "очистити",
    "dodaty",
    "ochystyty", // uk
    "добавить",
    "очистить",
    "dobavit",
    "ochistit", // ru
    "adauga",
    "goleste", // ro
];

/// The same with the cart in one name.
pub(super) const CART_PHRASES: &[&str] = &[
    "addtobag",
    "addtobasket",
    "addtocart",
    "addtocompare",
    "addtofavorites",
    "addtofavourites",
    "addtowishlist",
    "cartadd",
    "emptycart",
    "clearcart",
    "removefromcart",
    "removefrombasket",
    "removefromwishlist",
    "removeitem",
    "undoitem",
    "updatecart",
    "indenwarenkorb",
    "warenkorbhinzufugen",
    "warenkorbhinzufuegen",
    "aufdenmerkzettel", // de
    "dodajdokoszyka",
    "dokoszyka",
    "usunzkoszyka", // pl
    "pridatdokosiku",
    "vlozitdokosiku",
    "dokosiku",
    "odebratzkosiku", // cs
    "додатидокошика",
    "вкошик",
    "dodatydokoshyka",
    "vkoshyk", // uk
    "добавитьвкорзину",
    "вкорзину",
    "dobavitvkorzinu",
    "vkorzinu",    // ru
    "adaugaincos", // ro
];

/// What an action may be done to, or with whom: such words leave it an action.
pub(super) const OBJECTS: &[&str] = &[
    "account",
    "address",
    "admin",
    "all",
    "booking",
    "click",
    "comment",
    "confirm",
    "customer",
    "data",
    "double",
    "email",
    "emails",
    "file",
    "from",
    "image",
    "item",
    "link",
    "list",
    "mail",
    "mailing",
    "mails",
    "me",
    "member",
    "membership",
    "message",
    "my",
    "newsletter",
    "newsletters",
    "now",
    "one",
    "order",
    "our",
    "page",
    "photo",
    "post",
    "product",
    "profile",
    "registration",
    "request",
    "row",
    "session",
    "subscription",
    "subscriptions",
    "the",
    "user",
    "users",
    "wp",
    "your", // en
    "adresse",
    "benutzer",
    "bestellung",
    "dein",
    "email",
    "ihr",
    "jetzt",
    "konto",
    "kundenkonto",
    "mein",
    "nachricht",
    "profil",
    "vom",
    "von",
    "zum", // de
    "moje",
    "newslettera",
    "teraz",
    "uzytkownik",
    "wiadomosc",
    "z",
    "zamowienie", // pl
    "newsletteru",
    "objednavka",
    "odber",
    "ucet",
    "uzivatel",
    "ze", // cs
    "акаунт",
    "адресу",
    "від",
    "замовлення",
    "обліковий",
    "пошту",
    "розсилки",
    "запис",
    "akaunt",
    "rozsylky",
    "vid", // uk
    "аккаунт",
    "адрес",
    "заказ",
    "от",
    "почту",
    "рассылки",
    "akkaunt",
    "ot",
    "rassylki",
    "zakaz", // ru
    "abonare",
    "adresa",
    "comanda",
    "cont",
    "contul",
    "de",
    "din",
    "la",
    "meu", // ro
];

/// Folders of articles: what stands in them under a name of several words tells of an action, and does none.
pub(super) const ARTICLES: &[&str] = &[
    "answers",
    "article",
    "articles",
    "blog",
    "blogs",
    "docs",
    "documentation",
    "faq",
    "faqs",
    "forum",
    "guide",
    "guides",
    "hc",
    "help",
    "helpcenter",
    "howto",
    "kb",
    "knowledge",
    "knowledgebase",
    "learn",
    "magazine",
    "manual",
    "news",
    "press",
    "questions",
    "stories",
    "story",
    "support",
    "thread",
    "threads",
    "tips",
    "topic",
    "topics",
    "tutorial",
    "tutorials",
    "wiki", // en
    "aktuelles",
    "anleitung",
    "anleitungen",
    "artikel",
    "beitrag",
    "hilfe",
    "magazin",
    "nachrichten",
    "ratgeber", // de
    "aktualnosci",
    "artykul",
    "artykuly",
    "poradnik",
    "poradniki",
    "pomoc",
    "porady",
    "wiadomosci", // pl
    "aktuality",
    "clanek",
    "clanky",
    "napoveda",
    "navod",
    "navody",
    "novinky",
    "podpora", // cs
    "блог",
    "довідка",
    "допомога",
    "новини",
    "статті",
    "стаття",
    "blog",
    "dopomoha",
    "dovidka",
    "novyny",
    "statti", // uk
    "новости",
    "помощь",
    "справка",
    "статьи",
    "статья",
    "novosti",
    "pomosch",
    "pomosh",
    "spravka",
    "stati", // ru
    "ajutor",
    "articol",
    "articole",
    "ghid",
    "intrebari",
    "stiri",
    "suport", // ro
];

/// Parameters whose value says what is to be done.
pub(super) const VERB_PARAMETERS: &[&str] = &[
    "a",
    "act",
    "action",
    "cmd",
    "command",
    "do",
    "event",
    "func",
    "function",
    "m",
    "method",
    "mode",
    "op",
    "operation",
    "task",
    "todo",
];

/// What such a value says, besides the words above.
pub(super) const VERBS: &[&str] = &[
    "add",
    "additem",
    "buy",
    "buynow",
    "cancel",
    "clear",
    "empty",
    "purge",
    "rollback",
    "subscribe",
    "unwatch",
    "vote",
    "watch",
];

/// Parameters that do something by being there.
pub(super) const ACTING_PARAMETERS: &[&str] =
    &["delete", "deleteitem", "logout", "logoff", "replytocom", "signout", "unsub", "unsubscribe"];

/// Parameters whose value names a page of software that has one address for all.
pub(super) const ROUTE_PARAMETERS: &[&str] =
    &["controller", "fc", "module", "option", "page", "path", "r", "route", "view"];

/// Words in the name of a parameter that make any value of it a token.
pub(super) const TOKEN_PARAMETERS: &[&str] = &[
    "authenticity",
    "csrf",
    "csrfmiddlewaretoken",
    "csrftoken",
    "formkey",
    "jwt",
    "magic",
    "nonce",
    "onetime",
    "otp",
    "sesskey",
    "token",
    "wpnonce",
    "xsrf",
];

/// Words in the name of a parameter that make a value a token which looks like one.
pub(super) const KEY_PARAMETERS: &[&str] = &[
    "activation",
    "auth",
    "code",
    "confirmation",
    "hash",
    "hmac",
    "invitation",
    "invite",
    "key",
    "secret",
    "sig",
    "signature",
    "ticket",
    "verification",
];

/// Words in the name of a parameter that only says where a list goes on.
pub(super) const PAGING_PARAMETERS: &[&str] = &["continuation", "cursor", "next", "offset", "page"];
