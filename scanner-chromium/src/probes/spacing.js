// Sets the text spacing of WCAG 1.4.12, and looks for text that it clips or makes overlap. The first look is one task:
// nothing can change meanwhile, and if nothing is found, the page has its own spacing again before its scripts run. What is
// found is examined once more, after the page has had time to adapt. The only change to the page is a style sheet.
// Leaves `spacing` in this world.
(cuts, limits) => {
  const id = 'a11ycheck-clipped-spacing';
  const { add, downwards, isMeant, isShown, makeCutter, makeWithin, parent, slides, texts } = cuts;

  const everything = ['*, *::before, *::after'];
  // What would take its time to change its spacing: everything, if not all rules of the page can be read, or some mean nothing outside of others.
  const isSlow = ({ style: { transition, transitionDuration, transitionProperty } }) =>
    /\b(?:all|line-height|(?:letter|word)-spacing|margin|var)\b/.test(`${transition} ${transitionProperty}`) || (transitionDuration !== '' && transitionProperty === '');
  const slow = () => {
    const { rules, isAll } = outcome.probes.kit.readRules();
    if (!isAll || rules.some(({ cssRules }) => cssRules.length > 0)) return everything;
    const isStyled = Document.prototype.querySelector.call(document, '[style*="transition" i]') !== null;
    return [...(isStyled ? ['[style*="transition" i]'] : []), ...rules.filter(isSlow).map(({ selectorText }) => selectorText)];
  };
  // Transitions of spacing take no time. Important rules in a layer win over the page's own important rules outside of layers, as
  // those of a reader's style sheet do.
  const hurry = (selectors) => selectors.map((selector) => `${selector} { transition-duration: 0s !important; transition-delay: 0s !important }`).join(' ');
  let quick = hurry(slow());
  const spaces = '* { line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important } p { margin-bottom: 2em !important }';
  const sheet = new CSSStyleSheet();
  const adopted = () => Reflect.get(Document.prototype, 'adoptedStyleSheets', document);
  // Works all styles out, without a layout.
  const settle = () => getComputedStyle(document.documentElement).lineHeight;
  let place = null;
  const set = () => {
    place = [scrollX, scrollY];
    sheet.replaceSync(`@layer { ${quick} ${spaces} }`);
    adopted().push(sheet);
  };
  const putBack = () => {
    if (place === null) return;
    if (quick !== '') {
      // The spacing is removed first, while transitions take no time, and then the rest, so that no transition begins.
      sheet.replaceSync(`@layer { ${quick} }`);
      settle();
    }
    Reflect.set(Document.prototype, 'adoptedStyleSheets', [...adopted()].filter((each) => each !== sheet), document);
    if (scrollX !== place[0] || scrollY !== place[1]) scrollTo({ left: place[0], top: place[1], behavior: 'instant' });
    place = null;
  };

  // The scripts that use all of these kinds of spacing. Texts in other scripts need not support them.
  const others = /(?![\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}])\p{L}/u;
  const isOther = (node) => others.test(node.data.slice(0, 500));
  const icons = /icon|symbol|awesome|glyph|material/i;
  // In an icon font, letters form a picture (a ligature), which spacing breaks.
  const isIcon = (element) => icons.test(getComputedStyle(element).fontFamily.split(',')[0]);
  const makeLeft = () => {
    const isForeign = makeWithin('svg, math, canvas, select, textarea, marquee');
    return (node) => {
      const element = parent(node);
      return !element || isOther(node) || isForeign(element) || isIcon(element);
    };
  };
  // Returns whether a text has wider spacing of its own, which this style sheet narrows. Content beside it may then
  // move in a way that no reader would see.
  const isWider = (element) => {
    const { fontSize, letterSpacing, lineHeight, wordSpacing } = getComputedStyle(element);
    const size = parseFloat(fontSize);
    return parseFloat(lineHeight) > 2 * size || parseFloat(letterSpacing) > 0.125 * size || parseFloat(wordSpacing) > 0.165 * size;
  };

  // Returns the pairs of texts, by their indices, whose lines overlap by more than four pixels in both directions; null
  // if there are too many.
  const overlaps = (nodes, cutter) => {
    const lines = [];
    const range = document.createRange();
    for (const [number, node] of nodes.entries()) {
      const element = parent(node);
      if (!element || !isShown(element) || cutter(node)) continue;
      const space = Math.max(0, parseFloat(getComputedStyle(element).letterSpacing) || 0);
      range.selectNodeContents(node);
      for (const { left, right, top, bottom } of [...range.getClientRects()].slice(0, 50)) {
        if (right - left < 1 || bottom - top < 1) continue;
        if (lines.length >= limits.lines) return null;
        lines.push({ number, element, left, right: right - space, top, bottom });
      }
    }
    lines.sort((one, other) => one.top - other.top);
    const pairs = new Set();
    let [open, compared] = [[], 0];
    for (const line of lines) {
      open = open.filter(({ bottom }) => bottom > line.top + 4);
      if ((compared += open.length) > limits.compared || pairs.size > limits.pairs) return null;
      for (const other of open) {
        if (other.element === line.element || line.bottom <= line.top + 4) continue;
        if (Math.min(line.right, other.right) - Math.max(line.left, other.left) <= 4) continue;
        pairs.add([other.number, line.number].toSorted((one, two) => one - two).join(' '));
      }
      open.push(line);
    }
    return pairs;
  };

  globalThis.spacing = {
    async look() {
      const { probes } = outcome;
      const all = texts();
      const isLeft = makeLeft();
      const judged = all.filter((node) => !isLeft(node));
      // A page that is mostly in other scripts may have some words in these.
      if (judged.length === 0 || all.filter(isOther).length * 2 > all.length) {
        probes.inapplicable.push(id);
        return;
      }
      const cutBefore = cuts.cutBefore();
      const isPinned = downwards((element, { position }, isAround) => isAround === true || /fixed|sticky/.test(position));
      const boxesBefore = new Set([...cutBefore.values()].map(({ box }) => box));
      const isSlide = makeWithin(slides);
      const isLoose = (node) => !cutBefore.has(node) && !isSlide(parent(node)) && !isPinned(parent(node)) && !isWider(parent(node));
      const loose = judged.slice(0, limits.texts).filter(isLoose);
      const before = overlaps(loose, () => null);
      const failed = [];
      const reasons = new Map();
      set();
      try {
        const first = makeCutter();
        const cut = judged.filter((node) => !cutBefore.has(node) && first(node) !== null);
        const pairs = before === null ? [] : [...(overlaps(loose, first) ?? [])].filter((pair) => !before.has(pair));
        if (cut.length + pairs.length > 0) {
          // Nor does anything else that the page does about it.
          quick = hurry(everything);
          sheet.replaceSync(`@layer { ${quick} ${spaces} }`);
          await new Promise((resolve) => setTimeout(resolve, limits.wait));
          const cutter = makeCutter();
          const still = pairs.length > 0 ? overlaps(loose, cutter) : null;
          for (const pair of pairs) if (still?.has(pair)) reasons.set(parent(loose[Number(pair.split(' ')[1])]), 'overlap');
          for (const node of cut) {
            const found = cutter(node);
            if (found === null) continue;
            const { box, isGone } = found;
            // A box that clipped text before may show only a part of its content on purpose.
            const reason = isGone ? 'gone' : isMeant(node, box) || boxesBefore.has(box) ? 'meant' : null;
            if (reason === null) failed.push(parent(node));
            else reasons.set(parent(node), reason);
          }
        }
      } finally {
        putBack();
      }
      add(probes.violations, id, failed);
      const undecided = [...reasons.keys()].filter((element) => !failed.includes(element));
      add(probes.incomplete, id, undecided, (element) => ({ messageKey: reasons.get(element) }));
      probes.passed.push(id);
    },
    end() {
      putBack();
      delete globalThis.spacing;
    },
  };
}
