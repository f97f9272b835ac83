// Returns what a visitor sees of the page, as JSON text: the facts that decide whether it is a page of the site at
// all, and what covers it. `marks` are those of products that put pages in place of a site's, `consent`
// recognises requests for consent, and `limits` bounds what is examined. It reads, and changes nothing.
(marks, consent, limits) => {
  const cut = (text, length) => String(text ?? '').slice(0, length);
  // Getters and methods are called directly, since the fields of a form may hide its properties with their names, and
  // other elements those of the document. They are looked up once, as they are called for many elements.
  const getter = (type, name) => Object.getOwnPropertyDescriptor(type.prototype, name).get;
  const [parentOf, typeOf, textOf] = ['parentElement', 'nodeType', 'textContent'].map((name) => getter(Node, name));
  const shadowOf = getter(Element, 'shadowRoot');
  const { contains, getRootNode } = Node.prototype;
  const { checkVisibility, getAttribute, getBoundingClientRect, matches: matchesOf } = Element.prototype;
  const { createTreeWalker, elementFromPoint, elementsFromPoint } = Document.prototype;
  const documentElement = getter(Document, 'documentElement').call(document);
  const methodsOf = (root) => (root === document ? Document : DocumentFragment).prototype;
  const select = (root, selector) => methodsOf(root).querySelectorAll.call(root, selector);
  const has = (root, selector) => methodsOf(root).querySelector.call(root, selector) !== null;
  const matches = (element, selector) => matchesOf.call(element, selector);
  // The parent in the page as it is drawn, across the bounds of shadow trees.
  const above = (node) => {
    const parent = parentOf.call(node);
    const root = parent === null ? getRootNode.call(node) : null;
    return root instanceof ShadowRoot ? root.host : parent;
  };
  const isShown = (element) => {
    for (let node = element; node; node = above(node)) {
      if (checkVisibility.call(node, { opacityProperty: true, visibilityProperty: true })) return true;
      // An element without a box of its own is shown if the element around it is.
      if (getComputedStyle(node).display !== 'contents') return false;
    }
    return false;
  };
  const isLarge = (element) => {
    const { width, height } = getBoundingClientRect.call(element);
    return width * height >= limits.media && isShown(element);
  };
  const isWithin = (node, elements) => {
    for (let element = node; element; element = above(element)) if (elements.has(element)) return true;
    return false;
  };

  // The document and every open shadow tree in it.
  const trees = [document];
  for (const root of trees) {
    for (const element of select(root, '*')) {
      const shadow = shadowOf.call(element);
      if (shadow && trees.length < limits.roots) trees.push(shadow);
    }
  }
  const all = (selector) => trees.flatMap((root) => [...select(root, selector)]);
  const shown = (selector, count) => all(selector).filter(isShown).slice(0, count);

  // The texts, until there are more than a sparse page has.
  const texts = [];
  let [nodes, characters] = [0, 0];
  for (const root of trees) {
    const walker = createTreeWalker.call(document, root, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT, (node) => {
      if (typeOf.call(node) === Node.TEXT_NODE) return NodeFilter.FILTER_ACCEPT;
      nodes += 1;
      const hasBox = checkVisibility.call(node) || getComputedStyle(node).display === 'contents';
      return hasBox && nodes < limits.nodes ? NodeFilter.FILTER_SKIP : NodeFilter.FILTER_REJECT;
    });
    while (characters < limits.text && walker.nextNode()) {
      const text = walker.currentNode.data.trim();
      const parent = above(walker.currentNode);
      if (text === '' || !parent || !isShown(parent)) continue;
      texts.push({ text: cut(text, limits.text), parent });
      characters += text.length;
    }
  }
  const isMore = nodes >= limits.nodes || characters >= limits.text;
  // Selects what is judged only on sparse pages.
  const sparse = (selector) => (isMore ? [] : all(selector));
  const length = (some) => some.reduce((sum, { text }) => sum + text.length, 0);
  const within = (elements) => texts.filter(({ parent }) => isWithin(parent, elements));

  // What else there is to see and to do.
  const links = sparse('a[href], area[href]').filter(isShown).slice(0, limits.links).map((element) => {
    const address = typeof element.href === 'string' ? element.href : '';
    const url = URL.canParse(address) ? new URL(address) : null;
    const isOwn = url !== null && url.host === location.host && url.pathname !== location.pathname;
    return { element, address: cut(address, limits.address), isOwn };
  });
  const notAsked = ['hidden', 'submit', 'button', 'checkbox', 'radio', 'image', 'reset'].map((type) => `[type="${type}" i]`);
  const fields = sparse(`input:not(${notAsked}), select, textarea`).filter(isShown).slice(0, limits.fields);
  const media = sparse('img, video, canvas, svg, object, embed, iframe, frame').filter(isLarge);

  const inline = sparse('script:not([src])')
    .slice(0, limits.scripts)
    .map((script) => cut(textOf.call(script), limits.script))
    .join('\n');
  const isMarked = ({ selectors, inline: parts }) =>
    (selectors !== '' && trees.some((root) => has(root, selectors))) || parts.some((part) => inline.includes(part));

  // The elements that ask for consent: those of known products, and those whose words do so and that contain something
  // to press.
  const OFF = ['inert', 'aria-hidden="true"'].flatMap((off) => [`body > [${off}]`, `main[${off}]`, `main > [${off}]`]).join();
  const DIALOG = 'dialog[open], [role="dialog"], [role="alertdialog"], [aria-modal="true"]';
  const NAMED = ['cookie', 'consent', 'gdpr'].flatMap((word) => [`[id*="${word}" i]`, `[class*="${word}" i]`]).join();
  const PRESSED = 'button, [role="button"], input[type="submit"], input[type="button"], a[href]';
  const managers = all(consent.managers).slice(0, limits.layers).filter((element) => shadowOf.call(element) || isShown(element));
  let buttons = null;
  const canBePressed = (own) => {
    buttons ??= all(PRESSED);
    return buttons.some((button) => isWithin(button, own) && isShown(button));
  };
  const words = new RegExp(consent.words.join('|'), 'iu');
  const asks = (element) => {
    const own = new Set([element]);
    const said = within(own).map(({ text }) => text).join(' ');
    return isWithin(element, new Set(managers)) || (words.test(said) && canBePressed(own));
  };
  const dialogs = shown(DIALOG, limits.layers);

  // What covers the page: at each point of a grid, the layer that a visitor would hit, and whether there is something
  // behind it.
  // Most points are within the same few elements, and nothing changes meanwhile: each element is judged once.
  const once = (judge) => {
    const known = new Map();
    return (element) => {
      if (!known.has(element)) known.set(element, judge(element));
      return known.get(element);
    };
  };
  const isLayer = once((element) =>
    getComputedStyle(element).position === 'fixed' || matches(element, `:modal, ${DIALOG}`) || managers.includes(element));
  const isPainted = once((element) => {
    const { backgroundColor, backgroundImage, backdropFilter } = getComputedStyle(element);
    const isClear = backgroundColor === 'transparent' || /^rgba\(.*, 0\)$/.test(backgroundColor);
    return !isClear || backgroundImage !== 'none' || backdropFilter !== 'none';
  });
  const isPage = (element) => element === documentElement || matches(element, 'body');
  const speaking = new Set(texts.map(({ parent }) => parent));
  const shows = (element) =>
    speaking.has(element) || matches(element, 'img, video, canvas, svg, iframe, input, button, select, textarea');
  const hit = (x, y) => {
    let element = elementFromPoint.call(document, x, y);
    while (element && shadowOf.call(element)) {
      const inner = shadowOf.call(element).elementFromPoint(x, y);
      if (!inner || inner === element) break;
      element = inner;
    }
    return element;
  };
  const layers = new Set();
  let [covered, overSomething] = [0, 0];
  for (let point = 0; point < limits.columns * limits.rows; point += 1) {
    const x = (((point % limits.columns) + 0.5) * innerWidth) / limits.columns;
    const y = ((Math.floor(point / limits.columns) + 0.5) * innerHeight) / limits.rows;
    let [layer, painted] = [null, false];
    for (let element = hit(x, y); element && !isPage(element); element = above(element)) {
      // The surroundings of a layer are not painted by it.
      painted ||= layer === null && (isPainted(element) || shows(element));
      if (isLayer(element)) layer = element;
    }
    if (!layer || !painted || !isShown(layer)) continue;
    covered += 1;
    layers.add(layer);
    const isBehind = (element) => !isWithin(element, layers) && !contains.call(element, layer) && !isPage(element);
    overSomething += elementsFromPoint.call(document, x, y).some((element) => isBehind(element) && shows(element));
  }
  // Nothing behind a modal dialog can be hit, and nobody can use what is inert or hidden from assistive technology.
  const modals = new Set(dialogs.filter((dialog) => matches(dialog, ':modal')));
  const isOverAll = modals.size > 0 && characters > length(within(modals));
  const off = new Set(dialogs.length > 0 ? all(OFF) : []);
  const offShare = off.size > 0 && characters > 0 ? length(within(off)) / length(texts) : 0;
  const share = isOverAll || overSomething * 10 >= covered ? covered / (limits.columns * limits.rows) : 0;
  const percent = Math.round(100 * Math.max(isOverAll ? 1 : 0, share, offShare));

  const asking = new Set([...dialogs, ...managers, ...layers, ...shown(NAMED, limits.layers)].filter(asks));
  const isOutside = (element) => !isWithin(element, asking);
  const isConsent = [...dialogs, ...managers, ...layers].some((element) => asking.has(element));
  // The content that waits for an answer to a request for consent.
  const CONTENT = 'main, [role="main"], article, #main, #content, #page, #app, #root, #wrapper';
  const waiting = all(CONTENT).slice(0, limits.layers).filter((element) => !isShown(element) && isOutside(element));
  const hidden = Math.max(0, ...waiting.map((element) => cut(textOf.call(element), limits.text).trim().length));
  const robots = all('meta[name="robots" i]').map((meta) => cut(getAttribute.call(meta, 'content'), limits.address));
  const sight = {
    title: cut(getter(Document, 'title').call(document), limits.title),
    headings: shown('h1, h2', limits.headings).map((heading) => cut(textOf.call(heading), limits.title)),
    text: cut(texts.map(({ text }) => text).join(' '), limits.text),
    isMore,
    ownLinks: new Set(links.filter(({ isOwn }) => isOwn).map(({ address }) => address)).size,
    fields: fields.length,
    marks: isMore ? [] : marks.flatMap((mark, index) => (isMarked(mark) ? [index] : [])),
    isNoindex: robots.some((content) => /noindex|none/i.test(content)),
    refreshes: all('meta[http-equiv="refresh" i]').length > 0,
    consent: asking.size === 0 ? null : {
      characters: length(texts.filter(({ parent }) => isOutside(parent))),
      links: links.filter(({ element, isOwn }) => isOwn && isOutside(element)).length,
      media: media.filter(isOutside).length,
      fields: fields.filter(isOutside).length,
      hidden,
      covered: Math.round((100 * covered) / (limits.columns * limits.rows)),
    },
    cover: percent < limits.cover ? null : {
      kind: isConsent ? 'consent' : dialogs.length > 0 ? 'dialog' : 'overlay',
      percent: Math.min(percent, 100),
    },
  };
  // Half a character, which scripts and axe-core leave where they cut a text, could not be read as text by the
  // receiver.
  const wellFormed = (_, value) => (typeof value === 'string' ? value.toWellFormed() : value);
  return JSON.stringify(sight, wellFormed);
}
