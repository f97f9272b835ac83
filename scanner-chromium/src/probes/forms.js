// Probes of forms: what belongs to a field, and what is said about its value.
(kit) => {
  const { all, attribute, closest, contains, has, inside, isExposed, isVisible, matches, name, parent, reachable, role, tag, text, visibleText, words } = kit;

  const fields = () => all('input:not([type="hidden" i], [type="submit" i], [type="button" i], [type="reset" i], [type="image" i]), select, textarea').filter(isVisible);
  const referred = (element) =>
    ['aria-describedby', 'aria-labelledby', 'aria-errormessage', 'aria-details'].flatMap((by) => (attribute(element, by) ?? '').split(/\s+/)).filter(Boolean);
  // What a class or an id calls an element; parts of words are none.
  const called = (element, pattern) => pattern.test(`${attribute(element, 'class') ?? ''} ${attribute(element, 'id') ?? ''}`.replace(/([a-z])([A-Z])/g, '$1-$2'));
  const hintName = /(?:^|[\s_-])(?:hint|help|helptext|help-text|description|instructions?)(?:$|[\s_-])/i;
  const errorName = /(?:^|[\s_-])(?:errors?|invalid|is-invalid|error-?message|validation)(?:$|[\s_-])/i;

  const fieldHint = () => {
    const failed = [];
    let isApplicable = false;
    for (const field of fields()) {
      const id = attribute(field, 'id');
      const [label] = [closest(field, 'label'), ...(id ? kit.select(`label[for="${CSS.escape(id)}"]`) : [])].filter(Boolean);
      // A hint stands beside its field, or beside the field's label.
      const beside = [field, label].filter(Boolean).flatMap((element) => ['previousElementSibling', 'nextElementSibling'].map((side) => Reflect.get(Element.prototype, side, element)));
      const hints = [...new Set(beside)].filter((element) => element && called(element, hintName) && isVisible(element) && text(element).trim() !== '' && !/^(?:input|select|textarea|button|label|a)$/.test(tag(element)));
      if (hints.length === 0) continue;
      isApplicable = true;
      const group = closest(field, 'fieldset, [role="group"], [role="radiogroup"]');
      const ids = [...referred(field), ...(group ? referred(group) : [])];
      // An element that the field refers to may be a part of the hint, or contain it.
      const described = ids.flatMap((reference) => kit.select(`#${CSS.escape(reference)}`));
      const isDescribed = (hint) => described.some((other) => contains(other, hint) || contains(hint, other));
      const loose = hints.find((hint) => !isDescribed(hint) && inside(hint, 'input, select, textarea').length === 0);
      if (loose) failed.push({ element: field });
    }
    return { failed, isApplicable };
  };

  // What a label says of any field, in the languages of reports.
  const anything = new Set(
    [
      'menu|info|information|input|field|form field|label|text|text field|text box|textbox|data|value|choose|choose one|select|select one|lorem ipsum|lorem ipsum dolor sit amet|untitled|enter data|enter text|enter value|fill in|type here|enter here|required field',
      'eingabe|eingabefeld|feld|text|textfeld|daten|wert|auswahl|bitte wählen|auswählen|beschriftung|hier eingeben|text eingeben|pflichtfeld',
      'поле|поле введення|текстове поле|дані|введіть|введіть текст|введіть дані|мітка',
      'pole|pole tekstowe|dane|wpisz|wpisz tutaj|wpisz tekst|etykieta|textové pole|vstup|údaje|zadejte|zadejte text|popisek',
      'câmp|câmp de text|date|introduceți|introduceți text|etichetă|поле ввода|текстовое поле|данные|введите|введите текст|метка',
    ].join('|').split('|'),
  );
  const typed = new Set('textbox searchbox spinbutton combobox listbox slider'.split(' '));
  const untyped = new Set('color date datetime-local file month password time week'.split(' '));
  const labelsOf = (field) => {
    const type = tag(field) === 'input' ? HTMLInputElement : tag(field) === 'select' ? HTMLSelectElement : tag(field) === 'textarea' ? HTMLTextAreaElement : null;
    const own = type ? [...(kit.read(type, 'labels', field) ?? [])] : [];
    const named = (attribute(field, 'aria-labelledby') ?? '').split(/\s+/).filter(Boolean).flatMap((id) => kit.select(`#${CSS.escape(id)}`));
    return [...own, ...named].filter(isVisible);
  };
  const fieldLabel = () => {
    const [failed, undecided, known] = [[], [], []];
    for (const field of all('input, select, textarea, [role]')) {
      const type = tag(field) === 'input' ? kit.read(HTMLInputElement, 'type', field) : '';
      if (!isVisible(field) || !(typed.has(role(field)) || (type !== '' && untyped.has(type)))) continue;
      const labels = labelsOf(field);
      if (labels.length === 0) continue;
      const own = tag(field) === 'select' ? visibleText(field) : '';
      const said = words(labels.map((label) => visibleText(label).replace(own === '' ? '\0' : own, '')).join(' '));
      if (said !== '' && known.length < 500) known.push({ field, labels, said, kind: `${role(field)} ${type}` });
    }
    const rests = new Map();
    // What can be read in a form beside labels and controls, or on a page without one.
    const rest = (scope) => {
      if (!rests.has(scope)) {
        const own = [...known.filter(({ field }) => contains(scope, field)).map(({ said }) => said), ...[...inside(scope, 'button, select, textarea, input[type="submit" i], a[href]')].filter(isVisible).map((each) => words(visibleText(each)))];
        const left = own.filter(Boolean).sort((one, other) => other.length - one.length).reduce((found, part) => found.replace(` ${part.replaceAll(' ', '  ')} `, ' '), ` ${words(visibleText(scope))} `.replaceAll(' ', '  '));
        rests.set(scope, left.trim());
      }
      return rests.get(scope);
    };
    const isExplained = (field) => ['title', 'placeholder', 'aria-describedby', 'aria-description'].some((each) => (attribute(field, each) ?? '').trim() !== '') || closest(field, 'table, [role="row"], [role="grid"]') !== null;
    const [body] = all('body');
    for (const { field, labels, said, kind } of known) {
      if (isExplained(field) || !body) continue;
      const scope = closest(field, 'form') ?? body;
      const isAlone = (place) => rest(place) === '' && inside(place, 'img, svg, canvas, video').length === 0;
      // Another field of the name, and nothing in the form that says which one is which.
      const isOneOf = known.some((other) => other.field !== field && other.said === said && other.kind === kind && (closest(other.field, 'form') ?? body) === scope && !isExplained(other.field));
      const found = { element: labels[0], data: said.slice(0, 100) };
      if (isOneOf && isAlone(scope)) failed.push(found);
      // A heading or a text near it may say what is asked for.
      else if (anything.has(said.replace(/ ?(?<!\d)\d+$/, ''))) (isAlone(body) ? failed : undecided).push(found);
    }
    return { failed, undecided, isApplicable: known.length > 0 };
  };

  const isBeside = (one, other) => {
    const [{ top, bottom }, { top: start, bottom: end }] = [kit.box(one), kit.box(other)];
    return top < end && start < bottom;
  };
  const entered = 'input:not([type="hidden" i], [type="submit" i], [type="button" i], [type="reset" i], [type="image" i], [type="checkbox" i], [type="radio" i]), select, textarea';
  // A text right before a field is read as its label, and so is one before a box that holds nothing but the field.
  const isAfterText = (field) => {
    for (let [place, left] = [field, 4]; left > 0; place = parent(place), left -= 1) {
      const [holder, before] = [parent(place), Reflect.get(Element.prototype, 'previousElementSibling', place)];
      if (before !== null && inside(before, entered).length === 0 && visibleText(before, 100).trim() !== '') return true;
      if (holder === null || matches(holder, 'form, fieldset, section, main, body') || inside(holder, entered).length > 1) return holder !== null && kit.ownText(holder);
      if (kit.ownText(holder)) return true;
    }
    return false;
  };
  // Fields for which nothing but their placeholder says what to enter, which is gone once something is entered.
  const placeholderLabel = () => {
    const failed = [];
    let isApplicable = false;
    const scopes = new Map();
    // The number of fields of a form, and its buttons.
    const scopeOf = (field) => {
      const scope = closest(field, 'form, fieldset, [role="form"], [role="group"]') ?? parent(field) ?? field;
      if (!scopes.has(scope)) {
        const buttons = [...inside(scope, 'button, [type="submit" i], [type="button" i], [type="image" i], [role="button"]')].slice(0, 20);
        scopes.set(scope, { count: [...inside(scope, entered)].slice(0, 20).filter(isVisible).length, buttons: buttons.filter((button) => isVisible(button) && name(button) !== '') });
      }
      return scopes.get(scope);
    };
    for (const field of all('input[placeholder], textarea[placeholder]').slice(0, 500)) {
      const type = tag(field) === 'input' ? kit.read(HTMLInputElement, 'type', field) : 'text';
      if ((attribute(field, 'placeholder') ?? '').trim() === '' || !(typed.has(role(field)) || type === 'password') || !isVisible(field) || !isExposed(field)) continue;
      isApplicable = true;
      if (type === 'search' || role(field) === 'searchbox' || closest(field, 'search, [role="search"], table, [role="row"], [role="grid"]') !== null) continue;
      // A label may come into view once something is entered; one that only screen readers get has hardly a box.
      const labels = kit.read(tag(field) === 'input' ? HTMLInputElement : HTMLTextAreaElement, 'labels', field) ?? [];
      const floats = [...labels].some((label) => text(label).trim() !== '' && kit.box(label).width > 2 && kit.box(label).height > 2);
      if (floats || labelsOf(field).some((label) => visibleText(label).trim() !== '') || isAfterText(field)) continue;
      const { count, buttons } = scopeOf(field);
      // The button in the line of the only field says what it is for.
      if (count > 1 || !buttons.some((button) => isBeside(button, field))) failed.push({ element: field });
    }
    return { failed, isApplicable };
  };

  // Words that say that something is wrong, and neither what nor what to do.
  const nothing = new Set(
    [
      'error|an error|invalid|is invalid|invalid value|invalid input|is not valid|not valid|wrong|is wrong|incorrect|is incorrect|wrong value|value is not valid|please correct|this field is invalid|field is invalid|bad value|try again|please try again',
      'fehler|ungültig|ungültige eingabe|ist ungültig|falsch|ungültiger wert|nicht gültig|eingabe ungültig',
      'помилка|недійсне|невірно|неправильно|некоректне значення|невірне значення|недійсне значення',
      'błąd|nieprawidłowe|nieprawidłowa wartość|niepoprawne|niepoprawna wartość|błędna wartość',
      'chyba|neplatné|neplatná hodnota|nesprávně|nesprávná hodnota|není platné',
      'eroare|invalid|valoare invalidă|nevalid|valoare nevalidă|greșit|incorect',
      'ошибка|недопустимо|неверно|неправильно|неверное значение|недопустимое значение|некорректное значение',
    ].join('|').split('|'),
  );
  const fillers = new Set('for of the in a an this that your field please is be to must value für das feld im die der значення поле поля для wartość pole w dla hodnota pole v pro valoare câmp câmpul în pentru значение поле для в'.split(' '));
  const few = new Set([...nothing].flatMap((each) => each.split(' ')));
  // Without the words of the labels, nothing is left but that something is wrong.
  const saysNothing = (said, labels) => {
    const known = new Set(labels.flatMap((label) => label.split(' ')));
    return nothing.has(said) || (said !== '' && said.split(' ').every((word) => known.has(word) || fillers.has(word) || few.has(word)) && said.split(' ').some((word) => few.has(word) && !known.has(word) && !fillers.has(word)));
  };
  const errorMessage = () => {
    const [failed, undecided] = [[], []];
    const fieldsShown = fields();
    if (fieldsShown.length === 0) return { failed, isApplicable: false };
    const labels = fieldsShown.map((field) => words(name(field)));
    const indicators = all('[class*="error" i], [class*="invalid" i], [id*="error" i], [class*="validation" i], [role="alert"]').filter(
      (element) => (called(element, errorName) || attribute(element, 'role') === 'alert') && isVisible(element) && inside(element, 'input, select, textarea').length === 0 && visibleText(element).trim() !== '' && !/^(?:input|select|textarea|html|body|form)$/.test(tag(element)),
    );
    const form = (element) => closest(element, 'form, fieldset, [role="form"], main, body');
    for (const element of indicators) {
      const near = fieldsShown.filter((field) => form(field) === form(element) || contains(form(element), field));
      if (near.length === 0) continue;
      const said = words(visibleText(element));
      const others = indicators.filter((other) => other !== element && !contains(other, element) && !contains(element, other));
      if (saysNothing(said, labels)) {
        // What is wrong may stand in another text that belongs to the field.
        const isExplained = near.some((field) => referred(field).some((id) => kit.select(`#${CSS.escape(id)}`).some((other) => !contains(element, other) && !contains(other, element) && text(other).trim() !== '')));
        (isExplained || others.some((other) => !saysNothing(words(visibleText(other)), labels)) ? undecided : failed).push({ element, data: { messageKey: 'empty' } });
      } else if (others.length === 0 && labels.every((label) => label === '' || !said.includes(label)) && near.length > 1) {
        // A summary that names no field, with nothing at the fields.
        const isMarked = near.some((field) => attribute(field, 'aria-invalid') === 'true' && referred(field).length > 0);
        if (!isMarked) undecided.push({ element, data: { messageKey: 'which' } });
      }
    }
    // A field that a program calls wrong, with nothing that says why.
    for (const field of fieldsShown) {
      if (attribute(field, 'aria-invalid') !== 'true' || indicators.length > 0) continue;
      const isTold = referred(field).some((id) => kit.select(`#${CSS.escape(id)}`).some((other) => text(other).trim() !== ''));
      if (!isTold) undecided.push({ element: field, data: { messageKey: 'silent' } });
    }
    return { failed, undecided, isApplicable: indicators.length > 0 || undecided.length > 0 };
  };

  // What a label asks for about the visitor, in the languages of reports, by the value of `autocomplete` that HTML defines for it.
  const purposes = [
    ['given-name', /^(?:first|given|fore) ?name$|^vorname$|^ім я$|^имя$|^imię$|^jméno$|^prenume(?:le)?$/u],
    ['family-name', /^(?:last|family) ?name$|^surname$|^(?:nach|familien)name$|^прізвище$|^фамилия$|^nazwisko$|^příjmení$|^nume(?:le)? de familie$/u],
    ['name', /^full name$|^(?:vor und nachname|vollständiger name)$|^(?:повне ім я|піб)$|^(?:полное имя|фио)$|^imię i nazwisko$|^(?:celé jméno|jméno a příjmení)$|^(?:nume complet|nume și prenume)$/u],
    ['email', /^e ?mail(?: (?:address|adresse|adresa))?$|^(?:адреса|адрес) (?:електронної пошти|электронной почты)$|^(?:електронна пошта|электронная почта)$|^adres e ?mail$|^e ?mailov(?:á|ý) adresa$|^adresa de e ?mail$/u],
    ['tel', /^(?:tele)?phone(?: number)?$|^mobile(?: (?:number|phone))?$|^telefon(?:nummer)?$|^handynummer$|^(?:номер )?телефон[ау]?$|^numer telefonu$|^telefonní číslo$|^(?:număr(?:ul)? de )?telefon$/u],
    ['postal-code', /^(?:post ?code|postal code|zip(?: code)?)$|^(?:postleitzahl|plz)$|^(?:поштовий|почтовый) індекс$|^почтовый индекс$|^kod pocztowy$|^psč$|^cod(?:ul)? poștal$/u],
    ['street-address', /^(?:street|street address|address line 1)$|^(?:straße|strasse)(?: und hausnummer)?$|^вулиця$|^улица$|^ulica$|^ulice(?: a číslo)?$|^strada$/u],
    ['address-level2', /^(?:town|city|town or city|city or town)$|^(?:stadt|wohnort)$|^місто$|^город$|^miasto$|^město$|^(?:oraș|localitate)$/u],
    ['bday', /^(?:date of birth|birth ?date|birthday)$|^geburtsdatum$|^дата (?:народження|рождения)$|^data urodzenia$|^datum narození$|^data nașterii$/u],
  ];
  const asides = /(?<!\p{L})(?:your|optional|required|mandatory|ihre?|pflichtfeld|ваш[аеіи]?|twoje|twój|váš|vaše)(?!\p{L})/gu;
  // Values that go with each other.
  const kin = [['name', 'given-name', 'additional-name', 'family-name', 'nickname'], ['email', 'username'], ['street-address', 'address-line1', 'address-line2', 'address-level1', 'address-level2', 'address-level3', 'address-level4']];
  const areKin = (one, other) => one === other || one.startsWith(`${other}-`) || other.startsWith(`${one}-`) || kin.some((each) => each.includes(one) && each.includes(other));
  const values = new Set(['on', 'off', '', ...purposes.map(([value]) => value), ...kin.flat(), 'tel-national', 'tel-local', 'country', 'country-name', 'organization', 'organization-title', 'new-password', 'current-password', 'one-time-code', 'url', 'cc-number', 'cc-name']);
  const autocomplete = () => {
    const found = [];
    for (const field of all('input:not([type="hidden" i], [type="checkbox" i], [type="radio" i], [type="submit" i], [type="button" i], [type="search" i]), textarea').slice(0, 300)) {
      if (closest(field, 'search, [role="search"], table, [role="grid"], [role="row"]') !== null || matches(field, ':disabled, [readonly]') || !isVisible(field) || !isExposed(field)) continue;
      const said = words(name(field)).replace(asides, ' ').replace(/\s+/g, ' ').trim();
      const type = tag(field) === 'input' ? kit.read(HTMLInputElement, 'type', field) : '';
      const [value] = purposes.find(([, pattern]) => pattern.test(said)) ?? (/^(?:email|tel)$/.test(type) ? [type] : []);
      if (value !== undefined) found.push({ field, value, isSaid: purposes.some(([, pattern]) => pattern.test(said)) });
    }
    // Whoever asks for several of these asks about a person, mostly about the visitor.
    if (new Set(found.map(({ value }) => value)).size < 2) return { failed: [], isApplicable: false };
    const undecided = [];
    for (const { field, value, isSaid } of found) {
      const given = (attribute(field, 'autocomplete') ?? '').trim().toLowerCase().split(/\s+/).filter((token) => token !== 'webauthn').at(-1) ?? '';
      if (['', 'on', 'off'].includes(given)) undecided.push({ element: field, data: { messageKey: 'missing', value } });
      else if (isSaid && values.has(given) && !areKin(given, value)) undecided.push({ element: field, data: { messageKey: 'other', value } });
    }
    return { failed: [], undecided, isApplicable: true };
  };

  // What has the focus and is nothing that can be used.
  const passive = new Set(['paragraph', 'heading', 'list', 'listitem', 'img', 'article', 'figure', 'blockquote', 'cell', 'row', 'rowgroup', 'table', 'term', 'definition', 'code', 'emphasis', 'strong', 'time', 'note', 'contentinfo', 'banner', 'generic']);
  // Rows of a grid, and articles of a feed, take the focus by their patterns.
  const isOfPattern = (element) => closest(element, '[role="grid" i], [role="treegrid" i], [role="feed" i]') !== null;
  const tabStop = () => {
    const failed = [];
    let isApplicable = false;
    for (const element of all('[tabindex]')) {
      if (!/^\s*\+?\d/.test(attribute(element, 'tabindex')) || !(element instanceof HTMLElement) || !isVisible(element) || !isExposed(element)) continue;
      isApplicable = true;
      const found = role(element);
      if ((found !== null && !passive.has(found)) || (['row', 'article'].includes(found) && isOfPattern(element)) || tag(element).includes('-') || /^(?:a|button|input|select|textarea|summary|iframe|audio|video|object|embed|label)$/.test(tag(element))) continue;
      const style = getComputedStyle(element);
      const scrolls = /auto|scroll/.test(style.overflow) && (Reflect.get(Element.prototype, 'scrollHeight', element) > Reflect.get(Element.prototype, 'clientHeight', element) || Reflect.get(Element.prototype, 'scrollWidth', element) > Reflect.get(Element.prototype, 'clientWidth', element));
      const isUsed = kit.read(HTMLElement, 'isContentEditable', element) || has(element, 'aria-activedescendant') || has(element, 'title') || has(element, 'aria-describedby') || has(element, 'popovertarget');
      const hasHandler = kit.attributes(element).some((attribute_) => attribute_.startsWith('on'));
      // What opens or moves with the focus on it is no paragraph.
      if (!scrolls && !isUsed && !hasHandler && !/pointer|move|grab/.test(style.cursor)) failed.push({ element });
    }
    return { failed, isApplicable };
  };

  // A button by its looks that is none.
  const buttonName = /(?:^|[\s_-])(?:btn|button)(?:$|[\s_-])/i;
  const isWithin = (element) => {
    let each = closest(element, reachable);
    while (each !== null && kit.isPart(each)) each = parent(each) && closest(parent(each), reachable);
    return each !== null;
  };
  const mouseOnly = () => {
    const undecided = [];
    let isApplicable = false;
    for (const element of all('[onclick], [class*="btn" i], [class*="button" i]')) {
      const isClicked = has(element, 'onclick');
      if (!(element instanceof HTMLElement) || /^(?:html|body|form)$/.test(tag(element)) || (!isClicked && !called(element, buttonName))) continue;
      if (!isVisible(element) || isWithin(element) || inside(element, reachable).length > 0) continue;
      const said = words(visibleText(element));
      if (said === '' && name(element) === '' && inside(element, 'img, svg').length === 0) continue;
      isApplicable = true;
      if (isClicked || said.split(' ').length <= 4) undecided.push({ element, data: { messageKey: isClicked ? 'handler' : 'looks' } });
    }
    return { failed: [], undecided, isApplicable };
  };

  // What asks visitors to prove that they are human, of widespread services and by its name. Those that ask nothing are left out.
  const named = { img: ['id', 'class', 'src'], input: ['id', 'class', 'name', 'placeholder', 'aria-label'] };
  const services = 'iframe[src*="/recaptcha/"][src*="/anchor"]:not([src*="size=invisible"]), iframe[src*="hcaptcha"]:not([src*="size=invisible"]), .g-recaptcha:not(button, input, [data-size="invisible"], [data-action]), .h-captcha:not(button, input, [data-size="invisible"])';
  const captcha = () => {
    const isNamed = (element) => (named[tag(element)] ?? ['id', 'class']).some((each) => /captcha/i.test(attribute(element, each) ?? '')) || (tag(element) === 'input' && /captcha/i.test(name(element)));
    const asked = all('img, canvas, audio, input:not([type="hidden" i], [type="submit" i], [type="button" i])').filter(isNamed);
    const found = [...all(services), ...asked].find((element) => isVisible(element) && isExposed(element));
    return { failed: [], undecided: found ? [{ element: found }] : [], isApplicable: found !== undefined };
  };

  return {
    'a11ycheck-autocomplete': autocomplete,
    'a11ycheck-captcha': captcha,
    'a11ycheck-error-message': errorMessage,
    'a11ycheck-field-hint': fieldHint,
    'a11ycheck-field-label': fieldLabel,
    'a11ycheck-mouse-only': mouseOnly,
    'a11ycheck-needless-tab-stop': tabStop,
    'a11ycheck-placeholder-label': placeholderLabel,
  };
}
