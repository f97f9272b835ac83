// Probes of words: titles, names of pictures, of links and of groups. Lists of words are in the languages of reports.
(kit) => {
  const { all, attribute, closest, has, inside, isExposed, isVisible, name, role, tag, text, vague, words } = kit;

  const file = /^[^\s/\\]+\.(?:apng|avif|bmp|eps|gif|heic|ico|jpe?g|png|psd|svg|tiff?|webp|docx?|html?|jsp|aspx?|php|pdf)$/i;
  const picture = /^[^\s/\\]+\.(?:apng|avif|bmp|gif|heic|jpe?g|png|svg|tiff?|webp)$/i;
  // What cameras and programs call a file: `IMG_1234`, `screenshot-2`.
  const numbered = /^(?:dsc[nf]?|image|img|photo|pict?|scan|screenshot)[-_]?\d+$|^\S*_\S*\d$/i;
  const set = (...lists) => new Set(lists.join('|').split('|'));

  const titles = set(
    'untitled|untitled document|untitled page|new page|new document|document|insert title here|title|page title|enter title here|title here|no title',
    'unbenannt|unbenanntes dokument|ohne titel|neue seite|seitentitel|dokument|titel hier einfügen',
    'без назви|нова сторінка|заголовок сторінки|bez tytułu|nowa strona|tytuł strony|bez názvu|nová stránka',
    'fără titlu|pagină nouă|titlul paginii|без названия|без имени|новая страница|заголовок страницы',
    'react app|vite app|vue app|my app|undefined|lorem ipsum|lorem ipsum dolor sit amet|test page|your title|your title here|website title|site title',
  );
  // What names a page of its site, but not the site.
  const firstPages = set(
    'home|homepage|home page|main page|start page|index|welcome|startseite|hauptseite|willkommen|головна|головна сторінка|strona główna|domovská stránka|hlavní strana|acasă|pagina principală|главная|главная страница',
  );
  // Beginnings of words that mean something, without the endings of number and case.
  const stems = (value) => new Set(words(value).split(' ').filter((word) => word.length > 3 && /^\p{L}/u.test(word)).map((word) => word.slice(0, 5)));
  const title = () => {
    const shown = kit.read(Document, 'title', document).trim();
    if (shown === '') return { failed: [], isApplicable: false };
    const found = [{ element: all('title')[0] ?? document.documentElement, data: shown }];
    const isEmpty = titles.has(words(shown)) || file.test(shown) || /^https?:\/\/\S+$/.test(shown);
    if (isEmpty || isSiteAlone(shown)) return { failed: found, isApplicable: true };
    const reason = firstPages.has(words(shown)) ? 'first' : isForeign(shown) ? 'words' : null;
    return { failed: [], undecided: reason === null ? [] : found.map((each) => ({ ...each, data: { messageKey: reason } })), isApplicable: true };
  };
  // The only heading says what the page has of that which the title names: “Opening hours of the X” is called “X”.
  const isSiteAlone = (shown) => {
    const headings = all('h1').filter((heading) => isVisible(heading) && isExposed(heading));
    if (headings.length !== 1 || /^\/(?:index\.\w+)?$/.test(location.pathname)) return false;
    const heading = words(text(headings[0]));
    if (!heading.endsWith(` ${words(shown)}`)) return false;
    const rest = heading.slice(0, -words(shown).length).trim();
    return stems(shown).size > 0 && [...stems(rest)].filter((stem) => !['about', 'from', 'with', 'welco'].includes(stem)).length >= 2;
  };
  // Most words of the title are nowhere on the page, which may be of something else.
  const isForeign = (shown) => {
    const said = stems(shown);
    const [body] = all('body');
    if (said.size < 2 || !body) return false;
    const names = all('[alt], [aria-label], [placeholder], [value], meta[content]').map((element) => ['alt', 'aria-label', 'placeholder', 'value', 'content'].map((each) => attribute(element, each) ?? '').join(' '));
    const known = stems([text(body), ...names, location.href].join(' '));
    const missing = [...said].filter((stem) => !known.has(stem));
    return known.size >= 5 && missing.length * 2 > said.size;
  };

  const pictures = set(
    'image|img|picture|photo|photograph|graphic|icon|canvas|logo image|placeholder|spacer|alt|alt text|alternative text|image here|untitled|null|undefined|click|submit image',
    'bild|foto|grafik|platzhalter|alternativtext|зображення|картинка|малюнок|іконка|альтернативний текст',
    'obraz|obrazek|zdjęcie|grafika|ikona|tekst alternatywny|obrázek|fotka|ikonka|alternativní text',
    'imagine|poză|fotografie|pictogramă|text alternativ|изображение|фото|картинка|иконка|альтернативный текст',
  );
  // A number makes none of them say more: "Image 3".
  const saysNothing = (said) => pictures.has(said) || (said.length < 60 && pictures.has(said.replace(/ ?(?:element|no|nr|number)? ?\d+$/, '')));
  // What is within controls of these roles is nothing by itself, and their name may be given.
  const presentational = '[role="button"], [role="checkbox"], [role="img"], [role="menuitemcheckbox"], [role="menuitemradio"], [role="option"], [role="radio"], [role="switch"], [role="tab"], button';
  const isRenamed = (element) => {
    const control = closest(kit.parent(element) ?? element, presentational);
    return control !== null && control !== element && (has(control, 'aria-label') || has(control, 'aria-labelledby')) && name(control) !== '';
  };
  const pictureName = () => {
    const failed = [];
    let isApplicable = false;
    for (const element of all('img[alt], input[type="image" i][alt], svg[aria-label], canvas[aria-label], [role="img"][aria-label]')) {
      if (!isVisible(element) || !isExposed(element) || isRenamed(element)) continue;
      const said = name(element);
      if (said === '') continue;
      isApplicable = true;
      // In place of a picture that is missing, everybody reads its name.
      if (tag(element) === 'img' && kit.read(HTMLImageElement, 'complete', element) && kit.read(HTMLImageElement, 'naturalWidth', element) === 0) continue;
      const source = tag(element) === 'img' || tag(element) === 'input' ? (attribute(element, 'src') ?? '') : '';
      // The name of its own file, without its ending: `IMG_1234`.
      const own = source.split(/[?#]/)[0].split('/').pop().replace(/\.\w+$/, '');
      const isOwn = said === own && numbered.test(own);
      // The number may be what a control is for: the third picture of a gallery.
      const isNumbered = /\d$/.test(said) && closest(element, 'a, button, [role="button"], [role="link"], [role="tab"]') !== null;
      if (picture.test(said) || (saysNothing(words(said)) && !isNumbered) || isOwn) failed.push({ element, data: said });
    }
    return { failed, isApplicable };
  };

  const links = () => all('a[href], area[href], [role="link"]').filter((link) => isExposed(link) && role(link) === 'link');
  // What says nothing either where a link stands alone, and may be enough in its place.
  const alone = set('view|open|show|download|download now|icon|image|img|picture|photo|logo|button|anzeigen|öffnen|herunterladen|bild|symbol|переглянути|відкрити|завантажити|zobacz|otwórz|pobierz|zobrazit|otevřít|stáhnout|vezi|deschide|descarcă|посмотреть|открыть|скачать');
  const isVague = (said) => vague.has(said) || alone.has(said) || /^(?:link|посилання|odkaz|odnośnik|legătură|ссылка) \d+$/.test(said);
  const linkText = () => {
    const failed = [];
    let isApplicable = false;
    for (const link of links()) {
      const said = name(link);
      if (said === '') continue;
      isApplicable = true;
      // A description says what the name leaves out.
      const isDescribed = has(link, 'aria-describedby') || words(attribute(link, 'title') ?? '').length > said.length;
      // An address that leads to itself says where: a list of pages has no other name for one without a title.
      const isOwn = said.replace(/\/$/, '') === String(link.href ?? '').replace(/\/$/, '');
      const isAddress = (/^(?:https?:\/\/|www\.)\S+$/i.test(said) && !isOwn) || file.test(said);
      if ((isVague(words(said)) || isAddress) && !isDescribed) failed.push({ element: link, data: said });
    }
    return { failed, isApplicable };
  };

  // Words with which links say that a new window or tab opens.
  const opens = /(?:window|tab\b|tabs\b|extern|opens|fenster|reiter|вікн|вкладц|вкладк|okn|okni|kart[aęay]|karcie|záložk|fereastr|filă|nou[aă]?\b|окн|вклад|zewn|зовнішн|внешн)/iu;
  const newWindow = () => {
    const failed = [];
    let isApplicable = false;
    for (const link of all('a[href][target]')) {
      if ((attribute(link, 'target') ?? '').toLowerCase() !== '_blank' || !isExposed(link) || name(link) === '') continue;
      isApplicable = true;
      const described = (attribute(link, 'aria-describedby') ?? '').split(/\s+/).filter(Boolean);
      const more = described.flatMap((id) => all(`#${CSS.escape(id)}`)).map(text);
      const said = [name(link), attribute(link, 'title') ?? '', text(link), ...more].join(' ');
      // A picture in the link may be the sign for it.
      const hasSign = inside(link, 'svg, img, [class*="icon" i], [class*="extern" i]').length > 0;
      if (!opens.test(said) && !hasSign) failed.push({ element: link });
    }
    return { failed, isApplicable };
  };

  const formats = { pdf: 'PDF', doc: 'DOC|Word', docx: 'DOCX|Word', xls: 'XLS|Excel', xlsx: 'XLSX|Excel', ppt: 'PPT|PowerPoint', pptx: 'PPTX|PowerPoint', odt: 'ODT|OpenDocument', ods: 'ODS|OpenDocument', zip: 'ZIP', rtf: 'RTF', csv: 'CSV' };
  const documents = () => {
    const failed = [];
    let isApplicable = false;
    for (const link of links()) {
      const address = (attribute(link, 'href') ?? '').split(/[?#]/)[0];
      const ending = /\.([a-z]{3,4})$/i.exec(address)?.[1].toLowerCase();
      if (!Object.hasOwn(formats, ending ?? '') || name(link) === '') continue;
      isApplicable = true;
      // What stands beside the link in its line belongs to it.
      const around = closest(link, 'li, p, td, dd') ?? link;
      const said = [name(link), attribute(link, 'title') ?? '', attribute(link, 'type') ?? '', text(around).slice(0, 1_000)].join(' ');
      const hasSign = inside(link, 'svg, img, [class*="icon" i]').length > 0;
      if (!new RegExp(formats[ending], 'i').test(said) && !hasSign) failed.push({ element: link, data: ending.toUpperCase() });
    }
    return { failed, isApplicable };
  };

  const address = (link) => {
    const found = link instanceof HTMLAnchorElement ? kit.read(HTMLAnchorElement, 'href', link) : '';
    return /^https?:/.test(found) ? found : null;
  };
  const adjacent = () => {
    const failed = [];
    let isApplicable = false;
    let last = null;
    for (const link of all('a[href]')) {
      const to = address(link);
      if (to === null || !isVisible(link) || !isExposed(link)) continue;
      if (last !== null && last.to === to && to.split('#')[0] !== location.href.split('#')[0]) {
        const range = document.createRange();
        range.setStartAfter(last.link);
        try {
          range.setEndBefore(link);
        } catch {
          last = { link, to };
          continue;
        }
        const between = range.toString().trim();
        isApplicable = true;
        const isPictureAndText = inside(last.link, 'img, svg').length > 0 !== inside(link, 'img, svg').length > 0;
        const sameNames = words(name(last.link)) === words(name(link));
        if (between === '' && isPictureAndText && (sameNames || name(last.link) === '')) failed.push({ element: link });
      }
      last = { link, to };
    }
    return { failed, isApplicable };
  };

  const groups = () => {
    const failed = [];
    let isApplicable = false;
    for (const group of all('fieldset')) {
      if (!isVisible(group) || !isExposed(group) || ['none', 'presentation'].includes(attribute(group, 'role') ?? '')) continue;
      const legend = [...inside(group, 'legend')].find((found) => kit.parent(found) === group);
      const fields = [...inside(group, 'input:not([type="hidden" i], [type="submit" i], [type="button" i]), select, textarea')];
      if (legend === undefined && fields.filter(isVisible).length < 2) continue;
      isApplicable = true;
      if (name(group) === '') failed.push({ element: legend ?? group });
    }
    // Radio buttons of one name are one question, which stands nowhere in the code without a group.
    const questions = new Map();
    for (const radio of all('input[type="radio" i][name]')) {
      const form = kit.read(HTMLInputElement, 'form', radio);
      const own = questions.get(form) ?? new Map();
      const asked = attribute(radio, 'name');
      if (asked !== '' && isVisible(radio)) questions.set(form, own.set(asked, [...(own.get(asked) ?? []), radio]));
    }
    for (const radios of [...questions.values()].flatMap((own) => [...own.values()])) {
      if (radios.length < 2) continue;
      isApplicable = true;
      // A table may group by its headings, and each button may be described.
      const isGrouped = closest(radios[0], 'fieldset, [role="group"], [role="radiogroup"], table') !== null || has(radios[0], 'aria-describedby');
      if (!isGrouped) failed.push({ element: radios[0] });
    }
    return { failed, isApplicable };
  };

  // Words for where something is or what it looks like, by language: a place, a look, and what a page is made of.
  const senses = {
    en: [/ (?:on|to|at|in) the (?:far |upper |lower |top |bottom )?(?:left|right)(?: hand| side| column| corner)? /, / (?:round|square|circular|triangular|rectangular|oval|large|larger|big|bigger|small|smaller|tiny|red|green|blue|yellow|orange|purple|pink|black|white|gr[ae]y|brown) (?:\S+ )?(?:buttons?|links?|icons?|box|boxes|fields?|menu|images?|pictures?|tabs?|arrows?|text|items?|sections?|panels?|circle|square|triangle|star) /],
    de: [/ (?:rechts|links) (?:oben|unten|im|auf|neben|daneben|am|stehende|befindliche)| (?:oben|unten) (?:rechts|links) | auf der (?:rechten|linken) seite /, / (?:runde|eckige|dreieckige|quadratische|große|kleine|rote|grüne|blaue|gelbe|orange|schwarze|weiße|graue)[nmrs]? (?:schaltflächen?|knopf|knöpfe|button|link|symbol|felde?r?|kasten|menü|bild|pfeil|texte?) /],
    uk: [/ (?:праворуч|ліворуч|справа|зліва) /, / (?:кругл|квадратн|трикутн|велик|маленьк|червон|зелен|син|жовт|чорн|біл|сір)\S+ (?:кнопк|посиланн|значок|значк|пол|меню|зображенн|стрілк)\S* /],
    pl: [/ po (?:prawej|lewej)(?: stronie)? | w (?:prawym|lewym) (?:górnym|dolnym) rogu /, / (?:okrągł|kwadratow|trójkątn|duż|mał|czerwon|zielon|niebiesk|żółt|czarn|biał|szar)\S+ (?:przycisk|link|ikon|pol|menu|obraz|strzałk)\S* /],
    cs: [/ (?:vpravo|vlevo) (?:nahoře|dole|nahore)? ?/, / (?:kulat|čtvercov|trojúhelníkov|velk|mal|červen|zelen|modr|žlut|čern|bíl|šed)\S+ (?:tlačítk|odkaz|ikon|pol|nabídk|obráz|šipk)\S* /],
    ro: [/ (?:din|în) (?:dreapta|stânga) /, / (?:buton|link|pictogram|câmp|meniu|imagine|săgeat)\S* (?:rotund|pătrat|triunghiular|mare|mic|roșu|roși|verde|albastr|galben|negru|neagr|alb|gri)\S* /],
    ru: [/ (?:справа|слева) /, / (?:кругл|квадратн|треугольн|больш|маленьк|красн|зел[её]н|син|ж[её]лт|ч[её]рн|бел|сер)\S+ (?:кнопк|ссылк|значок|значк|пол|меню|изображени|стрелк)\S* /],
  };
  // Parts of a page of which programs know what they are, and that need no place where there is one of them.
  const kinds = [
    [/ (?:navigation|навігац\S*|nawigac\S*|navigac\S*|navigați\S*|навигац\S*) /, 'nav, [role="navigation"]'],
    [/ (?:search|suche|suchfeld|пошук\S*|wyszukiwar\S*|hledán\S*|căutar\S*|поиск\S*) /, 'search, [role="search"], input[type="search" i]'],
  ];
  const isOneOfItsKind = (line) => kinds.some(([kind, selector]) => kind.test(line) && all(selector).filter((each) => isExposed(each) && isVisible(each)).length === 1);
  const verbs = /(?:^| )(?:click|press|select|choose|use|push|tap|see|find|check|go|fill|enter|open|follow|pick|look|klick\S*|drück\S*|wähl\S*|nutz\S*|benutz\S*|verwend\S*|sieh|siehe|tipp\S*|folg\S*|öffn\S*|füll\S*|натисн\S*|клацн\S*|вибер\S*|обер\S*|скорист\S*|перейд\S*|заповн\S*|відкр\S*|klikni\S*|naciśni\S*|wybierz\S*|użyj\S*|zobacz\S*|przejdź\S*|wypełni\S*|otwórz\S*|klikn\S*|stiskn\S*|vyber\S*|zvol\S*|použij\S*|viz|přejd\S*|vypl\S*|otevř\S*|apăs\S*|apas\S*|clic|aleg\S*|select\S*|folos\S*|ved\S*|complet\S*|deschid\S*|нажм\S*|кликн\S*|выбер\S*|восполь\S*|заполн\S*|откр\S*) /u;
  const sensory = () => {
    const undecided = [];
    const [root] = all('html');
    const lang = ((root && attribute(root, 'lang')) ?? 'en').slice(0, 2).toLowerCase();
    const [place, look] = senses[lang] ?? senses.en;
    const places = all('p, li, dd, td, label, legend, div, span').filter((element) => kit.ownText(element));
    let names = null;
    let isApplicable = false;
    for (const element of places.slice(0, 3_000)) {
      const said = text(element);
      if (said.length > 3_000 || said.trim() === '') continue;
      isApplicable = true;
      for (const sentence of said.split(/[.!?]+\s/)) {
        const line = ` ${words(sentence)} `;
        if (!place.test(line) && !(look.test(line) && verbs.test(line))) continue;
        if (!isVisible(element) && !isExposed(element)) continue;
        // What is named as well is not told by its look alone.
        names ??= all('a[href], button, input, select, textarea, summary, h1, h2, h3, h4, h5, h6, legend, [role]').filter((each) => isExposed(each)).map((each) => words(name(each))).filter((each) => each.length > 2);
        const [found] = place.exec(line) ?? look.exec(line);
        const isNamed = names.some((each) => (line.includes(` ${each} `) && !found.includes(` ${each} `)) || ` ${each} `.includes(found));
        if (!isNamed && !isOneOfItsKind(line)) undecided.push({ element, data: found.trim() });
        break;
      }
    }
    // A text and what holds it are one.
    const inner = undecided.filter(({ element }) => !undecided.some((other) => other.element !== element && kit.contains(element, other.element)));
    return { failed: [], undecided: inner, isApplicable };
  };

  return {
    'a11ycheck-title-placeholder': title,
    'a11ycheck-picture-name': pictureName,
    'a11ycheck-link-text': linkText,
    'a11ycheck-new-window': newWindow,
    'a11ycheck-document-link': documents,
    'a11ycheck-adjacent-links': adjacent,
    'a11ycheck-group-name': groups,
    'a11ycheck-sensory-words': sensory,
  };
}
