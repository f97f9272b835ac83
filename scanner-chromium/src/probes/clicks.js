// Judges the elements on which scripts listen for clicks, which `clicks.rs` has found, and leaves those that nothing but a mouse seems to
// reach beside what `forms.js` has found by attributes and classes. `clicked` says which of them listen for a whole click. Calls no listener.
(facts, clicked, elements) => {
  const id = 'a11ycheck-mouse-only';
  const { probes } = outcome;
  // Where the probe has not run, a part of it says nothing about the page.
  if (![...probes.passed, ...probes.inapplicable].includes(id)) return;
  const { attribute, box, contains, focusable, inside, isExposed, isVisible, matches, name, parent, reachable, read, select, tag, visibleText, words } = probes.kit;
  const { getRootNode } = Node.prototype;

  // What is chosen with keys that an element around it or beside it gets, and what can't be used at all.
  const chosen = '[role="option"], [role="listbox"], [role="tree"], [role="grid"], [role="treegrid"], [inert], [aria-disabled="true" i]';
  const controls = new Set('button checkbox link menuitem menuitemcheckbox menuitemradio radio slider switch tab'.split(' '));
  const host = (element) => {
    const root = getRootNode.call(element);
    return root instanceof ShadowRoot ? read(ShadowRoot, 'host', root) : null;
  };
  const above = (element) => read(Element, 'assignedSlot', element) ?? parent(element) ?? host(element);
  // Content that takes the focus from scripts alone, as the target of a skip link does, is no control.
  const wrappers = new Map();
  const isWrapper = (element) => {
    if (!wrappers.has(element)) {
      const isPart = /^(?:main|document|region|dialog|alertdialog|tabpanel|none|presentation)?$/i.test(attribute(element, 'role') ?? '');
      wrappers.set(element, isPart && matches(element, ':is(div, main, section, article)[tabindex^="-"]:not([contenteditable])') && inside(element, reachable).length > 0);
    }
    return wrappers.get(element);
  };
  const isWithin = (element) => {
    let steps = 0;
    for (let each = element; each; each = above(each)) {
      steps += 1;
      if (steps > 500 || matches(each, chosen)) return true;
      // A role alone takes no focus.
      if (each === element ? matches(each, focusable) : matches(each, reachable) && !isWrapper(each)) return true;
    }
    return false;
  };
  // A shadow tree may be closed, and what is in it unknown.
  const isOwn = (element) => tag(element).includes('-') && matches(element, ':defined');

  const isCandidate = (element, isClicked) => {
    const isPicture = element instanceof SVGSVGElement || element instanceof HTMLImageElement;
    if (!isPicture && (!(element instanceof HTMLElement) || /^(?:html|body|form|fieldset|dialog|details|canvas|object|embed)$/.test(tag(element)))) return false;
    if (!isVisible(element) || !isExposed(element)) return false;
    const parts = inside(element, '*');
    // What holds this much stands for others: a handler of theirs, or a part of the page.
    if (parts.length > 30 || [element, ...parts].some(isOwn) || [...parts].some((part) => matches(part, reachable))) return false;
    const { width, height } = box(element);
    if (width * height > (innerWidth * innerHeight) / 4 || isWithin(element)) return false;
    const { cursor, pointerEvents } = getComputedStyle(element);
    if (pointerEvents === 'none') return false;
    const isPointed = /(?:^|\s)(?:pointer|zoom-in|zoom-out)$/.test(cursor);
    const said = words(visibleText(element));
    const count = said === '' ? 0 : said.split(' ').length;
    if (count === 0 && !isPicture && inside(element, 'img, svg').length === 0 && name(element) === '') {
      // A sign that styles draw.
      return isPointed && isClicked && Math.max(width, height) <= 100 && Math.min(width, height) >= 8;
    }
    const isControl = isPointed || controls.has((attribute(element, 'role') ?? '').trim().toLowerCase());
    if (count > (isControl ? 20 : 4) || !(isControl || isClicked)) return false;
    // The text that names a field gives it the focus.
    const label = attribute(element, 'id');
    return !label || select(`[aria-labelledby~="${CSS.escape(label)}"]`).length === 0;
  };

  const candidates = elements.filter((element, index) => isCandidate(element, clicked[index]));
  if (candidates.length === 0) return;
  const known = probes.incomplete.find((result) => result.id === id);
  const result = known ?? { id, ...facts, nodes: [] };
  const named = result.nodes.map(({ element }) => element);
  const isNamed = (element) => named.some((other) => contains(other, element) || contains(element, other));
  const found = candidates.filter((element) => !isNamed(element) && !candidates.some((other) => other !== element && contains(element, other)));
  for (const [index, element] of found.slice(0, 50).entries()) {
    result.nodes.push(probes.node(id, { element, data: { messageKey: 'listener' } }, index === 0 || result.nodes.length < 50));
  }
  if (!known && result.nodes.length > 0) probes.incomplete.push(result);
  if (probes.inapplicable.includes(id)) {
    probes.inapplicable = probes.inapplicable.filter((other) => other !== id);
    probes.passed.push(id);
  }
}
