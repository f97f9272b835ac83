// Looks for text that goes on changing by itself. Called before anything moves the page, and leaves `changing` in this world. What it
// finds becomes results of `outcome.probes`, in the form of `run.js`.
(makeStops, limits) => {
  const id = 'a11ycheck-changing-text';
  const getter = (type, name) => {
    const { get } = Object.getOwnPropertyDescriptor(type.prototype, name);
    return (node) => get.call(node);
  };
  const parent = getter(Node, 'parentElement');
  const text = getter(Node, 'textContent');
  const nodeType = getter(Node, 'nodeType');
  const isConnected = getter(Node, 'isConnected');
  const { closest, checkVisibility } = Element.prototype;
  const { contains } = Node.prototype;
  const { querySelectorAll } = Document.prototype;
  const isShown = (element) => checkVisibility.call(element, { visibilityProperty: true, opacityProperty: true });
  const elementOf = (node) => (nodeType(node) === Node.ELEMENT_NODE ? node : parent(node));

  // A clock, and what a program is to read out when it comes, may have to change.
  const live = '[aria-live], [role="timer"], [role="status"], [role="log"], [role="alert"], [role="progressbar"], progress, time, output, [contenteditable], textarea';
  const clock = /\d\s*[:：]\s*\d\d/;

  const isMoving = () => watch.contents.some(({ target, now }) => performance.now() - now < limits.recent && elementOf(target) && isConnected(target));
  const earlier = [...(globalThis.watch?.contents ?? [])];
  const wasMoving = earlier.length > 0 && isMoving();

  globalThis.changing = {
    // Whether anything has changed of late, before and while other probes have moved the page. What happens every second has not come
    // up on a page that was fast.
    async isMoving() {
      if (globalThis.watch?.contents === undefined) return false;
      if (wasMoving || isMoving()) return true;
      const left = watch.since + limits.least - performance.now();
      if (left <= 0 || querySelectorAll.call(document, 'script').length === 0) return false;
      await new Promise((resolve) => setTimeout(resolve, left));
      return isMoving();
    },
    // Waits for text to change, while nothing moves the page, as long as some does.
    async watch() {
      const seen = new Map();
      const see = (records) => {
        const now = performance.now();
        for (const element of new Set(records.map(({ target }) => elementOf(target)))) {
          if (!element || (!seen.has(element) && seen.size >= 200)) continue;
          const said = text(element).replace(/\s+/g, ' ').trim().slice(0, 1_000);
          const known = seen.get(element) ?? { times: [], last: null };
          seen.set(element, known);
          if (known.last === said) continue;
          known.last = said;
          // What comes at once is one change.
          if (known.times.length < 100 && now - (known.times.at(-1) ?? -Infinity) >= limits.apart) known.times.push(now);
        }
      };
      const observer = new MutationObserver(see);
      observer.observe(document, { subtree: true, childList: true, characterData: true });
      const begun = performance.now();
      const before = new Map(earlier.toReversed().map(({ target, now }) => [elementOf(target), now]));
      const goesOn = ({ times }) => times.length > 0 && performance.now() - times.at(-1) < limits.recent;
      const lasts = (element, { times }) => times.length >= 3 && times.at(-1) - (before.get(element) ?? times[0]) >= limits.span;
      // Ends as soon as it is known of everything that goes on whether it lasts. What changed once was a part of the page's building
      // itself, or an answer to a probe.
      const isOpen = () => performance.now() - begun < limits.first || [...seen].some(([element, known]) => goesOn(known) && !lasts(element, known));
      while (isOpen() && performance.now() - begun < limits.whole) {
        await new Promise((resolve) => setTimeout(resolve, limits.apart));
        see(observer.takeRecords());
      }
      observer.disconnect();
      const changed = [...seen].filter(([element, known]) => {
        const isMeant = goesOn(known) && lasts(element, known) && isConnected(element) && isShown(element);
        return isMeant && text(element).trim() !== '' && !closest.call(element, 'script, style, noscript, head');
      });
      // What holds an element that changes is not what changes.
      const found = changed.map(([element]) => element).filter((element, _, all) => !all.some((other) => other !== element && contains.call(element, other)));
      const body = Reflect.get(Document.prototype, 'body', document);
      const isBeside = (element) => body instanceof HTMLElement && Reflect.get(HTMLElement.prototype, 'innerText', body).replace(/\s+/g, '').length > text(element).replace(/\s+/g, '').length;
      const beside = found.filter((element) => axe.utils.getNodeFromTree(element) && isBeside(element));
      const { probes } = outcome;
      const add = (list, elements) => {
        const nodes = elements.slice(0, 50).map((element) => probes.node(id, { element }, true));
        if (nodes.length > 0) list.push({ id, ...probes.facts[id], nodes });
      };
      const stops = makeStops();
      if (!stops.hasStop()) {
        const hasControls = stops.hasControls();
        const isSure = (element) => !hasControls && !closest.call(element, live) && !clock.test(text(element));
        add(probes.violations, beside.filter(isSure));
        add(probes.incomplete, beside.filter((element) => !isSure(element)));
      }
      (beside.length > 0 ? probes.passed : probes.inapplicable).push(id);
    },
    end(isWatched) {
      if (!isWatched) outcome.probes.inapplicable.push(id);
      delete globalThis.changing;
    },
  };
}
