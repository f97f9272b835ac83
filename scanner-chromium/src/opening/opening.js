// Presses the controls of a page that open something, one after the other, and chooses what has appeared for axe-core and the
// probes. Evaluated in the isolated world in which axe-core is. `makeKit` is the function of `../probes/kit.js`, `words` that of
// `words.js`, `facts` those about the probes that press keys. Leaves `opening` for the steps, and returns as JSON text the controls to press, in the order in which to do so.
//
// A control is pressed only if it says by itself that it opens something, and if nothing speaks for more: it submits no form, leads
// to no address, and no word or attribute of it is one of an action. Events are not trusted ones, so that a page can open no window
// and write to no clipboard.
(makeKit, words, facts, limits) => {
  axe.setup(document);
  const kit = makeKit(new Map());
  const { all, attribute, closest, contains, has, matches, parent, read, shadow, tag } = kit;
  const wait = (time) => new Promise((resolve) => setTimeout(resolve, time));
  // What has the focus, in shadow trees too.
  const focused = () => {
    let found = read(Document, 'activeElement', document);
    for (let tree = found && shadow(found); tree && read(ShadowRoot, 'activeElement', tree); tree = shadow(found)) found = read(ShadowRoot, 'activeElement', tree);
    return found;
  };
  const children = (node) => read(node instanceof Element ? Element : DocumentFragment, 'children', node);
  // The element around one, that of a shadow tree included.
  const around = (element) => {
    const root = read(Node, 'parentNode', element);
    return root instanceof ShadowRoot ? read(ShadowRoot, 'host', root) : parent(element);
  };
  const address = () => location.href.split('#')[0];

  const strong = [
    'summary', '[aria-expanded="false"]', '[aria-haspopup]:not([aria-haspopup="false"])', '[role="tab"]',
    'button[popovertarget]', 'button[commandfor]', 'button[aria-controls]', '[data-bs-toggle]', '[data-toggle]',
  ];
  const carousels = '[aria-roledescription="carousel" i], [class*="carousel" i], [class*="swiper" i], [class*="slick-slider" i], [class*="slideshow" i]';
  const { next, previous, close, action } = words();
  const roles = new Set(['button', 'tab', 'menuitem']);
  // Attributes of libraries that make a request of a click.
  const acting = ['data-method', 'data-confirm', 'data-remote', 'hx-post', 'hx-put', 'hx-patch', 'hx-delete', 'hx-get', 'formaction', 'form', 'download', 'ping', 'target'];
  const handler = /submit|location|\.href|\.open\(|fetch|xmlhttp|\$\.(?:post|ajax|get)|delete|remove\(|print\(|download/i;
  const named = (element) => [kit.name(element), ...['title', 'value', 'data-action'].map((each) => attribute(element, each) ?? ''), kit.visibleText(element, 200)];
  const leadsAway = (element) => {
    const link = closest(element, 'a[href], area[href], [data-href]');
    if (!link) return false;
    // A link around a control is followed when it is pressed.
    const target = (attribute(link, 'href') ?? '').trim();
    return link !== element || !/^(?:#[^/!]*|javascript:\s*(?:void\s*\(?\s*0\s*\)?|;|\/\/)?\s*;?)$/i.test(target);
  };
  // Whether it says by itself that a click leads away or makes a request.
  const asksForMore = (element) => {
    if (leadsAway(element) || acting.some((each) => has(element, each))) return true;
    for (let at = element, left = 3; at && left > 0; at = around(at), left -= 1) if (handler.test(attribute(at, 'onclick') ?? '')) return true;
    return false;
  };
  const isSafe = (element) => {
    const kind = tag(element);
    if (!kit.isHtml(element) || !kit.isVisible(element) || matches(element, ':disabled, [aria-disabled="true"]') || closest(element, '[inert], [contenteditable]')) return false;
    if (kind !== 'button' && kind !== 'summary' && kind !== 'a' && !roles.has(kit.role(element))) return false;
    if (/^(?:input|select|textarea|option|label|form|iframe|video|audio)$/.test(kind)) return false;
    // A button submits its form unless it says otherwise, and what is in a form may by a script.
    const form = kind === 'button' ? read(HTMLButtonElement, 'form', element) : closest(element, 'form');
    if (form && !(kind === 'summary' || (kind === 'button' && (attribute(element, 'type') ?? '').trim().toLowerCase() === 'button'))) return false;
    if (asksForMore(element)) return false;
    // A question is not what it asks about: "How do I cancel an order?" opens its answer.
    const isQuestion = (kind === 'summary' || closest(element, 'h2, h3, h4, h5, h6, [role="heading"]')) && kit.words(kit.name(element)).split(' ').length > 4;
    return isQuestion || !named(element).some((text) => action.test(text));
  };

  const isOpen = (element) =>
    attribute(element, 'aria-expanded') === 'true' || (tag(element) === 'summary' && parent(element) && has(parent(element), 'open'));
  const kindOf = (element) => {
    if (tag(element) === 'summary') {
      const details = parent(element);
      return details && tag(details) === 'details' && !has(details, 'open') ? 'disclosure' : null;
    }
    if (isOpen(element)) return null;
    if (kit.role(element) === 'tab') return attribute(element, 'aria-selected') === 'true' || matches(element, '.active, .selected') ? null : 'tab';
    const command = (attribute(element, 'command') ?? '').toLowerCase();
    if (has(element, 'commandfor') && !/^(?:show-modal|show-popover|toggle-popover)$/.test(command)) return null;
    if (has(element, 'popovertarget') && (attribute(element, 'popovertargetaction') ?? '').toLowerCase() === 'hide') return null;
    const toggled = attribute(element, 'data-bs-toggle') ?? attribute(element, 'data-toggle');
    if (toggled !== null && !/^(?:collapse|dropdown|modal|offcanvas|popover|tab|pill)$/.test(toggled)) return null;
    if (toggled === null && matches(element, 'button[aria-controls]:not([aria-expanded], [aria-haspopup], [popovertarget], [commandfor])')) {
      // What it controls is hidden yet.
      const controlled = document.getElementById((attribute(element, 'aria-controls') ?? '').trim());
      return controlled && !kit.isShown(controlled) ? 'disclosure' : null;
    }
    return /dialog/.test(attribute(element, 'aria-haspopup') ?? '') || toggled === 'modal' || command === 'show-modal' ? 'dialog' : has(element, 'aria-haspopup') || toggled === 'dropdown' ? 'menu' : 'disclosure';
  };
  const inCarousel = (element) => closest(element, carousels);
  const turns = (element, pattern) => named(element).some((text) => pattern.test(text)) || pattern.test(attribute(element, 'class') ?? '');

  const described = (element) => {
    const { selector, source } = new axe.utils.DqElement(element, { elementRef: true });
    return { selector: selector.flat(Infinity).join(' ').slice(0, limits.text), html: source };
  };
  const found = [];
  try {
    for (const element of all(strong.join()).slice(0, limits.seen)) {
      const kind = kindOf(element);
      if (kind !== null && isSafe(element)) found.push({ element, kind });
    }
    const turned = new Set();
    for (const element of all('button, [role="button"]').slice(0, limits.seen)) {
      const carousel = inCarousel(element);
      if (!carousel || turned.has(carousel) || !turns(element, next) || !isSafe(element)) continue;
      turned.add(carousel);
      found.push({ element, kind: 'carousel' });
    }
    for (const control of found) {
      control.name = kit.name(control.element).slice(0, limits.text);
      Object.assign(control, described(control.element));
      const { element } = control;
      // What HTML makes a button or a link answers keys by itself; tabs and items of menus are reached with arrows.
      control.isCustom = !/^(?:button|summary)$/.test(tag(element)) && !has(element, 'href') && ['button', null, 'generic'].includes(kit.role(element));
      // Entries of one list are alike, and one of each list says most.
      const up = around(control.element);
      control.like = [control.kind, tag(control.element), attribute(control.element, 'class'), up && attribute(up, 'class')].join('|');
    }
  } finally {
    axe.teardown();
  }
  const before = new Map();
  for (const control of found) {
    control.rank = before.get(control.like) ?? 0;
    before.set(control.like, control.rank + 1);
  }
  const controls = [...new Map(found.map((control) => [control.element, control])).values()]
    .map((control, place) => ({ ...control, place }))
    .sort((one, other) => one.rank - other.rank || one.place - other.place)
    .slice(0, limits.states);

  // The elements that can be seen, as far as their boxes and those that cut them off say.
  const isShown = kit.isShown;
  const cut = (a, b) => ({ left: Math.max(a.left, b.left), top: Math.max(a.top, b.top), right: Math.min(a.right, b.right), bottom: Math.min(a.bottom, b.bottom) });
  const shown = () => {
    const seen = new Set();
    const root = document.documentElement;
    const page = { left: -scrollX, top: -scrollY, right: Math.max(innerWidth, read(Element, 'scrollWidth', root)) - scrollX, bottom: Infinity };
    const stack = [{ element: root, clip: page, placed: page }];
    for (let left = limits.elements; stack.length > 0 && left > 0; left -= 1) {
      const { element, clip, placed } = stack.pop();
      const style = getComputedStyle(element);
      if (style.display === 'none') continue;
      const box = kit.box(element);
      const base = style.position === 'fixed' ? page : style.position === 'absolute' ? placed : clip;
      const { left: x, top: y, right, bottom } = cut(box, base);
      if (right - x > 1 && bottom - y > 1 && isShown(element)) seen.add(element);
      const inner = style.overflow === 'visible' || style.display === 'contents' || element === root ? base : cut(box, base);
      const innerPlaced = style.position !== 'static' || style.transform !== 'none' ? inner : placed;
      const tree = shadow(element);
      for (const child of [...children(element), ...(tree ? children(tree) : [])]) stack.push({ element: child, clip: inner, placed: innerPlaced });
    }
    return seen;
  };

  // Waits until nothing has been added, removed or changed for a while, and what is animated has come to its end.
  const settle = async () => {
    const began = performance.now();
    let last = began;
    const observer = new MutationObserver(() => (last = performance.now()));
    for (const tree of [document, ...all('*').map(shadow).filter(Boolean).slice(0, 100)]) observer.observe(tree, { subtree: true, childList: true, attributes: true, characterData: true });
    const isMoving = () => Document.prototype.getAnimations.call(document).some((animation) => animation.playState === 'running' && Number.isFinite(animation.effect?.getComputedTiming().endTime));
    do await wait(30);
    while (performance.now() - began < limits.longest && (performance.now() - last < limits.quiet || isMoving()));
    observer.disconnect();
  };
  // Presses an element, and returns whether it had the focus then.
  const press = (element) => {
    const { left, top, width, height } = kit.box(element);
    const at = { bubbles: true, cancelable: true, composed: true, view: window, clientX: left + width / 2, clientY: top + height / 2, detail: 1 };
    const pointer = { ...at, pointerId: 1, pointerType: 'mouse', isPrimary: true };
    const send = (event) => EventTarget.prototype.dispatchEvent.call(element, event);
    send(new PointerEvent('pointerdown', { ...pointer, buttons: 1 }));
    send(new MouseEvent('mousedown', { ...at, buttons: 1 }));
    HTMLElement.prototype.focus.call(element, { preventScroll: true });
    const hasFocus = focused() === element;
    send(new PointerEvent('pointerup', pointer));
    send(new MouseEvent('mouseup', at));
    HTMLElement.prototype.click.call(element);
    return hasFocus;
  };
  const escape = (element) => {
    for (const type of ['keydown', 'keyup']) {
      const event = new KeyboardEvent(type, { key: 'Escape', code: 'Escape', keyCode: 27, which: 27, bubbles: true, cancelable: true, composed: true });
      EventTarget.prototype.dispatchEvent.call(element, event);
    }
  };
  // No form is sent, whatever a press does.
  const refuse = (event) => {
    event.preventDefault();
    event.stopImmediatePropagation();
    opening.hasLeft = true;
  };
  addEventListener('submit', refuse, true);

  const [startedAt, startedWith] = [address(), location.hash];
  let [now, roots] = [null, new Set()];
  // What the probes that press keys have found since a control was pressed, those that were asked, and those with a picture.
  let [accused, tried, pictured] = [[], new Set(), new Set()];
  const accuse = (id, messageKey, { element, selector, html }) => accused.push({ id, messageKey, element, selector, html });
  const stops = 'a[href], area[href], button:enabled, input:enabled, select:enabled, textarea:enabled, summary, [tabindex]:not([tabindex^="-"])';
  const isWithin = (element) => {
    for (let at = element; at; at = around(at)) if (roots.has(at)) return true;
    return false;
  };
  const isInside = (outer, element) => {
    for (let at = element; at; at = around(at)) if (at === outer) return true;
    return false;
  };
  // `kit` knows what was there first, and not what has come since.
  const holdsFrame = (element) =>
    [element, ...kit.inside(element, '*')].some((each) => matches(each, 'iframe, frame') || [...children(shadow(each) ?? new DocumentFragment())].some(holdsFrame));
  const isGone = () => [...roots].every((root) => !read(Node, 'isConnected', root)) || (() => {
    const seen = shown();
    return [...roots].every((root) => !seen.has(root));
  })();
  const said = (element) => `${attribute(element, 'aria-label') ?? ''} ${kit.text(element)}`;
  // What puts a page back is pressed under the same conditions as what opens it, but that nobody knows its name here.
  const isSafeToGoBack = (element) => {
    const type = (attribute(element, 'type') ?? '').trim().toLowerCase();
    const sends = tag(element) === 'button' && read(HTMLButtonElement, 'form', element) && type !== 'button';
    return !sends && !asksForMore(element) && !action.test(said(element));
  };
  // A word for closing alone, or with what is closed: "Close account" closes more than a dialog.
  const closable = /^(?:this|the|dialog|dialogue|dialogul|menu|meniul|menü|modal|popup|pop-up|popover|window|panel|overlay|fenster|okno|fereastra|меню|окно|вікно|діалог|диалог)$/iu;
  const closes = (element) => {
    const texts = [attribute(element, 'aria-label') ?? '', kit.text(element)].map((text) => text.trim()).filter(Boolean);
    const isClosing = (text) => text.split(/\s+/).filter((word) => !closable.test(word)).every((word) => close.test(word));
    return texts.some((text) => close.test(text)) && texts.every(isClosing);
  };
  const putBack = async () => {
    const { element, kind, selected } = now;
    const goneAfter = async (deed) => {
      deed();
      await settle();
      return isGone();
    };
    const inRoots = (selector) => [...roots].flatMap((root) => [root, ...kit.inside(root, selector)]);
    const isThere = () => read(Node, 'isConnected', element) && isShown(element);
    if (kind === 'tab') return selected !== null && !asksForMore(selected) && (await goneAfter(() => press(selected)));
    if (kind === 'carousel') {
      const back = [...kit.inside(inCarousel(element) ?? element, 'button, [role="button"]')].find((each) => previous.test(`${said(each)} ${attribute(each, 'class') ?? ''}`) && isSafeToGoBack(each));
      return back !== undefined && (await goneAfter(() => press(back)));
    }
    const ways = [
      () => {
        for (const each of inRoots('dialog[open]')) if (each instanceof HTMLDialogElement && has(each, 'open')) HTMLDialogElement.prototype.close.call(each);
        for (const each of inRoots('[popover]')) if (has(each, 'popover') && matches(each, ':popover-open')) HTMLElement.prototype.hidePopover.call(each);
      },
      () => isThere() && isOpen(element) && press(element),
      () => escape(read(Document, 'activeElement', document) ?? document.body),
      () => [...roots].forEach(escape),
      () => {
        const button = inRoots('button, [role="button"]').find((each) => matches(each, 'button, [role="button"]') && closes(each) && isSafeToGoBack(each));
        if (button) press(button);
      },
      () => isThere() && press(element),
      () => {
        const last = focused();
        if (last instanceof HTMLElement) HTMLElement.prototype.blur.call(last);
        // What closes then has not had the time to give the focus back.
        now.dialog = null;
      },
    ];
    for (const way of ways) if (await goneAfter(way)) return true;
    return false;
  };
  const nodesOf = (id) => {
    const own = accused.filter((each) => each.id === id);
    return [...Map.groupBy(own, ({ element }) => element).values()].map((those) => ({
      element: those[0].element,
      target: [those[0].selector],
      html: those[0].html,
      failureSummary: facts[id].help,
      any: [],
      all: those.map(({ messageKey }) => ({ id, data: { messageKey } })),
      none: [],
    }));
  };
  const leave = (id, nodes) => {
    const violations = nodes.length > 0 ? [{ id, ...facts[id], nodes }] : [];
    const results = { violations: [], incomplete: [], passes: [], inapplicable: [] };
    globalThis.outcome = { results, probes: { violations, incomplete: [], passed: [id], inapplicable: [], errors: [] } };
    return true;
  };
  globalThis.opening = {
    hasLeft: false,
    // Presses a control. Returns whether something has appeared: `opened`, `nothing`; or `left` if the page shows something else.
    press: async (index) => {
      [accused, tried, pictured] = [[], new Set(), new Set()];
      const { element, kind } = controls[index];
      if (!read(Node, 'isConnected', element) || !isShown(element)) return 'nothing';
      const list = kind === 'tab' ? closest(element, '[role="tablist"]') : null;
      const selected = list ? ([...kit.inside(list, '[role="tab"][aria-selected="true"]')][0] ?? null) : null;
      now = { ...controls[index], selected, dialog: null };
      const earlier = shown();
      now.hadFocus = press(element);
      await settle();
      if (opening.hasLeft || address() !== startedAt) return 'left';
      const later = shown();
      const kept = [...earlier].filter((each) => later.has(each)).length;
      // All of the page is another one.
      if (earlier.size > 20 && kept < earlier.size / 10) return 'left';
      const appeared = [...later].filter((each) => !earlier.has(each));
      const fresh = new Set(appeared);
      roots = new Set(appeared.filter((each) => !fresh.has(around(each))));
      return roots.size > 0 && roots.size <= limits.roots ? 'opened' : 'nothing';
    },
    // Runs axe-core on what has appeared. `hold` is the function of `../axe/hold.js`.
    look: async (options, hold) => {
      hold();
      const results = await axe.run({ include: [...roots] }, { ...options, elementRef: true, iframes: false });
      globalThis.outcome = { results };
    },
    // Returns whether frames are in it. `../axe/part.js` runs instead then.
    hasFrames: () => [...roots].some(holdsFrame),
    extent: () => ({ include: [...roots] }),
    // Returns whether the dialog is still there once pictures have been taken of it: no probe speaks of one that they have closed.
    stays: async () => {
      await settle();
      if (!isGone()) return true;
      now.dialog = null;
      if (!accused.some(({ id }) => id === 'a11ycheck-dialog-focus')) tried.delete('a11ycheck-dialog-focus');
      return false;
    },
    // Looks at the page after Escape was pressed in a dialog, and returns whether it is still there for that reason.
    escaped: async () => {
      // A frame that has the focus gets the key, and need not pass it on.
      const isInFrame = ['iframe', 'embed', 'object'].includes(tag(focused()));
      await settle();
      const isThere = !isGone() && !isInFrame;
      if (isThere) accuse('a11ycheck-dialog-focus', 'escape', now.dialog);
      return isThere;
    },
    // Sets the focus to a control that is no button of HTML and was opened by a click. Returns whether it has the focus.
    aim: async () => {
      tried.add('a11ycheck-opening-keys');
      const { element } = now;
      now.earlier = shown();
      HTMLElement.prototype.focus.call(element, { preventScroll: true });
      await settle();
      if (focused() === element) return true;
      const isReached = [element, ...kit.inside(element, '*')].some((each) => matches(each, stops)) || closest(element, stops);
      if (!isReached) accuse('a11ycheck-opening-keys', 'focus', now);
      return false;
    },
    // Returns whether something has appeared since the control got the focus.
    answered: async () => {
      await settle();
      const fresh = new Set([...shown()].filter((each) => !now.earlier.has(each)));
      roots = new Set([...fresh].filter((each) => !fresh.has(around(each))));
      return roots.size > 0;
    },
    // Notes that no key has opened the control.
    unanswered: () => accuse('a11ycheck-opening-keys', 'keys', now),
    // Leaves in the outcome what a probe that presses keys has found; false if it was not asked.
    tell: (id) => tried.has(id) && leave(id, nodesOf(id)),
    // Leaves the same once for a picture, of the control where the dialog did not give the focus back to it; false if nothing was found so far.
    show: (id) => {
      if (pictured.has(id) || !accused.some((each) => each.id === id)) return false;
      pictured.add(id);
      const isOfControl = ({ all: [{ data }] }) => data.messageKey === 'returned';
      return leave(id, nodesOf(id).map((node) => (isOfControl(node) ? { ...node, element: now.element } : node)));
    },
    // Leaves in the outcome what concerns the parts that have appeared. Returns whether they are a dialog that keeps the focus. axe-core is
    // set up since the probes have run.
    keep: () => {
      const { results, probes = { violations: [], incomplete: [], errors: [] } } = outcome;
      // Of frames, those in these parts alone were checked. The page around may have what a frame lacks.
      const ofPage = new Set(['bypass', 'landmark-one-main', 'page-has-heading-one', 'region']);
      const concerns = (id) => ({ element, target }) => (target.length > 1 ? !ofPage.has(id) : element && isWithin(element));
      const those = (list) => list.map((result) => ({ ...result, nodes: result.nodes.filter(concerns(result.id)) })).filter(({ nodes, error }) => nodes.length > 0 && !error);
      // A probe names what is on the whole page, and only the first of it with a selector.
      const again = ({ id, ...result }) => ({
        id,
        ...result,
        nodes: result.nodes.map((node) => (node.target.length > 0 ? node : { ...probes.node(id, { element: node.element, data: node.any[0]?.data ?? null, check: node.any[0]?.id ?? id }, true) })),
      });
      const kept = (of, more) => ({ ...of, violations: those(of.violations).map(more), incomplete: those(of.incomplete).map(more) });
      const none = { passed: [], inapplicable: [] };
      globalThis.outcome = {
        results: { ...kept(results, (result) => result), passes: [], inapplicable: [] },
        probes: { ...kept(probes, again), ...none },
      };
      const modal = 'dialog:modal, [role="dialog"][aria-modal="true"], [role="alertdialog"][aria-modal="true"]';
      const dialog = [...roots].flatMap((root) => [...(matches(root, modal) ? [root] : []), ...kit.inside(root, modal)]).find(isShown);
      if (!dialog || !now.hadFocus) return false;
      now.dialog = { element: dialog, ...described(dialog) };
      tried.add('a11ycheck-dialog-focus');
      if (!isInside(dialog, focused())) accuse('a11ycheck-dialog-focus', 'taken', now.dialog);
      return true;
    },
    // Puts back what a press has opened, and returns whether the page is as it was.
    close: async () => {
      const isBack = roots.size === 0 || isGone() || (await putBack());
      if (isBack && now?.dialog && isShown(now.element) && !isInside(now.element, focused())) accuse('a11ycheck-dialog-focus', 'returned', now.dialog);
      if (now) now.dialog = null;
      if (location.hash !== startedWith && address() === startedAt) history.replaceState(history.state, '', startedAt + startedWith);
      const last = read(Document, 'activeElement', document);
      if (last instanceof HTMLElement) HTMLElement.prototype.blur.call(last);
      if (scrollX !== 0 || scrollY !== 0) scrollTo({ left: 0, top: 0, behavior: 'instant' });
      roots = new Set();
      return isBack && !opening.hasLeft && address() === startedAt;
    },
  };
  const wellFormed = (_, value) => (typeof value === 'string' ? value.toWellFormed() : value);
  return JSON.stringify(controls.map(({ name, selector, isCustom }) => ({ name, selector, isCustom })), wellFormed);
}
