// Reads the blocks that a page may share with other pages of its site, for the probes that compare pages when all of
// them are done: blocks outside of its main content, with their links and controls. Also reads whether the page has a
// search or an index. `limits` bounds all of it.
(kit) => (limits) => {
  const { all, attribute, attributes, closest, has, inside, isExposed, matches, name, parent, read, role, tag, text } = kit;
  const cut = (value, length) => String(value ?? '').slice(0, length);
  const root = read(Document, 'documentElement', document);

  const escaped = (value) => value.replace(/&/g, '&amp;').replace(/"/g, '&quot;').replace(/</g, '&lt;');
  const startTag = (element) => `<${[tag(element), ...attributes(element).map((key) => `${key}="${escaped(attribute(element, key) ?? '')}"`)].join(' ')}>`;
  // Selectors are built here, which takes less time than asking axe-core for them. There is none in shadow trees, and
  // for elements with more than 1,000 siblings of their type before them.
  const paths = new Map();
  const step = (element) => {
    const id = attribute(element, 'id') ?? '';
    // An id with digits may be new each time.
    if (/^[a-z][a-z_-]*$/i.test(id) && id.length <= 50 && kit.select(`#${id}`).length === 1) return { path: `#${id}` };
    const above = parent(element);
    if (above === null) return element === root ? { path: 'html' } : null;
    if (above === root && tag(element) === 'body') return { path: 'body' };
    let place = 1;
    for (let before = read(Element, 'previousElementSibling', element); before; before = read(Element, 'previousElementSibling', before)) {
      if (tag(before) === tag(element) && ++place > 1_000) return null;
    }
    return { above, path: `${CSS.escape(tag(element))}:nth-of-type(${place})` };
  };
  const path = (element, depth = 0) => {
    if (depth > 100) return '';
    if (!paths.has(element)) {
      const own = step(element);
      const above = own?.above ? path(own.above, depth + 1) : '';
      paths.set(element, own === null || (own.above && above === '') ? '' : own.above ? `${above} > ${own.path}` : own.path);
    }
    return paths.get(element);
  };

  const landmarks = new Set(['navigation', 'banner', 'contentinfo', 'search']);
  const candidates = 'nav, header, footer, search, [role]';
  const landmark = (element) => {
    for (let at = element && closest(element, candidates); at; at = parent(at) && closest(parent(at), candidates)) {
      if (landmarks.has(role(at))) return at;
    }
    return null;
  };
  const isContent = (element) => closest(element, 'main, article, dialog, [role="main"], [role="article"], [role="dialog"]') !== null;
  const placeOf = (element) => {
    const outer = parent(element) && landmark(parent(element));
    if (outer) return role(outer);
    return closest(element, 'aside, [role="complementary"]') ? 'complementary' : '';
  };

  const absolute = (address) => {
    const base = read(Node, 'baseURI', document);
    return URL.canParse(address, base) ? new URL(address, base).href : '';
  };
  const ofLink = (element) => {
    const given = (attribute(element, 'href') ?? '').trim();
    if (given.startsWith('#') && !/^#!?\//.test(given)) return given.length > 1 ? given : '';
    const address = absolute(given);
    return /^https?:/.test(address) ? address : '';
  };
  // Returns the key of a control: the action of its form and the name of the field there, or an id that a person seems
  // to have chosen; empty if it has none.
  const ofControl = (element) => {
    const kind = (attribute(element, 'type') ?? '').toLowerCase();
    const form = closest(element, 'form');
    const action = form && (attribute(form, 'action') ?? '').trim() !== '' ? absolute(attribute(form, 'action')).replace(/[?#].*/s, '') : '';
    const own = attribute(element, 'name') ?? '';
    const sends = ['submit', 'image'].includes(kind) || (tag(element) === 'button' && kind === '' && form !== null);
    if (sends) {
      if (!form || has(element, 'formaction')) return '';
      const field = [...inside(form, 'input[name]:not([type="hidden"], [type="submit"], [type="image"], [type="button"]), select[name], textarea[name]')][0];
      const first = field ? attribute(field, 'name') : '';
      return action === '' && first === '' ? '' : `submit ${action} ${first} ${own}`;
    }
    if (tag(element) === 'button' || ['button', 'reset'].includes(kind)) {
      const id = attribute(element, 'id') ?? '';
      return /^[a-z][a-z_-]*$/i.test(id) ? `button ${id}` : '';
    }
    return own === '' ? '' : `field ${action} ${own}`;
  };

  const blocks = new Map();
  let items = 0;
  let isCut = false;
  for (const element of all('a[href], area[href], button, input:not([type="hidden"]), select, textarea')) {
    if (!isExposed(element)) continue;
    const around = landmark(parent(element));
    if (around === null || isContent(around)) continue;
    const key = matches(element, 'a, area') ? ofLink(element) : ofControl(element);
    if (key === '') continue;
    if (items >= limits.items || key.length > limits.key || (!blocks.has(around) && blocks.size >= limits.blocks)) {
      isCut = true;
      continue;
    }
    const selector = path(element);
    if (selector === '' || selector.length > limits.selector) {
      isCut = true;
      continue;
    }
    if (!blocks.has(around)) {
      blocks.set(around, {
        role: role(around),
        place: placeOf(around),
        label: cut(name(around), limits.name),
        selector: cut(path(around), limits.selector),
        source: cut(startTag(around), limits.source),
        items: [],
      });
    }
    const isVoid = tag(element) === 'input' || tag(element) === 'area';
    const inner = matches(element, 'a, button') ? text(element).slice(0, 5_000).replace(/\s+/g, ' ').trim().slice(0, limits.name) : '';
    items += 1;
    blocks.get(around).items.push({
      key,
      name: cut(name(element), limits.name),
      selector,
      source: cut(isVoid ? startTag(element) : `${startTag(element)}${escaped(inner)}</${tag(element)}>`, limits.source),
    });
  }

  // Words for a search or an index of pages, in the languages of reports. In doubt, the page counts as having one.
  const search = /\bsearch|(?<!be|ver|unter)suche\b|\bsuchen\b|пошук|szuka|(?<!\p{L})hled|vyhled[aá]v|c[ăa]ut[aă]|поиск/iu;
  const finds = /\bfind\b|\bfinden\b|знайти|шукати|znajdź|najít|găs[ei]|найти|искать/iu;
  const index = /site[\s_-]?map|\ba\s*(?:-|–|—|to|bis)\s*z\b|(?<!\p{L})а\s*[-–—]\s*я(?!\p{L})|table of contents|all pages|site index|inhaltsverzeichnis|inhaltsübersicht|seitenübersicht|alle seiten|карта сай|мапа сай|карта порт|mapa (?:strony|stron|serwisu|witryny|webu|stránek)|spis tre|obsah webu|rejstřík|harta site|cuprins|содержание сай/iu;
  const links = all('a[href], area[href]');
  const said = (element) => `${isExposed(element) ? name(element) : text(element)} ${attribute(element, 'href') ?? ''}`.slice(0, 1_000);
  const fields = all('input[type="search"], [role="searchbox"], [role="search"], search');
  const typed = all('input:not([type]), input[type="text"], button, [role="button"]');
  const words = (element) => ['name', 'id', 'placeholder', 'aria-label', 'title', 'class'].map((key) => attribute(element, key) ?? '').join(' ').slice(0, 500);
  const asks = (element) => /^(?:q|s|query)$/i.test(attribute(element, 'name') ?? '') || [words(element), text(element).slice(0, 200), isExposed(element) ? name(element) : ''].some((said) => search.test(said) || finds.test(said));
  return {
    language: cut((attribute(root, 'lang') ?? '').trim().toLowerCase().split('-')[0], 20),
    source: cut(startTag(root), limits.source),
    hasSearch: fields.length > 0 || typed.some(asks) || links.some((link) => search.test(said(link))),
    hasIndex: links.some((link) => index.test(said(link))),
    isCut,
    blocks: [...blocks.values()],
  };
}
