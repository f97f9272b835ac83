// Words of controls in the languages of reports (English, German, Ukrainian, Polish, Czech, Romanian, Russian). A word counts where it begins
// a word of the text; `$` at its end means that it is the whole word.
() => {
  const pattern = (lines) => {
    const parts = lines.join('|').split('|').map((word) => word.replaceAll(/[.*+?()[\]{}\\^]/g, '\\$&').replace(/\$$/, '(?![\\p{L}\\p{N}])'));
    return new RegExp(`(?<![\\p{L}\\p{N}])(?:${parts.join('|')})`, 'iu');
  };
  return {
    // What a control with such a word does is not for a check to do: it sends, buys, deletes, agrees, publishes, or ends a session.
    action: pattern([
      'submit|send$|sent$|save$|buy$|purchase|order$|checkout|check out|pay$|payment|donat|delet|remov|eras|clear$|discard|log out|logout|log off|sign out|signout|log in|login|sign in|sign up|unsubscrib|subscrib|register|apply$|confirm|accept|agree|reject|declin|allow$|deny$|consent|publish|post$|reply|vote|like$|follow$|invite|upload|download|install|print$|book$|booking|reserv|rent$|bid$|call$|add$|add to|cart$|basket|bag$|wishlist|cancel|reset|update$|start$|play$|record$|report$|block$|renew|transfer|withdraw|deposit|enrol|join$|leave$|activate|deactivate|enable$|disable$|approve|archive$|merge|deploy|restart|shut down|power off',
      'absenden|abschicken|senden|schicken|speicher|kaufen|bestell|bezahl|zahlen|zahlung|kasse$|spende|lösch|entfern|leeren|verwerf|abmeld|ausloggen|anmeld|einloggen|registrier|abonnier|abbestell|bestätig|akzeptier|annehm|zustimm|einverstanden|ablehn|erlaub|veröffentlich|antworten|abstimm|folgen$|einladen|hochlad|herunterlad|download|drucken|buchen|reservier|mieten|bieten$|anruf|hinzufüg|in den warenkorb|warenkorb|merkzettel|abbrech|stornier|zurücksetz|aktualisier|starten|abspiel|melden$|sperren|überweis|aktivier|deaktivier|genehmig|kündig',
      'надісл|відправ|зберег|купи|замов|оплат|сплат|пожертв|видал|вилуч|очист|вийти|вихід|увійти|вхід|зареєстр|реєстрац|підпис|відпис|підтверд|прийня|погодж|згод|відхил|дозвол|опублік|відпов|голосув|запрос|завантаж|друк|забронюв|бронюв|орендув|зателефон|дода|кошик|скасув|скину|онов|запуст|відтвор|поскарж|заблок|перека|активув|вимкнути',
      'wyślij|prześlij|zapisz|kup$|kupuj|zamów|zamawiam|zapłać|płatno|wesprzyj|usuń|skasuj|wyczyść|odrzuć|wyloguj|zaloguj|zarejestruj|rejestr|subskrybuj|wypisz|zatwierdź|potwierdź|akceptuj|zgadzam|zezwól|opublikuj|odpowiedz|głosuj|obserwuj|zaproś|pobierz|drukuj|rezerwuj|zarezerwuj|wynajmij|zadzwoń|dodaj|koszyk|do koszyka|anuluj|resetuj|aktualizuj|uruchom|odtwórz|zgłoś|zablokuj|aktywuj|wyłącz',
      'odesl|poslat|pošl|uloži|koupi|nakoupi|objedn|zaplat|platb|darova|smaza|odstrani|odebra|vymaza|vyčisti|zahodi|odhlás|přihlás|registr|odebírat|potvr|přijm|přijmout|souhlas|odmítn|povoli|zveřejn|odpověd|hlasova|sledova|pozva|nahrá|stáhn|tisk|vytiskn|rezerv|pronaj|zavola|přida|košík|do košíku|zruši|obnovi|aktualiz|spusti|přehrá|nahlási|zablokova|aktivova|vypnout',
      'trimite|salvea|cumpăr|comand|plăte|plată|donea|șterge|sterge|elimină|golește|renunță|deconect|delog|conectea|autentific|înregistr|abonea|dezabon|confirm|accept|de acord|respinge|refuz|permite|publică|răspunde|votea|urmărește|invită|încarcă|descarcă|tipărește|imprim|rezerv|închiria|sună$|adaugă|coș|în coș|anulea|resetea|actualiz|porne|redă$|raportea|blochea|activea|dezactivea',
      'отправ|послать|сохран|купи|заказ|оплат|пожертв|удал|очист|выйти|выход|войти|вход$|зарегистр|регистрац|подпис|отпис|подтверд|принять|принима|соглас|отклон|разреш|опублик|ответить|голосов|пригласи|загруз|скача|печат|забронир|бронир|аренд|позвон|добав|корзин|отмен|сброс|обнов|запуст|воспроизв|пожалов|заблокир|перевод|активир|отключить',
    ]),
    next: pattern(['next|right$|forward', 'nächste|weiter|vorwärts', 'наступн|далі|вперед', 'następn|dalej|w prawo', 'další|následuj|vpřed', 'următo|înainte', 'следующ|далее|вперёд|вперед']),
    previous: pattern(['prev|left$|back$', 'vorherig|vorige|zurück', 'попередн|назад', 'poprzedni|wstecz|w lewo', 'předchoz|zpět', 'anterior|înapoi', 'предыдущ|назад']),
    close: pattern(['close|dismiss|×|✕', 'schließen|zuklappen', 'закри', 'zamknij', 'zavří', 'închide', 'закры']),
  };
}
