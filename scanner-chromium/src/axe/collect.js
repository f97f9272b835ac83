// Returns what a check needs from the page and from the outcome of `run.js` or `join.js`, as JSON text. `limits` bounds
// what leaves the page. `early` is null, or the number of milliseconds after its load for which the page has to stay
// unchanged for the outcome to count; the result is null if it has changed. `places` is the function of `places.js`.
async (limits, early, places) => {
  if (early !== null) {
    // Timers that are already due run first.
    await new Promise((resolve) => setTimeout(resolve, watch.since + early - performance.now()));
    if (!watch.isUnchanged()) return 'null';
  }
  globalThis.held?.release();
  const { results, probes = { violations: [], incomplete: [], passed: [], inapplicable: [], errors: [] } } = outcome;
  delete globalThis.outcome;

  const cut = (text, length) => String(text ?? '').slice(0, length);
  // Half a character, which scripts and axe-core leave where they cut a text, could not be read as text by the
  // receiver.
  const wellFormed = (_, value) => (typeof value === 'string' ? value.toWellFormed() : value);

  // Getters and methods are called directly, since the fields of a form may hide its properties with their names, and
  // other elements those of the document. They are those of this document's world, and work in its frames too.
  const read = (type, name, node) => Reflect.get(type.prototype, name, node);
  const methodsOf = (root) => (read(Node, 'nodeType', root) === Node.DOCUMENT_NODE ? Document : DocumentFragment).prototype;
  const find = (root, selector) => methodsOf(root).querySelector.call(root, selector);
  const select = (root, selector) => methodsOf(root).querySelectorAll.call(root, selector);

  // The document and every open shadow tree in it: menus of web components are links, too.
  const roots = () => {
    const found = [document];
    for (const root of found) {
      for (const element of select(root, '*')) {
        const shadow = read(Element, 'shadowRoot', element);
        if (shadow && found.length < limits.roots) found.push(shadow);
      }
    }
    return found;
  };

  const links = new Set();
  let hasPassword = false;
  const trees = roots();
  for (const root of trees) {
    hasPassword ||= find(root, 'input[type="password"]') !== null;
    for (const link of select(root, 'a[href]:not([download]), area[href]:not([download])')) {
      // A string for HTML; in SVG it is an object.
      const address = typeof link.href === 'string' ? link.href : '';
      if (links.size < limits.links && address.length <= limits.link && /^https?:/.test(address)) {
        // A fragment that is no anchor names a view of the application.
        links.add(address.replace(/#(?!!?\/).*/s, ''));
      }
    }
  }

  // Decides whether a login form is all that the page shows; a heading, a footer and the like may be beside it. The
  // texts in frames are not known, so a frame above a certain size counts as more.
  const showsOnlyLogin = () => {
    const all = (selectors) => trees.flatMap((root) => [...select(root, selectors)]);
    const isShown = (element) => element.checkVisibility({ opacityProperty: true, visibilityProperty: true });
    const login = ['type="password"', 'autocomplete~="current-password" i', 'autocomplete~="username" i'];
    const fields = all(login.map((attribute) => `input[${attribute}]`).join()).filter(isShown);
    if (fields.length === 0) return false;
    const forms = new Set(fields.map((field) => field.closest('form') ?? field.parentElement ?? field));
    const asked = 'input:not([type="hidden"], [type="submit"], [type="button"], [type="checkbox"], [type="radio"]), select, textarea';
    const questions = [...forms].flatMap((form) => [...Element.prototype.querySelectorAll.call(form, asked)]).filter(isShown);
    if (questions.length > limits.loginFields) return false;
    const isLarge = ({ width, height }) => width * height > limits.loginFrame;
    if (all('iframe').some((frame) => isShown(frame) && isLarge(frame.getBoundingClientRect()))) return false;
    const length = (element) =>
      element instanceof HTMLElement ? String(read(HTMLElement, 'innerText', element)).trim().length : 0;
    const sum = (elements) => elements.reduce((total, element) => total + length(element), 0);
    const shown = trees.flatMap((root) => (root === document ? [find(document, 'body')] : [...root.children]));
    return sum(shown) - sum([...forms]) <= limits.loginText;
  };

  const canonicals = select(document, 'head link[rel~="canonical" i][href]');
  const named = canonicals.length === 1 ? String(canonicals[0].href ?? '') : '';
  const canonical = named.length <= limits.link && /^https?:/.test(named) ? named : null;

  // Returns the frames that lead to an element, from the innermost, and the element; null if one of them is closed to
  // the page. A step of `target` is a selector, or several: a path through shadow trees.
  const through = (target) => {
    let [element, root] = [null, document];
    const frames = [];
    for (const step of target) {
      if (element) {
        frames.unshift(element);
        // A page that has changed may have a form there by now.
        root = element instanceof HTMLFormElement ? null : element.contentDocument;
      }
      for (const selector of [step].flat()) {
        element = root ? find(root, selector) : null;
        root = element && read(Element, 'shadowRoot', element);
      }
      if (!element) return null;
    }
    return { element, frames };
  };

  const isConnected = (element) => element && read(Node, 'isConnected', element);
  // Returns the position of the visible part of an element, from the document's top left corner.
  const area = ({ element, frames }) => {
    if (!isConnected(element)) return null;
    let { x, y, width, height } = Element.prototype.getBoundingClientRect.call(element);
    for (const frame of frames) {
      const style = getComputedStyle(frame);
      const [left, top, right, bottom] = ['Left', 'Top', 'Right', 'Bottom'].map((side) => parseFloat(style[`padding${side}`]));
      const box = frame.getBoundingClientRect();
      // The frame is scaled or turned, which hardly any page does.
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
    // No picture shows what is beyond this.
    const isOnPage = whole.every((value) => Number.isFinite(value) && value <= limits.place);
    return isOnPage && whole[2] > 0 && whole[3] > 0 ? whole : null;
  };
  const locate = ({ element, target }) => (target.length > 1 ? through(target) : { element, frames: [] });

  // Other selectors of an element, where its own may reveal something about people: values, addresses and numbers are
  // quoted, escaped or long. The script in a frame has done this for the elements inside it.
  const otherWays = places();
  const instead = ({ element, target: [first, ...rest] }) => {
    if (!/[[\\]|\d{4}/.test([first].flat().join())) return [];
    const found = rest.length === 0 ? element : through([first])?.element;
    if (!isConnected(found)) return [];
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
  // What axe-core's checks say about an element: ids, and of the data what may be a part of a sentence.
  const isScalar = (value) => ['string', 'number', 'boolean'].includes(typeof value);
  const piece = (value) => (typeof value === 'string' ? cut(value, limits.piece) : value);
  const reduced = (data) => {
    if (isScalar(data)) return piece(data);
    if (Array.isArray(data)) return data.filter(isScalar).slice(0, limits.pieces).map(piece);
    if (data === null || typeof data !== 'object') return null;
    const fields = Object.entries(data).filter(([, value]) => isScalar(value) || Array.isArray(value));
    return Object.fromEntries(fields.slice(0, limits.values).map(([name, value]) => [cut(name, limits.piece), reduced(value)]));
  };
  const checksOf = ({ any, all, none }) => [
    ...any.map((check) => ['any', check]),
    ...[...all, ...none].map((check) => ['all', check]),
  ];
  const checks = (node) => {
    const said = checksOf(node).slice(0, limits.checks).map(([need, { id, data }]) => ({ id, need, data: reduced(data) }));
    charactersLeft -= JSON.stringify(said).length;
    return said;
  };
  const entries = new Map();
  const located = new Map();
  const keep = (node) => {
    if (nodesLeft <= 0 || charactersLeft <= 0 || entries.has(node)) return;
    nodesLeft -= 1;
    const found = locate(node);
    const entry = {
      // One selector for each frame; an array among them is a path through shadow trees.
      selector: kept(node.target.flat(Infinity).join(' ')),
      instead: instead(node),
      html: kept(node.html),
      summary: kept(node.failureSummary),
      checks: checks(node),
      area: found && area(found),
    };
    entries.set(node, entry);
    if (found) located.set(entry, found);
  };
  const isOwn = ({ target }) => target.length === 1;
  // The page's own elements come first, so that no frame can crowd them out. Each rule has a share of elements and of
  // characters before any rule has more, so that thousands of elements of one rule hide no other.
  for (const { nodes } of results.violations) {
    // What the rules before did not use is added to the share of this one.
    charactersLeft += limits.characters / results.violations.length;
    const frames = nodes.filter((node) => !isOwn(node));
    [...nodes.filter(isOwn), ...frames].slice(0, limits.share).forEach(keep);
  }
  const all = results.violations.flatMap(({ nodes }) => nodes);
  all.filter(isOwn).forEach(keep);
  all.forEach(keep);
  const withNodes = (result) => rule(result, result.nodes.flatMap((node) => entries.get(node) ?? []));
  const violations = results.violations.map(withNodes);
  // What probes found has bounds of its own, so that it takes nothing from axe-core's. Only elements within them have a target.
  nodesLeft = limits.share * probes.violations.length;
  for (const { nodes } of probes.violations) {
    charactersLeft = limits.probeCharacters / probes.violations.length;
    nodes.slice(0, limits.share).forEach(keep);
  }
  violations.push(...probes.violations.map(withNodes));

  // Of the elements that axe-core could not decide about, a few of each rule are kept, beginning with one for each
  // reason. Each element counts for the reason of its first check.
  const reasonOf = (node) => {
    const [[, { id, data }]] = [...checksOf(node), ['all', { id: '', data: null }]];
    const key = typeof data === 'string' ? data : data?.messageKey;
    return { check: cut(id, limits.piece), key: typeof key === 'string' ? cut(key, limits.piece) : null };
  };
  const undecided = (list) => {
    nodesLeft = limits.undecided * list.length;
    return list.map((result) => {
      charactersLeft = limits.undecidedCharacters / list.length;
      return withReasons(result);
    });
  };
  const withReasons = (result) => {
    const reasons = new Map();
    for (const node of result.nodes) {
      const reason = reasonOf(node);
      const name = JSON.stringify(reason);
      if (!reasons.has(name) && reasons.size >= limits.reasons) continue;
      const { count, first } = reasons.get(name) ?? { count: 0, first: node };
      reasons.set(name, { ...reason, count: count + 1, first });
    }
    const firsts = [...reasons.values()].map(({ first }) => first);
    const chosen = [...new Set([...firsts, ...result.nodes.filter(isOwn), ...result.nodes])];
    chosen.slice(0, limits.undecided).forEach(keep);
    return { ...withNodes(result), reasons: [...reasons.values()].map(({ check, key, count }) => ({ check, key, count })) };
  };
  const incomplete = [...undecided(results.incomplete), ...undecided(probes.incomplete)];
  const idsOf = (results) => results.filter((result) => !result.error).map((result) => result.id);
  const collected = {
    version: axe.version,
    title: cut(read(Document, 'title', document), limits.text),
    hasPassword,
    showsOnlyLogin: showsOnlyLogin(),
    links: [...links],
    fragment: location.hash.length <= limits.link ? location.hash : '',
    canonical,
    violations,
    incomplete,
    passed: [...idsOf(results.passes), ...probes.passed],
    inapplicable: [...idsOf(results.inapplicable), ...probes.inapplicable],
    shared: probes.shared ?? null,
    probeErrors: probes.errors.map((error) => cut(error, limits.text)),
  };

  // For pictures, which show the page as it is by then: the elements that are returned, by their numbers among them all.
  const returned = [collected.violations, collected.incomplete].flat().flatMap(({ nodes }) => nodes);
  const elements = returned.map((entry) => located.get(entry) ?? null);
  globalThis.placed = { elements, area };
  return JSON.stringify(collected, wellFormed);
}
