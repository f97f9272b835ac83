// Looks for clipped text and horizontal scrolling on a page whose window is made narrow from outside. Leaves `narrow` in this world.
({ add, cutBefore, isMeant, isShown, makeCutter, parent, texts }) => {
  const { closest } = Element.prototype;
  const before = cutBefore();
  const transitions = () => Document.prototype.getAnimations.call(document).filter((animation) => animation instanceof CSSTransition);
  const own = new Set(transitions());
  // Waits until the page has followed the window, and has what slides for that where it is going: halfway, it says nothing of the page.
  const arrived = async () => {
    await new Promise((resolve) => setTimeout(resolve, 60));
    for (const transition of transitions().slice(0, 2_000)) {
      try {
        if (!own.has(transition)) transition.finish();
      } catch {
        // The page holds it where it is.
      }
    }
  };

  globalThis.narrow = {
    // In a window of 640 by 512, which is one of 1280 by 1024 with text and all else at twice its size.
    async clipped() {
      await arrived();
      const id = 'a11ycheck-clipped-text';
      const [all, cutter] = [texts(), makeCutter()];
      const [failed, undecided] = [[], []];
      let isApplicable = false;
      for (const node of all) {
        const found = cutter(node);
        // A text that was clipped as a whole before is hidden, or a slide.
        if (found === null || (found.isGone && before.has(node))) continue;
        isApplicable = true;
        const { box, isGone } = found;
        (isMeant(node, box) || isGone || before.has(node) ? undecided : failed).push(parent(node));
      }
      const { probes } = outcome;
      add(probes.violations, id, failed);
      add(probes.incomplete, id, undecided.filter((element) => !failed.includes(element)));
      (isApplicable || all.length > 0 ? probes.passed : probes.inapplicable).push(id);
    },
    // In a window 320 pixels wide.
    async reflow() {
      await arrived();
      const id = 'a11ycheck-reflow';
      const width = Reflect.get(Element.prototype, 'clientWidth', document.documentElement);
      const scrolls = Reflect.get(Element.prototype, 'scrollWidth', document.documentElement) > width + 20;
      const [failed, undecided] = [[], []];
      const twoWays = 'table, pre, code, img, svg, video, canvas, iframe, object, embed, math, [role="table"], [role="grid"], [role="img"], [role="application"], [role="toolbar"]';
      const range = document.createRange();
      for (const node of texts()) {
        range.selectNodeContents(node);
        const { left, right, width: long } = range.getBoundingClientRect();
        if (right + scrollX <= width + 20 || long < 1 || left + scrollX < 0) continue;
        const element = parent(node);
        if (!element || !isShown(element) || closest.call(element, twoWays)) continue;
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
    // In a window of its own size.
    async end() {
      await arrived();
      delete globalThis.narrow;
      delete globalThis.cuts;
    },
  };
}
