// The probe of focus order: where the Tab key goes against the direction in which a page is read, from its styles as they are.
(kit) => {
  const { box, inside, isExposed, isHtml, isVisible, matches, name, shadow, tag } = kit;
  const { dom } = axe.commons;
  const most = { stops: 2_000, depth: 60, named: 10 };

  // What is read by itself, or shows only a part at a time.
  const ownOrder = 'dialog, [popover], [role="dialog"], [role="alertdialog"], [aria-modal="true"], [aria-roledescription="carousel" i], ' +
    ['carousel', 'slider', 'slick', 'swiper', 'splide', 'glide', 'marquee'].map((part) => `[class*="${part}" i]`).join();
  const landmarks = 'main, nav, aside, header, footer, [role="main"], [role="navigation"], [role="complementary"], [role="banner"], [role="contentinfo"], [role="search"], [role="region"]';

  // The ancestors of a node as the browser puts them together, the nearest first.
  const above = (known) => {
    const found = [];
    for (let at = known.parent; at && found.length < most.depth; at = at.parent) {
      if (at.actualNode instanceof Element) found.push(at);
    }
    return found;
  };
  // Of what is in a shadow tree or goes into one, `tabindex` counts only there.
  const rank = (known) => {
    const given = kit.read(HTMLElement, 'tabIndex', known.actualNode);
    return given > 0 && !above(known).some((ancestor) => shadow(ancestor.actualNode)) ? given : 0;
  };
  // The elements on which the Tab key stops, in the order of the document. The arrow keys lead from one radio button to the next.
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

  // The places of a box along the lines of a text and across them, growing in the direction of reading.
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
  // The way from one place to the next: along a row or a column, or neither.
  const step = (one, next) => {
    // In the lines of a text, browsers order by the direction of the letters.
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
  // Where the focus goes back among the places of a block: for two steps, or for one where all of them make one row or column.
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
  // A part of a block is where it is seen, or where its stops are if that is elsewhere.
  const boxOf = ({ known, stops: own }) => {
    const inner = union(own.map(({ seen }) => seen));
    const outer = box(known.actualNode);
    const holds = outer.left <= inner.left + 2 && outer.right >= inner.right - 2 && outer.top <= inner.top + 2 && outer.bottom >= inner.bottom - 2;
    const whole = holds ? outer : inner;
    return whole.right - whole.left >= 1 && whole.bottom - whole.top >= 1 ? whole : null;
  };
  // The place of a part among the others of its block; none where it is large or stays in the window.
  const placeOf = ({ known, stops: own }, seen, style) => {
    if (!seen || own.length > 3 || matches(known.actualNode, landmarks) || inside(known.actualNode, landmarks).length > 0) return null;
    const within = own.flatMap((stop) => {
      const chain = [stop.known, ...above(stop.known)];
      return chain.slice(0, chain.indexOf(known) + 1).map(styleOf);
    });
    if (within.some(({ position }) => /fixed|sticky/.test(position))) return null;
    return { ...placed(seen, style), isInline: within.every(({ display }) => /^(?:inline|contents|ruby.*)$/.test(display)) };
  };
  // What lays the parts of a block out.
  const container = (block) => [block, ...above(block)].find((known) => styleOf(known).display !== 'contents') ?? block;

  const jumps = (order) => {
    const found = [];
    const [body] = kit.all('body');
    for (const [at, next] of order.slice(1).entries()) {
      const before = order[at];
      if (next.index > before.index || !body) continue;
      // What stands in front of the page may well come first.
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
      // Most blocks are in order, and cost no more than this.
      if (!back(boxes.map((seen) => seen && placed(seen, style)), true) || parts.some((part) => part.stops.some(({ rank: given }) => given > 0))) continue;
      const around = [block, ...above(block)];
      if (around.some((known) => matches(known.actualNode, ownOrder) || isTurned(known))) continue;
      const layout = styleOf(container(block));
      // Browsers can be told to follow what is seen.
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
