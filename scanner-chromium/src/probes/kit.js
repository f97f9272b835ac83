// What probes share: ways to read a page that its own scripts, fields and names cannot turn, on top of axe-core, which is
// set up for the time in which they run. `contrasts` is what axe-core's check of contrast said about each element.
(contrasts) => {
  const getter = (type, name) => {
    const { get } = Object.getOwnPropertyDescriptor(type.prototype, name);
    return (node) => get.call(node);
  };
  const method = (type, name) => {
    const called = type.prototype[name];
    return (node, ...values) => called.apply(node, values);
  };
  // Getters and methods are called directly, since the fields of a form may hide its properties with their names.
  const attribute = method(Element, 'getAttribute');
  const has = method(Element, 'hasAttribute');
  const matches = method(Element, 'matches');
  const closest = method(Element, 'closest');
  const contains = method(Node, 'contains');
  const attributes = method(Element, 'getAttributeNames');
  const box = method(Element, 'getBoundingClientRect');
  const inside = method(Element, 'querySelectorAll');
  const parent = getter(Node, 'parentElement');
  const nodes = getter(Node, 'childNodes');
  const text = getter(Node, 'textContent');
  const nodeType = getter(Node, 'nodeType');
  const shadow = getter(Element, 'shadowRoot');
  const tag = getter(Element, 'localName');
  const inDocument = method(Document, 'querySelectorAll');
  const inFragment = method(DocumentFragment, 'querySelectorAll');
  // Undefined of an element of another kind, such as a link or an `<input>` in a drawing.
  const read = (type, name, node) => {
    try {
      return Reflect.get(type.prototype, name, node);
    } catch {
      return undefined;
    }
  };

  const trees = [document];
  for (const tree of trees) {
    for (const element of tree === document ? inDocument(tree, '*') : inFragment(tree, '*')) {
      const root = shadow(element);
      if (root && trees.length < 1_000) trees.push(root);
    }
  }
  // The elements of the document and of its open shadow trees.
  const selected = new Map();
  const all = (selector) => {
    if (!selected.has(selector)) {
      selected.set(selector, trees.flatMap((tree) => [...(tree === document ? inDocument : inFragment)(tree, selector)]));
    }
    return selected.get(selector);
  };
  const isHtml = (element) => element instanceof HTMLElement;

  const { dom, aria, text: names } = axe.commons;
  // Several probes ask the same about an element. What axe-core does not know has come since, and is left alone.
  const once = (answer, otherwise) => {
    const known = new Map();
    return (element) => {
      if (!known.has(element)) known.set(element, axe.utils.getNodeFromTree(element) ? answer(element) : otherwise);
      return known.get(element);
    };
  };
  const isVisible = once((element) => dom.isVisibleOnScreen(element), false);
  const isExposed = once((element) => dom.isVisibleToScreenReaders(element), false);
  const name = once((element) => names.sanitize(names.accessibleText(element) ?? ''), '');
  // The first role that exists counts, as in browsers.
  const role = once((element) => aria.getRole(element, { fallback: true }), null);
  const checkVisibility = method(Element, 'checkVisibility');
  // By its styles alone, in any document.
  const isShown = (element) => checkVisibility(element, { visibilityProperty: true, opacityProperty: true });
  const ownText = (element) =>
    [...nodes(element)].some((node) => nodeType(node) === Node.TEXT_NODE && /\S/.test(text(node)));
  // Letters and digits of any script in lower case, one space between words.
  const words = (value) => value.toLowerCase().replace(/[^\p{L}\p{M}\p{N}]+/gu, ' ').trim();

  // What can be seen of an element's text, in the order of the page, with spaces where blocks end.
  const visibleText = (element, most = 2_000) => {
    let found = '';
    const walk = (known) => {
      if (found.length >= most) return;
      const { actualNode: node, children } = known;
      if (nodeType(node) === Node.TEXT_NODE) found += text(node);
      if (nodeType(node) !== Node.ELEMENT_NODE || !isVisible(node)) return;
      const isInline = /^inline(?!-)|^contents/.test(getComputedStyle(node).display);
      if (!isInline || tag(node) === 'br') found += ' ';
      children.forEach(walk);
      if (!isInline) found += ' ';
    };
    const known = axe.utils.getNodeFromTree(element);
    if (known) walk(known);
    return found.slice(0, most);
  };
  // Style sheets that name fonts, and have no rules about elements but about how an icon's name becomes the icon.
  const fontSheet = /^https?:\/\/(?:fonts\.googleapis\.com|fonts\.bunny\.net)\//;
  // The rules of style sheets that apply in this window, up to a number that a page of some size has, without those within another rule; and whether
  // these are all, and mean the same wherever they stand.
  const readRules = () => {
    const rules = [];
    let isAll = true;
    const isOn = (media) => media === undefined || media.length === 0 || matchMedia(media.mediaText).matches;
    const take = (sheet, depth) => {
      let list;
      try {
        list = sheet.cssRules;
      } catch {
        // A style sheet of another site can't be read.
        isAll &&= fontSheet.test(sheet.href);
        return;
      }
      if (sheet.disabled || !isOn(sheet.media)) return;
      if (depth > 5) {
        isAll = false;
        return;
      }
      for (const rule of list) {
        if (rules.length >= 20_000) {
          isAll = false;
          return;
        }
        if (rule instanceof CSSStyleRule) rules.push(rule);
        else if (rule instanceof CSSImportRule) rule.styleSheet && take(rule.styleSheet, depth + 1);
        else if (rule instanceof CSSGroupingRule) {
          isAll &&= !(rule instanceof CSSScopeRule);
          take(rule, depth + 1);
        }
      }
    };
    for (const sheet of kept('styleSheets')) take(sheet, 0);
    for (const sheet of kept('adoptedStyleSheets')) take(sheet, 0);
    return { rules, isAll };
  };
  // The same rules for all that ask. Each question about one, and its selector most of all, is put together as text by the browser: who asks
  // thousands begins with what leaves most out.
  let found = null;
  const styleRules = () => (found ??= readRules().rules);
  const kept = (name) => [...read(Document, name, document)];
  // Elements that a selector from a style sheet means; none if it is not one for elements.
  const select = (selector) => {
    try {
      return all(selector);
    } catch {
      return [];
    }
  };

  // The elements that a listener of a node serves: the node itself, or the first ones below it that a selector means, which jQuery reads as relative to the
  // node. None if that can't be told: selectors of its own, of several levels below an element, and nodes of shadow trees and of frames.
  const served = (node, selector) => {
    if (selector === null) return [node];
    const isWhole = node === document;
    if (!isWhole && (!(node instanceof Element) || /[\s>+~]/.test(selector.trim().replace(/\s*,\s*/g, ',')))) return [];
    try {
      return Array.prototype.slice.call((isWhole ? inDocument : inside)(node, selector), 0, 50);
    } catch {
      return [];
    }
  };

  // Words with which a link says nothing about where it leads, in the languages of reports.
  const vague = new Set([
    'click|click here|here|more|read more|learn more|find out more|more info|more information|see more|view more|details|more details|link|this link|go|continue reading|continue|this|this page|page',
    'hier|hier klicken|klicken sie hier|klick hier|mehr|mehr lesen|weiterlesen|mehr erfahren|mehr infos|mehr informationen|details ansehen|weiter',
    'тут|тисніть тут|натисніть тут|клікніть тут|більше|докладніше|детальніше|читати далі|далі|дізнатися більше|посилання',
    'tutaj|kliknij|kliknij tutaj|więcej|czytaj więcej|czytaj dalej|dowiedz się więcej|więcej informacji|szczegóły|dalej',
    'zde|klikněte zde|klikni zde|více|číst více|více informací|zjistit více|pokračovat|podrobnosti|další',
    'aici|click aici|apasă aici|mai mult|mai multe|citește mai mult|află mai multe|mai multe detalii|detalii|continuă',
    'здесь|тут|нажмите здесь|нажмите сюда|кликните здесь|подробнее|ещё|еще|читать далее|далее|узнать больше|больше|ссылка',
  ].join('|').split('|'));

  // Elements that may be focusable, and these together with elements whose role says that they are.
  const focusable = 'a[href], area[href], button, input, select, textarea, summary, label, option, [tabindex], [contenteditable], iframe, audio, video';
  const reachable = `${focusable}, [role="button"], [role="link"]`;
  // A part of the page that only scripts can focus, such as the target of a skip link, is no control.
  const parts = new Map();
  const isPart = (element) => {
    if (!parts.has(element)) {
      const isOf = /^(?:main|document|region|dialog|alertdialog|tabpanel|none|presentation)?$/i.test(attribute(element, 'role') ?? '');
      const isFocused = isOf && matches(element, ':is(div, main, section, article)[tabindex^="-"]:not([contenteditable])');
      parts.set(element, isFocused && (matches(element, 'main, [role="main" i]') || inside(element, reachable).length > 0));
    }
    return parts.get(element);
  };

  return {
    all, attribute, attributes, box, closest, contains, contrasts, focusable, has, inside, isExposed, isHtml, isPart, isShown, isVisible, matches, name, nodes, nodeType, ownText,
    parent, reachable, read, readRules, role, select, served, shadow, styleRules, tag, text, vague, visibleText, words,
  };
}
