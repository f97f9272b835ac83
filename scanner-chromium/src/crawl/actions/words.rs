//! Words with which addresses say what they do, in the languages of our users and in English.
//!
//! They are folded as `part` folds the words of an address: in lower case, without accents, and joined if an address
//! writes them apart. Cyrillic words are listed as they are written, and in Latin letters as sites spell them in
//! addresses. The lines of a list are its languages: English, German, Polish, Czech, Ukrainian, Russian and Romanian.

/// Returns whether a word is one of a list.
pub(super) fn has(list: &[&str], word: &str) -> bool {
    !word.is_empty() && list.iter().any(|line| line.split(' ').any(|known| known == word))
}

/// Words that end a visitor's session.
pub(super) const LEAVE: &[&str] = &[
    "logout logoff signout signoff endsession",
    "abmelden ausloggen",
    "wyloguj wylogowanie wylogujsie",
    "odhlasit odhlaseni odhlasitse",
    "вийти вихід vyity vyyty vyhid vykhid",
    "выйти выход vyiti vyjti vyhod vykhod",
    "deconectare deconecteaza delogare",
];

/// Words that remove somebody from a mailing list.
pub(super) const UNSUBSCRIBE: &[&str] = &[
    "unsubscribe unsub",
    "abmelden abbestellen abmeldung austragen newsletterabmeldung",
    "wypisz wypiszsie odsubskrybuj",
    "odhlasit odhlaseni odhlasitse odhlasitodber",
    "відписатися відписка відписатись vidpysatysya vidpyska",
    "отписаться отписка otpisatsya otpiska",
    "dezabonare dezaboneaza dezabonarenewsletter",
];

/// Words that delete something.
pub(super) const DELETE: &[&str] = &[
    "delete remove destroy",
    "loeschen loschen entfernen",
    "usun skasuj",
    "smazat odstranit vymazat odebrat",
    "видалити vydalyty",
    "удалить udalit",
    "sterge stergere elimina",
];

/// Words that confirm something that somebody was asked by mail, or agree to it.
pub(super) const CONFIRM: &[&str] = &[
    "confirm approve",
    "bestatigen bestaetigen",
    "potwierdz",
    "potvrdit",
    "підтвердити pidtverdyty",
    "подтвердить podtverdit",
    "confirma",
];

/// Words that, with a token, make a link that was sent to one person.
pub(super) const PERSONAL: &[&str] = &[
    "accept activate activation autologin confirmation forgot invitation invite magic magiclink onetime optin",
    "optout password recover recovery reset restore setpassword token validate validation verification verify",
    "aktivieren aktivierung bestatigung bestaetigung einladung passwort zurucksetzen zuruecksetzen",
    "aktywacja aktywuj haslo hasla potwierdzenie weryfikacja zaproszenie",
    "aktivace heslo hesla overeni potvrzeni pozvanka",
    "активація активувати запрошення пароль пароля підтвердження aktyvatsiya parol pidtverdzhennya",
    "активация активировать подтверждение приглашение aktivatsiya podtverzhdenie priglashenie",
    "activare activeaza confirmare invitatie parola resetare verificare",
];

/// Words for a place that collects things that a visitor wants.
pub(super) const CARTS: &[&str] = &[
    "cart basket bag minicart shoppingcart shoppingbasket shoppingbag wishlist compare comparison productcompare",
    "favorites favourites",
    "warenkorb merkzettel merkliste wunschliste vergleichsliste",
    "koszyk schowek ulubione porownywarka",
    "kosik oblibene porovnani",
    "кошик обране порівняння koshyk obrane porivnyannya",
    "корзина избранное сравнение korzina izbrannoe sravnenie",
    "cos cosul cosdecumparaturi cosulmeu favorite comparare",
];

/// The first words of addresses that change a cart.
pub(super) const CHANGES: &[&str] = &[
    "add buy change clear decrease empty increase insert remove toggle update",
    "einlegen hinzufugen hinzufuegen leeren",
    "dodaj oproznij wyczysc",
    "pridat vlozit vysypat",
    "додати додай очистити dodaty ochystyty",
    "добавить очистить dobavit ochistit",
    "adauga goleste",
];

/// Phrases that change a cart and name it.
pub(super) const CART_PHRASES: &[&str] = &[
    "addtobag addtobasket addtocart addtocompare addtofavorites addtofavourites addtowishlist cartadd emptycart",
    "clearcart removefromcart removefrombasket removefromwishlist removeitem undoitem updatecart indenwarenkorb",
    "warenkorbhinzufugen warenkorbhinzufuegen aufdenmerkzettel",
    "dodajdokoszyka dokoszyka usunzkoszyka",
    "pridatdokosiku vlozitdokosiku dokosiku odebratzkosiku",
    "додатидокошика вкошик dodatydokoshyka vkoshyk",
    "добавитьвкорзину вкорзину dobavitvkorzinu vkorzinu",
    "adaugaincos",
];

/// Words for the object of an action, or for who does it: with such words it is still an action.
pub(super) const OBJECTS: &[&str] = &[
    "account address admin ajax all booking click comment confirm customer data double email emails file from",
    "image item items line link list mail mailing mails me member membership message my newsletter newsletters",
    "now one order our page photo post product products profile quantity registration request row session",
    "subscription subscriptions the to user users wp your",
    "adresse benutzer bestellung dein email ihr jetzt konto kundenkonto mein nachricht profil vom von zum",
    "moje newslettera teraz uzytkownik wiadomosc z zamowienie",
    "newsletteru objednavka odber ucet uzivatel ze",
    "акаунт адресу від замовлення обліковий пошту розсилки запис akaunt rozsylky vid",
    "аккаунт адрес заказ от почту рассылки akkaunt ot rassylki zakaz",
    "abonare adresa comanda cont contul de din la meu",
];

/// Folders of articles: a name of several words in one of them is about an action, and does nothing.
pub(super) const ARTICLES: &[&str] = &[
    "answers article articles blog blogs docs documentation faq faqs forum guide guides hc help helpcenter howto",
    "kb knowledge knowledgebase learn magazine manual news press questions stories story support thread threads",
    "tips topic topics tutorial tutorials wiki",
    "aktuelles anleitung anleitungen artikel beitrag hilfe magazin nachrichten ratgeber",
    "aktualnosci artykul artykuly poradnik poradniki pomoc porady wiadomosci",
    "aktuality clanek clanky napoveda navod navody novinky podpora",
    "блог довідка допомога новини статті стаття blog dopomoha dovidka novyny statti",
    "новости помощь справка статьи статья novosti pomosch pomosh spravka stati",
    "ajutor articol articole ghid intrebari stiri suport",
];

/// Parameters whose value says what to do.
pub(super) const VERB_PARAMETERS: &[&str] =
    &["a act action cmd command do event func function m method mode op operation task todo"];

/// The actions in such a value, besides the words above.
pub(super) const VERBS: &[&str] =
    &["add additem buy buynow cancel clear empty purge rollback subscribe unwatch vote watch"];

/// Parameters that do something by their presence.
pub(super) const ACTING_PARAMETERS: &[&str] = &["delete deleteitem logout logoff replytocom signout unsub unsubscribe"];

/// Parameters whose value names a page of software that has one address for all pages.
pub(super) const ROUTE_PARAMETERS: &[&str] = &["controller fc module option page path r route view"];

/// Words in the name of a parameter that make any value a token.
pub(super) const TOKEN_PARAMETERS: &[&str] = &[
    "authenticity csrf csrfmiddlewaretoken csrftoken formkey jwt magic nonce onetime otp sesskey token wpnonce",
    "xsrf",
];

/// Words in the name of a parameter that make a value a token if it looks random.
pub(super) const KEY_PARAMETERS: &[&str] =
    &["activation auth code confirmation hash hmac invitation invite key secret sig signature ticket verification"];

/// Words in the name of a parameter that only says where a list continues.
pub(super) const PAGING_PARAMETERS: &[&str] = &["continuation cursor next offset page"];
