// Judges the elements with listeners for clicks that `clicks.rs` has found, and adds those that seem to be reachable
// with a mouse only to the results of `forms.js`, which finds elements by attributes and classes. `ways` has for each node whether it
// listens for `click` or `dblclick`, and the selector of the elements below it that are meant, if it is not meant itself. Calls no listener.
(facts, ways, nodes) => {
  const id = 'a11ycheck-mouse-only';
  const { probes } = outcome;
  // If the probe of `forms.js` has not run, this part alone must not claim that the page passes.
  if (![...probes.passed, ...probes.inapplicable].includes(id)) return;
  const { attribute, box, contains, focusable, inside, isExposed, isPart, isVisible, matches, name, parent, reachable, read, select, served, tag, visibleText, words } = probes.kit;
  const { getRootNode } = Node.prototype;

  // Elements that are operated with keys by way of another element (composite widgets), and elements that can't be
  // operated at all.
  const chosen = '[role="option"], [role="listbox"], [role="tree"], [role="grid"], [role="treegrid"], [inert], [aria-disabled="true" i]';
  const controls = new Set('button checkbox link menuitem menuitemcheckbox menuitemradio radio slider switch tab'.split(' '));
  const host = (element) => {
    const root = getRootNode.call(element);
    return root instanceof ShadowRoot ? read(ShadowRoot, 'host', root) : null;
  };
  const above = (element) => read(Element, 'assignedSlot', element) ?? parent(element) ?? host(element);
  const isWithin = (element) => {
    let steps = 0;
    for (let each = element; each; each = above(each)) {
      steps += 1;
      if (steps > 500 || matches(each, chosen)) return true;
      // A role alone does not make an element focusable.
      if (each === element ? matches(each, focusable) : matches(each, reachable) && !isPart(each)) return true;
    }
    return false;
  };
  // A custom element may have a closed shadow tree, whose content is not known.
  const isOwn = (element) => tag(element).includes('-') && matches(element, ':defined');

  const isCandidate = (element, isClicked) => {
    const isPicture = element instanceof SVGSVGElement || element instanceof HTMLImageElement;
    if (!isPicture && (!(element instanceof HTMLElement) || /^(?:html|body|form|fieldset|dialog|details|canvas|object|embed)$/.test(tag(element)))) return false;
    if (!isVisible(element) || !isExposed(element)) return false;
    const parts = inside(element, '*');
    // An element with so much in it is a part of the page, or its listener serves elements in it.
    if (parts.length > 30 || [element, ...parts].some(isOwn) || [...parts].some((part) => matches(part, reachable))) return false;
    const { width, height } = box(element);
    if (width * height > (innerWidth * innerHeight) / 4 || isWithin(element)) return false;
    const { cursor, pointerEvents } = getComputedStyle(element);
    if (pointerEvents === 'none') return false;
    const isPointed = /(?:^|\s)(?:pointer|zoom-in|zoom-out)$/.test(cursor);
    const said = words(visibleText(element));
    const count = said === '' ? 0 : said.split(' ').length;
    if (count === 0 && !isPicture && inside(element, 'img, svg').length === 0 && name(element) === '') {
      // An icon that is drawn by styles alone.
      return isPointed && isClicked && Math.max(width, height) <= 100 && Math.min(width, height) >= 8;
    }
    // A heading that listens mostly opens what is below it.
    const isControl = isPointed || controls.has((attribute(element, 'role') ?? '').trim().toLowerCase()) || (isClicked && /^h[1-6]$/.test(tag(element)));
    if (count > (isControl ? 20 : 4) || !(isControl || isClicked)) return false;
    // A click on a text that names a field may just focus the field.
    const label = attribute(element, 'id');
    return !label || select(`[aria-labelledby~="${CSS.escape(label)}"]`).length === 0;
  };

  const clicked = new Map();
  for (const [index, [isClicked, selector]] of ways.entries()) {
    if (clicked.size >= 500) break;
    for (const element of served(nodes[index], selector)) clicked.set(element, clicked.get(element) || isClicked);
  }
  const candidates = [...clicked].filter(([element, isClicked]) => isCandidate(element, isClicked)).map(([element]) => element);
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
