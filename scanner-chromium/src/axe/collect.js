// Returns what a check needs of the page and of what `run.js` or `join.js` left, as JSON text. `limits` bounds what leaves the page.
// `early` is null, or the milliseconds after its load for which the page has to stay as it was for that to count; the result
// is null if it does not. `places` is the function of `places.js`.
async (limits, early, places) => {
  if (early !== null) {
    // Timers that fell due meanwhile come first.
    await new Promise((resolve) => setTimeout(resolve, watch.since + early - performance.now()));
    if (!watch.isUnchanged()) return 'null';
  }
  const { results } = outcome;
  delete globalThis.outcome;

  const cut = (text, length) => String(text ?? '').slice(0, length);
  // Half a character, which scripts and axe-core leave where they cut a text, is no text to whoever reads the answer.
  const wellFormed = (_, value) => (typeof value === 'string' ? value.toWellFormed() : value);

  // The document and every open shadow tree in it: menus of web components are links, too.
  const roots = () => {
    const found = [document];
    for (const root of found) {
      for (const element of root.querySelectorAll('*')) {
        // Past fields that hide the property.
        const shadow = Reflect.get(Element.prototype, 'shadowRoot', element);
        if (shadow && found.length < limits.roots) found.push(shadow);
      }
    }
    return found;
  };

  const links = new Set();
  let hasPassword = false;
  const trees = roots();
  for (const root of trees) {
    hasPassword ||= root.querySelector('input[type="password"]') !== null;
    for (const link of root.querySelectorAll('a[href]:not([download]), area[href]:not([download])')) {
      // A string for HTML; in SVG it is an object.
      const address = typeof link.href === 'string' ? link.href : '';
      if (links.size < limits.links && address.length <= limits.link && /^https?:/.test(address)) {
        // A fragment that is no anchor names a view of the application.
        links.add(address.replace(/#(?!!?\/).*/s, ''));
      }
    }
  }

  // Whether a login form is all that the page shows: a heading, a footer and the like may stand beside it. Texts that frames show
  // are not known, so that a frame of some size counts as more.
  const showsOnlyLogin = () => {
    const all = (selectors) => trees.flatMap((root) => [...root.querySelectorAll(selectors)]);
    const isShown = (element) => element.checkVisibility({ opacityProperty: true, visibilityProperty: true });
    const login = ['type="password"', 'autocomplete~="current-password" i', 'autocomplete~="username" i'];
    const fields = all(login.map((attribute) => `input[${attribute}]`).join()).filter(isShown);
    if (fields.length === 0) return false;
    const forms = new Set(fields.map((field) => field.closest('form') ?? field.parentElement));
    const asked = 'input:not([type="hidden"], [type="submit"], [type="button"], [type="checkbox"], [type="radio"]), select, textarea';
    const questions = [...forms].flatMap((form) => [...Element.prototype.querySelectorAll.call(form, asked)]).filter(isShown);
    if (questions.length > limits.loginFields) return false;
    const isLarge = ({ width, height }) => width * height > limits.loginFrame;
    if (all('iframe').some((frame) => isShown(frame) && isLarge(frame.getBoundingClientRect()))) return false;
    // Past fields that hide the property.
    const length = (element) =>
      element instanceof HTMLElement ? String(Reflect.get(HTMLElement.prototype, 'innerText', element)).trim().length : 0;
    const sum = (elements) => elements.reduce((total, element) => total + length(element), 0);
    const shown = trees.flatMap((root) => (root === document ? [document.querySelector('body')] : [...root.children]));
    return sum(shown) - sum([...forms]) <= limits.loginText;
  };

  const canonicals = document.querySelectorAll('head link[rel~="canonical" i][href]');
  const named = canonicals.length === 1 ? String(canonicals[0].href ?? '') : '';
  const canonical = named.length <= limits.link && /^https?:/.test(named) ? named : null;

  // The frames that lead to an element, from the innermost, and the element; null where one of them is closed to the page. A
  // step of `target` is a selector, or several: a path through shadow trees.
  const through = (target) => {
    let [element, root] = [null, document];
    const frames = [];
    for (const step of target) {
      if (element) {
        frames.unshift(element);
        root = element.contentDocument;
      }
      for (const selector of [step].flat()) {
        element = root && root.querySelector(selector);
        root = element?.shadowRoot;
      }
      if (!element) return null;
    }
    return { element, frames };
  };

  // Where the visible part of an element stands, from the document's top left corner.
  const area = ({ element, frames }) => {
    if (!element?.isConnected) return null;
    // Past a field that hides the property of its form.
    let { x, y, width, height } = Element.prototype.getBoundingClientRect.call(element);
    for (const frame of frames) {
      const style = getComputedStyle(frame);
      const [left, top, right, bottom] = ['Left', 'Top', 'Right', 'Bottom'].map((side) => parseFloat(style[`padding${side}`]));
      const box = frame.getBoundingClientRect();
      // Scaled or turned, which nobody does.
      if (Math.abs(box.width - frame.offsetWidth) > 1 || Math.abs(box.height - frame.offsetHeight) > 1) return null;
      width = Math.min(x + width, frame.clientWidth - left - right);
      height = Math.min(y + height, frame.clientHeight - top - bottom);
      [x, y] = [Math.max(x, 0), Math.max(y, 0)];
      [width, height] = [width - x, height - y];
      if (width <= 0 || height <= 0) return null;
      x += box.x + frame.clientLeft + left;
      y += box.y + frame.clientTop + top;
    }
    x += scrollX;
    y += scrollY;
    const values = [Math.max(x, 0), Math.max(y, 0), width + Math.min(x, 0), height + Math.min(y, 0)];
    const whole = values.map(Math.round);
    // What stands beyond is on no picture.
    const isOnPage = whole.every((value) => Number.isFinite(value) && value <= limits.place);
    return isOnPage && whole[2] > 0 && whole[3] > 0 ? whole : null;
  };
  const place = ({ element, target }) => {
    const found = target.length > 1 ? through(target) : { element, frames: [] };
    return found && area(found);
  };

  // Other ways to an element, for selectors that may tell of people: values, addresses and numbers are quoted, escaped or long.
  // Frames have seen to what is inside of them.
  const otherWays = places();
  const instead = ({ element, target: [first, ...rest] }) => {
    if (!/[[\\]|\d{4}/.test([first].flat().join())) return [];
    const found = rest.length === 0 ? element : through([first])?.element;
    if (!found?.isConnected) return [];
    const selectors = otherWays(found).map((way) => [way, ...rest].flat(Infinity).join(' '));
    return selectors.filter((selector) => selector.length <= limits.text).map(kept);
  };

  let nodesLeft = limits.nodes;
  let charactersLeft = 0;
  const kept = (text) => {
    const part = cut(text, limits.text);
    charactersLeft -= part.length;
    return part;
  };
  const rule = (result, nodes) => ({
    id: result.id,
    impact: result.impact ?? result.nodes.find((node) => node.impact)?.impact ?? null,
    tags: result.tags,
    help: cut(result.help, limits.text),
    description: cut(result.description, limits.text),
    helpUrl: cut(result.helpUrl, limits.text),
    total: result.nodes.length,
    error: result.error ? cut(result.error.message ?? result.error, limits.text) : null,
    nodes,
  });
  const entries = new Map();
  const keep = (node) => {
    if (nodesLeft <= 0 || charactersLeft <= 0 || entries.has(node)) return;
    nodesLeft -= 1;
    entries.set(node, {
      // One selector per frame; an array among them is a path through shadow trees.
      selector: kept(node.target.flat(Infinity).join(' ')),
      instead: instead(node),
      html: kept(node.html),
      summary: kept(node.failureSummary),
      area: place(node),
    });
  };
  const isOwn = ({ target }) => target.length === 1;
  // The page's own elements come first, so that no frame can crowd them out. And each rule has a share of elements and of
  // characters before one has more, so that thousands of elements of one rule hide no other.
  for (const { nodes } of results.violations) {
    // What the rules before did not use is this one's as well.
    charactersLeft += limits.characters / results.violations.length;
    const frames = nodes.filter((node) => !isOwn(node));
    [...nodes.filter(isOwn), ...frames].slice(0, limits.share).forEach(keep);
  }
  const all = results.violations.flatMap(({ nodes }) => nodes);
  all.filter(isOwn).forEach(keep);
  all.forEach(keep);
  const violation = (result) => rule(result, result.nodes.flatMap((node) => entries.get(node) ?? []));
  const collected = {
    version: axe.version,
    // Past a form named "title", which hides the property.
    title: cut(Reflect.get(Document.prototype, 'title', document), limits.text),
    hasPassword,
    showsOnlyLogin: showsOnlyLogin(),
    links: [...links],
    fragment: location.hash.length <= limits.link ? location.hash : '',
    canonical,
    violations: results.violations.map(violation),
    incomplete: results.incomplete.map((result) => rule(result, [])),
    ran: [results.passes, results.violations, results.incomplete, results.inapplicable]
      .flat()
      .filter((result) => !result.error)
      .map((result) => result.id),
  };
  return JSON.stringify(collected, wellFormed);
}
