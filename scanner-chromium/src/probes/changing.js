// Looks for text that goes on changing by itself, and for slides that move on by themselves. Called before anything moves the page, and leaves
// `changing` in this world. What it finds becomes results of `outcome.probes`, in the form of `run.js`.
(makeStops, limits) => {
  const [id, slidesId] = ['a11ycheck-changing-text', 'a11ycheck-auto-advance'];
  const getter = (type, name) => {
    const { get } = Object.getOwnPropertyDescriptor(type.prototype, name);
    return (node) => get.call(node);
  };
  const parent = getter(Node, 'parentElement');
  const text = getter(Node, 'textContent');
  const nodeType = getter(Node, 'nodeType');
  const isConnected = getter(Node, 'isConnected');
  const { closest, checkVisibility, matches } = Element.prototype;
  const { contains } = Node.prototype;
  const { querySelectorAll } = Document.prototype;
  const isShown = (element) => checkVisibility.call(element, { visibilityProperty: true, opacityProperty: true });
  const elementOf = (node) => (nodeType(node) === Node.ELEMENT_NODE ? node : parent(node));
  // An observer of the document does not see into shadow trees.
  const shadow = getter(Element, 'shadowRoot');
  const trees = [];
  const treesIn = (all) => Array.prototype.map.call(all, shadow).filter(Boolean);
  trees.push(...treesIn(querySelectorAll.call(document, '*')));
  for (let at = 0; at < trees.length && trees.length < limits.trees; at += 1) {
    trees.push(...treesIn(DocumentFragment.prototype.querySelectorAll.call(trees[at], '*')));
  }
  trees.length = Math.min(trees.length, limits.trees);
  const observe = (observer, roots) => {
    for (const root of roots) observer.observe(root, { subtree: true, childList: true, characterData: true });
  };

  // A clock, and what a program is to read out when it comes, may have to change.
  const live = '[aria-live], [role="timer"], [role="status"], [role="log"], [role="alert"], [role="progressbar"], progress, time, output, [contenteditable], textarea';
  const clock = /\d\s*[:：]\s*\d\d/;

  // What has changed in them so far.
  const inner = [];
  const listener = new MutationObserver((records) => {
    for (const { target } of records.slice(-100)) inner.push({ target, now: performance.now() });
    inner.splice(0, inner.length - 100);
  });
  observe(listener, trees);

  const isMoving = () => [...watch.contents, ...inner].some(({ target, now }) => performance.now() - now < limits.recent && elementOf(target) && isConnected(target));
  const earlier = [...(globalThis.watch?.contents ?? [])];
  const wasMoving = earlier.length > 0 && isMoving();

  // What is called a carousel, a slide show or a ticker, or seems to be one, the outermost of it, with some of its parts that hold text or pictures.
  const { getBoundingClientRect } = Element.prototype;
  const called = ['carousel', 'slider', 'slides', 'slideshow', 'swiper', 'slick', 'splide', 'flickity', 'glide', 'owl', 'ticker', 'marquee', 'rotator', 'newsflash'];
  const isNamed = called.map((name) => `[class*="${name}" i], [id*="${name}" i]`).join();
  // Parts of words are none of these names, but for what goes before "slider" in the names of programs.
  const names = new RegExp(`(?:^|[\\s_-])(?:${called.join('|')}|(?:bx|flex|nivo|rev|royal)slider)(?:$|[\\s_-])`, 'i');
  const isCalled = (element) => {
    const own = ['class', 'id'].map((name) => Element.prototype.getAttribute.call(element, name) ?? '').join(' ');
    return names.test(own.replace(/([a-z])([A-Z])/g, '$1-$2')) || matches.call(element, '[aria-roledescription*="carousel" i]');
  };
  const [tag, children] = [getter(Element, 'localName'), getter(Node, 'childNodes')];
  const holds = (element) => /^(?:img|picture|svg|video)$/.test(tag(element)) || [...children(element)].some((node) => nodeType(node) === Node.TEXT_NODE && text(node).trim() !== '');
  const slides = [];
  const addSlides = (element, isSure) => {
    const isKnown = slides.some((outer) => contains.call(outer.element, element));
    if (slides.length >= limits.slides || isKnown || element === Reflect.get(Document.prototype, 'body', document) || tag(element) === 'html') return;
    const { width, height } = getBoundingClientRect.call(element);
    if (width < 150 || height < 15 || !isShown(element) || Element.prototype.querySelector.call(element, 'input[type="range" i], [role="slider"]') !== null) return;
    const parts = Array.prototype.filter.call(Element.prototype.querySelectorAll.call(element, '*'), holds);
    // With so much in it, it is a part of the page.
    if (!isSure && parts.length > 60) return;
    isSure &&= parts.length <= 60;
    parts.length = Math.min(parts.length, 60);
    if (parts.length > 1) slides.push({ element, isSure, parts, shown: null, places: null, changes: [], shifts: [] });
  };
  const candidates = Array.prototype.filter.call(querySelectorAll.call(document, `[aria-roledescription*="carousel" i], ${isNamed}`), isCalled);
  for (const element of candidates.slice(0, 200)) addSlides(element, true);
  // What is not called so, and shows and hides its parts meanwhile.
  const toggled = new Set();
  const toggles = new MutationObserver((records) => {
    for (const { target } of records.slice(-100)) {
      const holder = parent(target);
      if (holder && toggled.size < 100 && Reflect.get(Element.prototype, 'childElementCount', holder) > 1) toggled.add(holder);
    }
  });
  toggles.observe(document, { subtree: true, attributes: true, attributeFilter: ['hidden', 'class', 'style', 'aria-hidden'] });
  // Which of the parts can be seen in the whole, and where.
  const partsOf = ({ element, parts }) => {
    const whole = getBoundingClientRect.call(element);
    return parts.map((part) => {
      const { left, top, width, height } = getBoundingClientRect.call(part);
      const [x, y] = [left + width / 2 - whole.left, top + height / 2 - whole.top];
      const isIn = width > 0 && x >= 0 && x <= whole.width && y >= 0 && y <= whole.height && isShown(part);
      return { isIn, place: isIn ? `${Math.round(x / 4)},${Math.round(y / 4)}` : '' };
    });
  };
  const look = (now) => {
    for (const slide of slides) {
      const seen = partsOf(slide);
      const [shown, places] = [seen.map(({ isIn }) => (isIn ? '1' : '0')).join(''), seen.map(({ place }) => place).join(' ')];
      if (slide.shown !== null && shown !== slide.shown && slide.changes.length < 100) slide.changes.push(now);
      if (slide.shown !== null && places !== slide.places && slide.shifts.length < 100) slide.shifts.push(now);
      [slide.shown, slide.places] = [shown, places];
    }
  };
  const goesOnFor = (times) => (times.length > 1 ? times.at(-1) - times[0] : 0);
  // Other parts have come into view several times, or all keeps moving.
  const movesOn = ({ changes, shifts }) => goesOnFor(changes) >= limits.advances || (shifts.length >= 12 && goesOnFor(shifts) >= limits.span);

  globalThis.changing = {
    // Whether anything has changed of late, before and while other probes have moved the page, or there is something that may move on. What
    // happens every few seconds has not come up on a page that was fast.
    async isMoving() {
      if (globalThis.watch?.contents === undefined) return false;
      const scripts = [...querySelectorAll.call(document, 'script')];
      const isTimed = scripts.some((script) => text(script).slice(0, 100_000).includes('setInterval'));
      const left = watch.since + (isTimed ? limits.timed : limits.least) - performance.now();
      if (!wasMoving && !isMoving() && toggled.size + slides.length === 0 && left > 0 && scripts.length > 0) {
        await new Promise((resolve) => setTimeout(resolve, left));
      }
      toggles.disconnect();
      for (const element of toggled) addSlides(element, false);
      return wasMoving || isMoving() || slides.length > 0;
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
      observe(observer, [document, ...trees]);
      const begun = performance.now();
      const before = new Map(earlier.toReversed().map(({ target, now }) => [elementOf(target), now]));
      const goesOn = ({ times }) => times.length > 0 && performance.now() - times.at(-1) < limits.recent;
      const lasts = (element, { times }) => times.length >= 3 && times.at(-1) - (before.get(element) ?? times[0]) >= limits.span;
      // Ends as soon as it is known of everything that goes on whether it lasts. What changed once was a part of the page's building
      // itself, or an answer to a probe.
      const isOpen = () => performance.now() - begun < limits.first || [...seen].some(([element, known]) => goesOn(known) && !lasts(element, known));
      // Slides that have not moved for longer than they usually stand are not waited for, nor those that have been seen to move on.
      const mayMove = ({ changes, shifts }) => performance.now() - Math.max(changes.at(-1) ?? settled, shifts.at(-1) ?? settled) < limits.stands;
      const isAwaited = () => slides.some((slide) => !movesOn(slide) && mayMove(slide));
      // The page may still be following the window that was made narrow.
      const settled = begun + limits.settles;
      for (let looked = settled; (isOpen() || isAwaited()) && performance.now() - begun < limits.whole; ) {
        await new Promise((resolve) => setTimeout(resolve, limits.apart));
        see(observer.takeRecords());
        if (performance.now() < looked) continue;
        look(performance.now());
        looked = performance.now() + limits.looks;
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

      const moved = slides.filter((slide) => movesOn(slide) && isConnected(slide.element) && isShown(slide.element) && axe.utils.getNodeFromTree(slide.element));
      // What is around the slides and little else.
      const heightOf = (element) => getBoundingClientRect.call(element).height;
      const around = ({ element }) => (parent(element) && heightOf(parent(element)) < heightOf(element) + 200 ? parent(element) : element);
      const kept = moved.filter((slide) => !stops.hasStop(around(slide)));
      // What a script makes a control of may have no other sign than these.
      const signs = 'a[href^="#"], a[href=""], a:not([href]), a[href^="javascript" i], [tabindex], [data-slide], [data-slide-to], [data-bs-slide], [data-bs-slide-to]';
      const isFree = (slide) => slide.isSure && !stops.hasStop() && !stops.hasControls(around(slide)) && Element.prototype.querySelector.call(around(slide), signs) === null;
      for (const [list, found] of [[probes.violations, kept.filter(isFree)], [probes.incomplete, kept.filter((slide) => !isFree(slide))]]) {
        const nodes = found.map(({ element }) => probes.node(slidesId, { element }, true));
        if (nodes.length > 0) list.push({ id: slidesId, ...probes.facts[slidesId], nodes });
      }
      (moved.length > 0 ? probes.passed : probes.inapplicable).push(slidesId);
    },
    end(isWatched) {
      listener.disconnect();
      toggles.disconnect();
      if (!isWatched) outcome.probes.inapplicable.push(id, slidesId);
      delete globalThis.changing;
    },
  };
}
