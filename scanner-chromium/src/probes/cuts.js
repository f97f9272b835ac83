// What the probes of clipped text share: functions that list the texts of a page, find the element that clips a text, and add findings
// to `outcome.probes`, in the form of `run.js`; and what was clipped before either probe changed anything.
() => {
  const { get: getParent } = Object.getOwnPropertyDescriptor(Node.prototype, 'parentElement');
  const parent = (node) => getParent.call(node);
  const { getBoundingClientRect: boxOf, closest, checkVisibility, matches } = Element.prototype;
  const isShown = (element) => checkVisibility.call(element, { visibilityProperty: true, opacityProperty: true });
  const most = 5_000;

  const texts = () => {
    const found = [];
    const walker = document.createTreeWalker(document.body ?? document, NodeFilter.SHOW_TEXT);
    while (found.length < most && walker.nextNode()) if (/\S/.test(walker.currentNode.data)) found.push(walker.currentNode);
    return found;
  };
  // Returns a function that gives an element what `make` makes of it and of what its parent has been given. It asks for each element once,
  // so it is for one look, during which nothing changes.
  const downwards = (make) => {
    const known = new Map();
    return (element) => {
      const path = [];
      let each = element;
      for (; each && each !== document.documentElement && !known.has(each); each = parent(each)) path.push(each);
      let given = known.get(each) ?? null;
      for (const inner of path.toReversed()) known.set(inner, (given = make(inner, getComputedStyle(inner), given)));
      return given;
    };
  };
  // Returns a function for one look, which says whether an element is, or is in, one that this selector means.
  const makeWithin = (selector) => {
    const isRoot = matches.call(document.documentElement, selector);
    return downwards((element, _, isOuter) => isRoot || isOuter === true || matches.call(element, selector));
  };
  // Returns a function for one look, which returns the element that clips a text, and whether all of the text `isGone`; null if none
  // clips it.
  const makeCutter = () => {
    // The element and those around it that clip what is in them, from the inside out, as far as nothing is fixed or scrolls.
    const clips = downwards((box, style, outer) => {
      const isCut = [style.overflowX, style.overflowY].map((value) => ['hidden', 'clip'].includes(value));
      if (style.position === 'fixed') return null;
      if (isCut.includes(true)) return { box, style, isCut, outer };
      return /auto|scroll/.test(style.overflowX + style.overflowY) ? null : outer;
    });
    const range = document.createRange();
    const cut = (node) => {
      const element = parent(node);
      const first = element && clips(element);
      if (!first || !isShown(element) || closest.call(element, '[aria-hidden="true"]')) return null;
      range.selectNodeContents(node);
      const text = range.getBoundingClientRect();
      if (text.width < 1 || text.height < 1) return null;
      // The letter spacing after the last letter may be clipped.
      const right = text.right - Math.max(0, parseFloat(getComputedStyle(element).letterSpacing) || 0);
      for (let clip = first; clip; clip = clip.outer) {
        const { box, style, isCut } = clip;
        const edges = boxOf.call(box);
        // A text that is clipped as a whole may be hidden on purpose, for example for screen readers, or be a slide.
        const isInView = text.left < edges.right - 1 && text.right > edges.left + 1 && text.top < edges.bottom - 1 && text.bottom > edges.top + 1;
        if (edges.width <= 2 || edges.height <= 2) return null;
        if (!isInView) return { box, isGone: true };
        const across = isCut[0] && (right > edges.right + 4 || text.left < edges.left - 4);
        const down = isCut[1] && (text.bottom > edges.bottom + 4 || text.top < edges.top - 4);
        const isEllipsis = style.whiteSpace.includes('nowrap') && style.textOverflow !== 'clip';
        const line = parseFloat(style.lineHeight) || 1.2 * parseFloat(style.fontSize);
        if ((across && !isEllipsis) || (down && line < edges.height)) return { box, isGone: false };
      }
      return null;
    };
    const known = new Map();
    return (node) => {
      if (!known.has(node)) known.set(node, cut(node));
      return known.get(node);
    };
  };
  const slides = '[aria-roledescription], [class*="carousel" i], [class*="slide" i], [class*="swiper" i], [class*="marquee" i], [class*="ticker" i]';
  const isSlide = (element) => closest.call(element, slides) !== null;
  // Carousels, and texts that end in an ellipsis after some lines, may be clipped on purpose.
  const isMeant = (node, box) => {
    const { scrollSnapType, webkitLineClamp } = getComputedStyle(box);
    return isSlide(box) || scrollSnapType !== 'none' || !['none', ''].includes(webkitLineClamp ?? '') || getComputedStyle(parent(node)).transform !== 'none';
  };
  // Adds elements to the results of a probe, each once and at most 50, with the data that `dataOf` returns for it.
  const add = (list, id, elements, dataOf = () => null) => {
    const known = [...new Set(elements)].filter((element) => axe.utils.getNodeFromTree(element));
    const nodes = known.slice(0, 50).map((element) => outcome.probes.node(id, { element, data: dataOf(element) }, true));
    if (nodes.length > 0) list.push({ id, ...outcome.probes.facts[id], nodes });
  };
  let before = null;
  // Returns the texts that were clipped when this was called first, each with what clips it.
  const cutBefore = () => {
    const cutter = makeCutter();
    return (before ??= new Map(texts().map((node) => [node, cutter(node)]).filter(([, found]) => found !== null)));
  };
  return { add, cutBefore, downwards, isMeant, isShown, makeCutter, makeWithin, parent, slides, texts };
}
