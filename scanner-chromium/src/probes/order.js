// The probe of focus order: it finds places at which the Tab key moves the focus against the direction in which the
// page is read. It computes them from positions and styles, and presses no key.
(kit) => {
  const { box, inside, isExposed, isHtml, isVisible, matches, name, shadow, tag } = kit;
  const { dom } = axe.commons;
  const most = { stops: 2_000, depth: 60, named: 10 };

  // Elements that are read separately from the rest of the page, or that show only a part of their content at a time.
  const ownOrder = 'dialog, [popover], [role="dialog"], [role="alertdialog"], [aria-modal="true"], [aria-roledescription="carousel" i], ' +
    ['carousel', 'slider', 'slick', 'swiper', 'splide', 'glide', 'marquee'].map((part) => `[class*="${part}" i]`).join();
  const landmarks = 'main, nav, aside, header, footer, [role="main"], [role="navigation"], [role="complementary"], [role="banner"], [role="contentinfo"], [role="search"], [role="region"]';

  // Returns the ancestors of a node in the flat tree (slots and shadow trees resolved), the nearest first.
  const above = (known) => {
    const found = [];
    for (let at = known.parent; at && found.length < most.depth; at = at.parent) {
      if (at.actualNode instanceof Element) found.push(at);
    }
    return found;
  };
  // Returns the positive `tabindex` of an element, or 0. In a shadow tree or a slot, `tabindex` orders only the
  // elements of that tree, and counts as 0 here.
  const rank = (known) => {
    const given = kit.read(HTMLElement, 'tabIndex', known.actualNode) ?? kit.read(SVGElement, 'tabIndex', known.actualNode) ?? 0;
    return given > 0 && !above(known).some((ancestor) => shadow(ancestor.actualNode)) ? given : 0;
  };
  // Returns the elements on which the Tab key stops, in document order. Radio buttons are left out, since the arrow
  // keys move among them.
  const stops = () => {
    const found = [];
    const candidates = new Set(kit.all('a[href], area[href], button, input, select, textarea, summary, details, [tabindex]'));
    const left = [axe.utils.getNodeFromTree(kit.read(Document, 'documentElement', document))].filter(Boolean);
    while (left.length > 0 && found.length < most.stops) {
      const known = left.pop();
      for (let at = known.children.length - 1; at >= 0; at -= 1) left.push(known.children[at]);
      const element = known.actualNode;
      if (!candidates.has(element) || !isHtml(element) || !dom.isInTabOrder(known) || !isVisible(element) || !isExposed(element)) continue;
      if (tag(element) === 'input' && kit.read(HTMLInputElement, 'type', element) === 'radio') continue;
      found.push({ element, known, seen: box(element), index: found.length, rank: rank(known) });
    }
    return found;
  };

  // Converts a box into logical coordinates: `start` and `end` along a line of text, `over` and `under` across lines.
  // Both grow in the direction of reading.
  const placed = ({ left, right, top, bottom }, { writingMode, direction }) => {
    const isUpright = writingMode === 'horizontal-tb';
    let [start, end] = isUpright ? [left, right] : [top, bottom];
    if ((direction === 'rtl') !== (writingMode === 'sideways-lr')) [start, end] = [-end, -start];
    let [over, under] = isUpright ? [top, bottom] : [left, right];
    if (writingMode.endsWith('-rl')) [over, under] = [-under, -over];
    return { start, end, over, under };
  };
  const isNear = (one, other) => Math.abs(one - other) <= 4;
  const isAligned = (from, to, otherFrom, otherTo) => isNear(from, otherFrom) || isNear(to, otherTo) || isNear(from + to, otherFrom + otherTo);
  // Returns the direction from one place to the next: along a row or a column, forwards or back; an empty text if it is
  // neither.
  const step = (one, next) => {
    // Within a line of text, the order follows the direction of its letters, which may change within the line.
    if (!one || !next || (one.isInline && next.isInline)) return '';
    const shares = (from, to, otherFrom, otherTo) =>
      isAligned(from, to, otherFrom, otherTo) && Math.min(to, otherTo) - Math.max(from, otherFrom) >= Math.min(to - from, otherTo - otherFrom) / 2;
    if (shares(one.over, one.under, next.over, next.under)) {
      if (next.start >= one.end - 1) return 'row';
      if (next.end <= one.start + 1) return 'row back';
    }
    if (shares(one.start, one.end, next.start, next.end)) {
      if (next.over >= one.under - 1) return 'column';
      if (next.under <= one.over + 1) return 'column back';
    }
    return '';
  };
  // Returns the first step back among the places of a block; null if there is none that counts. Two steps back in a row
  // count, and so do several without any step forwards. A single one counts only in a block in flow all of whose places
  // are in one row or column.
  const back = (places, isInFlow) => {
    const steps = places.slice(1).map((place, index) => step(places[index], place));
    for (const way of ['row', 'column']) {
      const isBack = (each) => each === `${way} back`;
      const pair = steps.findIndex((each, index) => isBack(each) && isBack(steps[index + 1]));
      if (pair >= 0) return { at: pair + 1, way };
      const first = steps.findIndex(isBack);
      const isAll = steps.filter(isBack).length > 1 && !steps.includes(way);
      const isOne = isInFlow && steps.length > 1 && steps.every((each) => each === way || isBack(each));
      if (first >= 0 && (isAll || isOne)) return { at: first + 1, way };
    }
    return null;
  };

  const styles = new Map();
  const styleOf = ({ actualNode }) => {
    if (!styles.has(actualNode)) styles.set(actualNode, getComputedStyle(actualNode));
    return styles.get(actualNode);
  };
  const isTurned = (known) => {
    const { transform, rotate, scale } = styleOf(known);
    if (rotate !== 'none' || scale.includes('-')) return true;
    if (transform === 'none') return false;
    const { a, b, c, d } = new DOMMatrix(transform);
    return a <= 0 || d <= 0 || Math.abs(b) > 0.01 || Math.abs(c) > 0.01;
  };
  const union = (boxes) => ({
    left: Math.min(...boxes.map(({ left }) => left)),
    right: Math.max(...boxes.map(({ right }) => right)),
    top: Math.min(...boxes.map(({ top }) => top)),
    bottom: Math.max(...boxes.map(({ bottom }) => bottom)),
  });
  // Returns the box of a part of a block: that of its element, or that of its stops if they are outside of it.
  const boxOf = ({ known, stops: own }) => {
    const inner = union(own.map(({ seen }) => seen));
    const outer = box(known.actualNode);
    const holds = outer.left <= inner.left + 2 && outer.right >= inner.right - 2 && outer.top <= inner.top + 2 && outer.bottom >= inner.bottom - 2;
    const whole = holds ? outer : inner;
    return whole.right - whole.left >= 1 && whole.bottom - whole.top >= 1 ? whole : null;
  };
  // Returns the place of a part among the parts of its block; null if the part is large, is a landmark, or stays in the
  // window on scrolling.
  const placeOf = ({ known, stops: own }, seen, style) => {
    if (!seen || own.length > 3 || matches(known.actualNode, landmarks) || inside(known.actualNode, landmarks).length > 0) return null;
    const within = own.flatMap((stop) => {
      const chain = [stop.known, ...above(stop.known)];
      return chain.slice(0, chain.indexOf(known) + 1).map(styleOf);
    });
    if (within.some(({ position }) => /fixed|sticky/.test(position))) return null;
    return { ...placed(seen, style), isInline: within.every(({ display }) => /^(?:inline|contents|ruby.*)$/.test(display)) };
  };
  // Returns the element whose layout positions the parts of a block.
  const container = (block) => [block, ...above(block)].find((known) => styleOf(known).display !== 'contents') ?? block;

  const jumps = (order) => {
    const found = [];
    const [body] = kit.all('body');
    for (const [at, next] of order.slice(1).entries()) {
      const before = order[at];
      if (next.index > before.index || !body) continue;
      // A dialog or a fixed element in front of the page may come first on purpose.
      if ([before.known, ...above(before.known)].some((known) => matches(known.actualNode, ownOrder) || styleOf(known).position === 'fixed')) continue;
      const style = getComputedStyle(body);
      const [one, other] = [before, next].map(({ seen }) => placed(seen, style));
      const isOn = other.over >= one.under - 1 || (other.start >= one.end - 1 && other.under > one.over);
      if (!isOn) found.push({ next, before, messageKey: 'tabindex' });
    }
    return found;
  };
  const against = (order) => {
    const blocks = new Map();
    for (const stop of order) {
      let part = stop.known;
      for (const block of above(stop.known)) {
        if (!blocks.has(block)) blocks.set(block, new Map());
        const parts = blocks.get(block);
        if (!parts.has(part)) parts.set(part, { known: part, stops: [] });
        parts.get(part).stops.push(stop);
        part = block;
      }
    }
    const found = [];
    for (const [block, held] of blocks) {
      if (held.size < 3 || found.length >= most.named) continue;
      const parts = [...held.values()];
      const style = styleOf(block);
      const boxes = parts.map(boxOf);
      // A cheap test: most blocks are in order, and are not examined further.
      if (!back(boxes.map((seen) => seen && placed(seen, style)), true) || parts.some((part) => part.stops.some(({ rank: given }) => given > 0))) continue;
      const around = [block, ...above(block)];
      if (around.some((known) => matches(known.actualNode, ownOrder) || isTurned(known))) continue;
      const layout = styleOf(container(block));
      // `reading-flow` has the browser follow the visual order.
      if ((layout.readingFlow ?? 'normal') !== 'normal') continue;
      const isInFlow = parts.every((part) => styleOf(part.known).position !== 'absolute');
      const wrong = back(parts.map((part, index) => placeOf(part, boxes[index], style)), isInFlow);
      if (wrong) found.push({ next: parts[wrong.at].stops[0], before: parts[wrong.at - 1].stops.at(-1), messageKey: wrong.way });
    }
    return found;
  };
  const focusOrder = () => {
    const ranked = ({ rank: given }) => given || Number.MAX_SAFE_INTEGER;
    const order = stops().sort((one, other) => ranked(one) - ranked(other) || one.index - other.index);
    const undecided = [...jumps(order), ...against(order)].slice(0, most.named).map(({ next, before, messageKey }) => ({
      element: next.element,
      data: { messageKey, before: name(before.element).slice(0, 100) || `<${tag(before.element)}>` },
    }));
    return { failed: [], undecided, isApplicable: order.length > 1 };
  };

  return { 'a11ycheck-focus-order': focusOrder };
}
