// Finds elements that have the focus and lie wholly under a bar or a box that stays in its place while the page scrolls. `walk.js` notes each that
// has it with `see`; at the end each that was covered gets it once more, by the key: `approach` gives the focus to the one before it, and
// `judge` looks at what has come of the key.
({ active, hasTransition, wait }) => {
  const getter = (type, name) => {
    const { get } = Object.getOwnPropertyDescriptor(type.prototype, name);
    return (node) => get.call(node);
  };
  const parent = getter(Node, 'parentElement');
  const tag = getter(Element, 'localName');
  const { contains, getRootNode } = Node.prototype;
  const { querySelectorAll, checkVisibility, getBoundingClientRect, getClientRects } = Element.prototype;
  const { elementFromPoint } = Document.prototype;
  const { focus, blur } = HTMLElement.prototype;

  const up = (element, most) => {
    const parts = [];
    for (let part = element; part && parts.length < most; part = parent(part)) parts.push(part);
    return parts;
  };
  const isIn = (x, y, { left, top, right, bottom }) => x >= left && x <= right && y >= top && y <= bottom;
  const inPlace = (element) => up(element, 20).find((part) => /fixed|sticky/.test(getComputedStyle(part).position)) ?? null;
  // Whether nothing shows through what lies at a point: a part of the cover has one colour there.
  const isOpaque = (hit, cover, x, y) => {
    let hasGround = false;
    for (const part of up(hit, 50)) {
      const { backgroundClip, backgroundColor, display, filter, maskImage, mixBlendMode, opacity } = getComputedStyle(part);
      if (opacity !== '1' || mixBlendMode !== 'normal' || maskImage !== 'none' || filter !== 'none') return false;
      // What sticks out of it, or is drawn by styles beside it, is not on its ground.
      hasGround ||= contains.call(cover, part) && !/^rgba|\//.test(backgroundColor) && backgroundClip === 'border-box' && !/^inline$|^contents/.test(display) && isIn(x, y, getBoundingClientRect.call(part));
    }
    return hasGround;
  };
  const isDrawnBeside = (part) => ['::before', '::after'].some((pseudo) => {
    const { content, position } = getComputedStyle(part, pseudo);
    return content !== 'none' && content !== 'normal' && /absolute|fixed/.test(position);
  });
  // Whether it could be seen without the cover, so that the cover is what hides it.
  const couldBeSeen = (element, x, y) => {
    if (!checkVisibility.call(element, { visibilityProperty: true, opacityProperty: true })) return false;
    return up(element, 30).every((part) => {
      const { clip, clipPath, overflowX, overflowY } = getComputedStyle(part);
      if (clip !== 'auto' || clipPath !== 'none') return false;
      return part === document.body || part === document.documentElement || (overflowX === 'visible' && overflowY === 'visible') || isIn(x, y, getBoundingClientRect.call(part));
    });
  };
  // Places in a box, no more than 16 pixels apart, with those just within its edges.
  const places = (from, to) => {
    const steps = Math.max(1, Math.ceil((to - from - 2) / 16));
    return Array.from({ length: steps + 1 }, (_, step) => from + 1 + (step * (to - from - 2)) / steps);
  };
  const coverAt = (element, x, y) => {
    const hit = elementFromPoint.call(document, x, y);
    if (!hit || contains.call(element, hit) || contains.call(hit, element)) return null;
    const cover = inPlace(hit);
    return cover && !contains.call(cover, element) && isOpaque(hit, cover, x, y) ? cover : null;
  };
  const isCovered = (element) => {
    if (getRootNode.call(element) !== document) return false;
    const { left, top, width, height } = getBoundingClientRect.call(element);
    const [x, y] = [left + width / 2, top + height / 2];
    if (width < 8 || height < 8 || x < 0 || y < 0 || x > innerWidth || y > innerHeight) return false;
    const cover = coverAt(element, x, y);
    if (!cover || !couldBeSeen(element, x, y)) return false;
    const ground = getBoundingClientRect.call(cover);
    // What covers nearly all of the window is no bar.
    if (ground.width * ground.height > 0.8 * innerWidth * innerHeight) return false;
    const labels = tag(element) === 'input' ? [...(Reflect.get(HTMLInputElement.prototype, 'labels', element) ?? [])] : [];
    const parts = [element, ...querySelectorAll.call(element, '*'), ...labels, ...labels.flatMap((label) => [...querySelectorAll.call(label, '*')])];
    if (parts.length > 20 || parts.some(isDrawnBeside)) return false;
    const boxes = parts.flatMap((part) => [...getClientRects.call(part)]).filter((box) => box.width >= 2 && box.height >= 2);
    if (boxes.length === 0 || boxes.length > 20) return false;
    return boxes.every((box) => {
      if (box.left < -1 || box.top < -1 || box.right > innerWidth + 1 || box.bottom > innerHeight + 1) return false;
      const [across, down] = [places(box.left, box.right), places(box.top, box.bottom)];
      return across.length * down.length <= 1_000 && across.every((x) => down.every((y) => coverAt(element, x, y) === cover));
    });
  };

  // Only where something stays in its place at the edges of the window, which costs a question for each element that has the focus.
  const mayCover = [0.05, 0.5, 0.95].some((across) => [0.02, 0.9, 0.98].some((down) => {
    const hit = elementFromPoint.call(document, innerWidth * across, innerHeight * down);
    return hit && inPlace(hit);
  }));
  // Those that were covered, each with the one before it and the position of the page.
  const covered = new Map();
  const judged = new Set();
  const found = [];
  let current = null;
  // Waits for what may uncover it: scrolling, and what is on its way.
  const settle = async () => {
    for (let [before, tries] = [null, 10]; tries > 0; tries -= 1) {
      const element = active();
      const { left, top } = element ? getBoundingClientRect.call(element) : { left: 0, top: 0 };
      const now = [scrollX, scrollY, left, top].join();
      if (now === before && !hasTransition()) return;
      before = now;
      await wait(100);
    }
  };
  return {
    found,
    mayCover,
    see(element, earlier) {
      if (mayCover && covered.size < 5 && !covered.has(element) && isCovered(element)) covered.set(element, { earlier, place: [scrollX, scrollY] });
    },
    // Returns whether a press of the key has to follow; null if none is left. To the first of the page no key leads from another: where a script
    // hears keys, nothing is known of it.
    async approach(hearsKeys) {
      for (const [element, { earlier, place: [left, top] }] of covered) {
        if (judged.has(element)) continue;
        judged.add(element);
        current = element;
        const now = active();
        if (now instanceof HTMLElement) blur.call(now);
        if (earlier instanceof HTMLElement) {
          focus.call(earlier);
          await settle();
          if (active() === earlier) return true;
        } else if (element instanceof HTMLElement && !hearsKeys) {
          scrollTo({ left, top, behavior: 'instant' });
          focus.call(element);
          return false;
        }
      }
      return null;
    },
    async judge() {
      await settle();
      const isStill = () => active() === current && isCovered(current);
      if (!isStill()) return;
      // A script may take its time.
      await wait(500);
      if (isStill()) found.push(current);
    },
  };
}
