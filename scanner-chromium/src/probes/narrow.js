// Looks at a page whose window has become narrow, from outside. `wide` is called before, and leaves what it saw in this world.
(facts) => {
  const parent = (node) => Reflect.get(Node.prototype, 'parentElement', node);
  const { getBoundingClientRect: boxOf, closest, checkVisibility } = Element.prototype;
  const isShown = (element) => checkVisibility.call(element, { visibilityProperty: true, opacityProperty: true });
  const most = 5_000;

  const texts = () => {
    const found = [];
    const walker = document.createTreeWalker(document.body ?? document, NodeFilter.SHOW_TEXT);
    while (found.length < most && walker.nextNode()) if (/\S/.test(walker.currentNode.data)) found.push(walker.currentNode);
    return found;
  };
  // The element that cuts a text off, and whether all of the text `isGone`; null if none does.
  const cutter = (node) => {
    const element = parent(node);
    if (!element || !isShown(element) || closest.call(element, '[aria-hidden="true"]')) return null;
    const range = document.createRange();
    range.selectNodeContents(node);
    const text = range.getBoundingClientRect();
    if (text.width < 1 || text.height < 1) return null;
    for (let box = element; box && box !== document.documentElement; box = parent(box)) {
      const style = getComputedStyle(box);
      if (style.position === 'fixed') return null;
      const isCut = [style.overflowX, style.overflowY].map((value) => ['hidden', 'clip'].includes(value));
      if (/auto|scroll/.test(style.overflowX + style.overflowY) && !isCut.includes(true)) return null;
      if (!isCut.includes(true)) continue;
      const edges = boxOf.call(box);
      // What is not in view at all is hidden, for example for screen readers, or a slide.
      const isInView = text.left < edges.right - 1 && text.right > edges.left + 1 && text.top < edges.bottom - 1 && text.bottom > edges.top + 1;
      if (edges.width <= 2 || edges.height <= 2) return null;
      if (!isInView) return { box, isGone: true };
      const across = isCut[0] && (text.right > edges.right + 4 || text.left < edges.left - 4);
      const down = isCut[1] && (text.bottom > edges.bottom + 4 || text.top < edges.top - 4);
      const isEllipsis = style.whiteSpace.includes('nowrap') && style.textOverflow !== 'clip';
      const line = parseFloat(style.lineHeight) || 1.2 * parseFloat(style.fontSize);
      if ((across && !isEllipsis) || (down && line < edges.height)) return { box, isGone: false };
    }
    return null;
  };
  const slides = '[aria-roledescription], [class*="carousel" i], [class*="slide" i], [class*="swiper" i], [class*="marquee" i], [class*="ticker" i]';

  const cutBefore = new Set(texts().filter((node) => cutter(node)));
  const frame = () => new Promise((resolve) => setTimeout(resolve, 60));
  const add = (list, id, elements) => {
    const known = [...new Set(elements)].filter((element) => axe.utils.getNodeFromTree(element));
    const nodes = known.slice(0, 50).map((element) => outcome.probes.node(id, { element }, true));
    if (nodes.length > 0) list.push({ id, ...facts[id], nodes });
  };

  globalThis.narrow = {
    // In a window of 640 by 512, which is one of 1280 by 1024 with text and all else at twice its size.
    async clipped() {
      await frame();
      const id = 'a11ycheck-clipped-text';
      const all = texts();
      const [failed, undecided] = [[], []];
      let isApplicable = false;
      for (const node of all) {
        const found = cutter(node);
        // What was out of view before is hidden, or a slide.
        if (found === null || (found.isGone && cutBefore.has(node))) continue;
        isApplicable = true;
        const { box, isGone } = found;
        // What moves sideways by itself or with a button may be meant to be cut.
        const isMeant = closest.call(box, slides) !== null || getComputedStyle(box).scrollSnapType !== 'none' || getComputedStyle(parent(node)).transform !== 'none';
        (isMeant || isGone || cutBefore.has(node) ? undecided : failed).push(parent(node));
      }
      const { probes } = outcome;
      add(probes.violations, id, failed);
      add(probes.incomplete, id, undecided.filter((element) => !failed.includes(element)));
      (isApplicable || all.length > 0 ? probes.passed : probes.inapplicable).push(id);
    },
    // In a window 320 pixels wide.
    async reflow() {
      await frame();
      const id = 'a11ycheck-reflow';
      const width = Reflect.get(Element.prototype, 'clientWidth', document.documentElement);
      const scrolls = Reflect.get(Element.prototype, 'scrollWidth', document.documentElement) > width + 20;
      const [failed, undecided] = [[], []];
      const twoWays = 'table, pre, code, img, svg, video, canvas, iframe, object, embed, math, [role="table"], [role="grid"], [role="img"], [role="application"], [role="toolbar"]';
      for (const node of texts()) {
        const element = parent(node);
        if (!element || !isShown(element) || closest.call(element, twoWays)) continue;
        const range = document.createRange();
        range.selectNodeContents(node);
        const { left, right, width: long } = range.getBoundingClientRect();
        if (right + scrollX <= width + 20 || long < 1 || left + scrollX < 0) continue;
        // Something around it scrolls or is cut off: the page itself does not scroll for it.
        let holder = element;
        while (holder && holder !== document.body && getComputedStyle(holder).overflowX === 'visible') holder = parent(holder);
        const isLong = long > width + 20 && node.data.trim().length > 40;
        if (holder && holder !== document.body && holder !== document.documentElement) {
          // A box of text that scrolls sideways is read to and fro as well.
          if (isLong && /auto|scroll/.test(getComputedStyle(holder).overflowX)) undecided.push(element);
          continue;
        }
        // Each line of it is longer than the window: reading it takes scrolling to and fro.
        if (scrolls) (isLong ? failed : undecided).push(element);
      }
      if (scrolls && failed.length === 0 && undecided.length === 0) undecided.push(document.documentElement);
      const { probes } = outcome;
      add(probes.violations, id, failed);
      if (failed.length === 0) add(probes.incomplete, id, undecided.slice(0, 5));
      probes.passed.push(id);
    },
    end: () => delete globalThis.narrow,
  };
}
