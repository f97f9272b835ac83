// Walks through a page with the Tab key, which is pressed from outside. Leaves `walk` in this world. What it finds becomes results
// of `outcome.probes`, in the form of `run.js`. Nothing of the document is changed but the focus and the position, which `end` puts back.
(makeIsUnshown, makeObscured, limits) => {
  const getter = (type, name) => {
    const { get } = Object.getOwnPropertyDescriptor(type.prototype, name);
    return (node) => get.call(node);
  };
  const activeOf = getter(Document, 'activeElement');
  const activeIn = getter(ShadowRoot, 'activeElement');
  const shadow = getter(Element, 'shadowRoot');
  const parent = getter(Node, 'parentElement');
  const tag = getter(Element, 'localName');
  const { closest, matches, querySelectorAll, checkVisibility, getAttribute, getBoundingClientRect } = Element.prototype;
  const { contains } = Node.prototype;
  const { focus, blur } = HTMLElement.prototype;

  // The element with the focus, through open shadow trees; null if it is none.
  const active = () => {
    let found = activeOf(document);
    while (found && shadow(found) && activeIn(shadow(found))) found = activeIn(shadow(found));
    return found && found !== document.body && found !== document.documentElement ? found : null;
  };
  const first = active();
  const place = [scrollX, scrollY];

  const stops = 'a[href], area[href], button, input:not([type="hidden" i]), select, textarea, summary, [tabindex]';
  const isStop = (element) =>
    !/^\s*-/.test(getAttribute.call(element, 'tabindex') ?? '') &&
    !matches.call(element, ':disabled, [inert] *, [type="radio" i]') &&
    checkVisibility.call(element, { visibilityProperty: true });
  // Those in shadow trees come after those around them. No more than so many trees are looked through.
  const known = [];
  const trees = [document];
  for (let at = 0; at < trees.length && at < 200; at += 1) {
    const find = (at === 0 ? Document : DocumentFragment).prototype.querySelectorAll;
    known.push(...Array.prototype.filter.call(find.call(trees[at], stops), isStop).slice(0, 1_000 - known.length));
    trees.push(...Array.prototype.map.call(find.call(trees[at], '*'), shadow).filter(Boolean));
  }

  // How an element looks, with what is around it and may show the focus in its place.
  const properties = [
    'outlineStyle', 'outlineWidth', 'outlineColor', 'boxShadow', 'backgroundColor', 'backgroundImage', 'color', 'borderTopColor', 'borderTopWidth',
    'borderBottomColor', 'borderBottomWidth', 'borderTopStyle', 'textDecorationLine', 'textDecorationColor', 'fontWeight', 'opacity', 'transform', 'filter',
  ];
  const own = (part, pseudo) => {
    const style = getComputedStyle(part, pseudo);
    return properties.map((property) => style[property]).join();
  };
  // Whether nothing of an element can be seen, however far the page scrolls, so that nothing of its own shows the focus either.
  const isOut = (element) => {
    if (!checkVisibility.call(element, { opacityProperty: true })) return true;
    const { left, right, bottom, width, height } = getBoundingClientRect.call(element);
    // What has no box of its own may show something beside it; and a page that is read from the right goes on to the left.
    if (width === 0 || height === 0) return false;
    if ((right + scrollX <= 0 && getComputedStyle(document.documentElement).direction === 'ltr') || bottom + scrollY <= 0) return true;
    // What is fixed beside the window stays there.
    for (let [part, depth] = [left >= innerWidth ? element : null, 10]; part && depth > 0; part = parent(part), depth -= 1) {
      if (getComputedStyle(part).position === 'fixed') return true;
    }
    return false;
  };
  const looks = (element, isHidden, ownOf = own) => {
    const [after, earlier] = ['nextElementSibling', 'previousElementSibling'].map((side) => Reflect.get(Element.prototype, side, element));
    const beside = [parent(element), parent(element) && parent(parent(element)), after];
    if (isHidden) {
      const labels = element instanceof HTMLInputElement ? [...(Reflect.get(HTMLInputElement.prototype, 'labels', element) ?? [])].slice(0, 3) : [];
      const shown = [...new Set([...beside, earlier, ...labels].filter(Boolean))];
      return shown.map((part) => [ownOf(part), own(part, '::before'), own(part, '::after')].join()).join('\n');
    }
    const around = [element, ...beside];
    const parts = [...around.filter(Boolean), ...Array.prototype.slice.call(querySelectorAll.call(element, '*'), 0, 5)];
    return [...parts.map((part) => ownOf(part)), own(element, '::before'), own(element, '::after')].join('\n');
  };
  // Only a short while after the load, and not for each of thousands. Elements beside each other share much of what is around them.
  const shared = new Map();
  const once = (part) => {
    if (!shared.has(part)) shared.set(part, own(part));
    return shared.get(part);
  };
  const looked = known.slice(0, limits.stops * 2);
  const out = new Set(looked.filter(isOut));
  const before = new Map(looked.map((element) => [element, looks(element, out.has(element), once)]));
  shared.clear();

  // What has stops of its own inside, or a caret, which blinks.
  const inner = 'iframe, object, embed, audio, video, input[type="date" i], input[type="time" i], input[type="datetime-local" i], input[type="month" i], input[type="week" i]';
  const typed = 'input:not([type="button" i], [type="submit" i], [type="reset" i], [type="checkbox" i], [type="radio" i], [type="image" i], [type="range" i], [type="color" i], [type="file" i]), textarea, [contenteditable], iframe, object, embed, audio, video';
  // The elements that have had the focus: since the page was seen to move it by itself, and all.
  const visited = [];
  const judged = new Set();
  const found = { unseen: [] };
  let current = null;
  // Where the focus is from half of a time to its end: a page may move it to and fro without end.
  let lingered = null;
  const linger = async (time) => {
    await wait(time / 2);
    const seen = [active()];
    lingered = seen;
    await wait(time / 2);
    lingered = null;
    return [...seen, active()];
  };
  // Where the focus stays after each key while it seems to be kept, and the elements that keep it.
  const path = [];
  let trapped = [];
  const wait = (time) => new Promise((resolve) => setTimeout(resolve, time));
  const isTransparent = (colour) => /^rgba\(.*, 0\)$|\/ 0\)$/.test(colour);
  // Whether an outline has the colour of what it lies on, and nothing else of the element is known to show the focus.
  const isLost = (element, style) => {
    const { outlineStyle, outlineColor, outlineOffset, boxShadow, backgroundColor: own } = style;
    if (outlineStyle === 'auto' || parseFloat(outlineOffset) < 0 || boxShadow !== 'none' || !isTransparent(own)) return false;
    let part = parent(element);
    for (let depth = 0; part; depth += 1, part = parent(part)) {
      const { backgroundColor, backgroundImage } = getComputedStyle(part);
      if (backgroundImage !== 'none' || depth > 20) return false;
      if (!isTransparent(backgroundColor)) return backgroundColor === outlineColor;
    }
    // The window itself is white; what a shadow tree lies on is not looked for.
    return !(Node.prototype.getRootNode.call(element) instanceof ShadowRoot) && outlineColor === 'rgb(255, 255, 255)';
  };
  // Whether a transition is on its way that has just begun to show an element in another way.
  const shown = new Set(['background-color', 'box-shadow', 'color', 'filter', 'opacity', 'transform']);
  const isChanging = (element, { borderTopWidth, borderBottomWidth }) =>
    Element.prototype.getAnimations.call(element).some((animation) => {
      if (!(animation instanceof CSSTransition)) return false;
      const { transitionProperty } = animation;
      return shown.has(transitionProperty) || (transitionProperty === 'border-top-color' && borderTopWidth !== '0px') || (transitionProperty === 'border-bottom-color' && borderBottomWidth !== '0px');
    });
  // Whether it is no longer of interest how the focus is seen.
  let isEnough = false;
  // Whether no style shows that an element has the focus.
  const isPlain = (element) => {
    if (isEnough) return false;
    // What comes into view with the focus is seen to have it. Only of what was out of sight is it asked each time where it is: that takes a layout.
    if (out.has(element)) return isOut(element) && !matches.call(element, typed) && before.get(element) === looks(element, true);
    const style = getComputedStyle(element);
    const isOutlined = style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) > 0 && !isTransparent(style.outlineColor);
    if (!before.has(element) || matches.call(element, typed)) return false;
    if (isOutlined) return isLost(element, style);
    return (style.outlineStyle !== 'none' || before.get(element) === looks(element, false)) && !isChanging(element, style) && !isOut(element);
  };
  // Whether the focus has come round although others can have it.
  const leavesOut = () => visited.length <= limits.circle && known.some((element) => !visited.includes(element) && !matches.call(element, inner) && isStop(element));
  // Those in a shadow tree are known to that alone.
  const hasTransition = () => trees.slice(0, 200).some((tree) => (tree === document ? Document : ShadowRoot).prototype.getAnimations.call(tree).some((animation) => animation instanceof CSSTransition));
  const isUnshown = makeIsUnshown({ active, hasTransition, isOut });
  const obscured = makeObscured({ active, hasTransition, wait });
  let focused = null;
  // What is still on its way into view will be seen.
  const staysPlain = (element) => isPlain(element) && !(isOut(element) && hasTransition());
  // The number of times that the focus has moved since the last step, and whether it has come from no element at last. A page that moves
  // it by itself is walked slowly from there on.
  let [moves, isFromNowhere, isSlow] = [0, false, false];
  // The elements to which it has moved since then, as long as the page does not do it by itself.
  let passed = [];
  // Those that no style showed when they got the focus, and where the last of several presses has led.
  const doubtful = [];
  let reached = null;
  // Where the focus moves within a shadow tree, only that hears of it.
  const heard = new WeakSet();
  const isHeard = (event) => heard.has(event) || (heard.add(event), false);
  const places = [globalThis, ...trees.slice(1, 200)];
  const note = (event) => {
    if (isHeard(event)) return;
    moves += 1;
    isFromNowhere = event.relatedTarget === null;
    if (lingered !== null && lingered.length < limits.stops) lingered.push(event.composedPath()[0]);
    const [element] = event.composedPath();
    // By now the page has scrolled to it.
    obscured.see(element, isFromNowhere ? null : focused);
    focused = element;
    if (isSlow || passed.length > limits.stops) return;
    passed.push({ element, isFromNowhere, isPlain: !judged.has(element) && isPlain(element) });
  };
  const slowDown = () => {
    isSlow = true;
    passed = [];
    // What the focus has only passed may be among them.
    visited.length = 0;
  };
  for (const each of places) EventTarget.prototype.addEventListener.call(each, 'focusin', note, true);
  // Those at which a script has changed something while they had the focus: a mark may have come there to stay. What it changes of another one is
  // about that.
  const marked = new Set();
  const others = new Set(known);
  let holder = null;
  const mark = (records) => {
    if (holder && !marked.has(holder) && records.some(({ target }) => target === holder || !others.has(target))) marked.add(holder);
  };
  const observer = new MutationObserver(mark);
  for (const tree of trees.slice(0, 200)) observer.observe(tree, { subtree: true, childList: true, attributes: true });
  // Comes before scripts of the page hear that the focus moves.
  const hold = (event) => {
    mark(observer.takeRecords());
    [holder] = event.composedPath();
  };
  for (const each of places) EventTarget.prototype.addEventListener.call(each, 'focus', hold, true);

  globalThis.walk = {
    count: known.length,
    // Says where so many presses of the key at once have led: each to a `new` element, `away` from the page's elements, `round` to its beginning or
    // `in`to something with stops of its own after some of them; or that it is `odd`, so that one press is judged after the other from here on. `doubtful` is the
    // number of elements that no style showed. `time` is what the page has to move the focus on where it seems to be gone.
    async steps(keys, time) {
      const events = passed;
      passed = [];
      moves = 0;
      const say = async (where) => {
        reached = current;
        // What the page does a while after it has given the focus to an element is over before another is looked at.
        if (doubtful.length > 0) await wait(time);
        return JSON.stringify({ where, doubtful: doubtful.length });
      };
      const begins = current === null || matches.call(current, inner);
      let count = 0;
      for (const { element, isFromNowhere: isEntry, isPlain: isUnseen } of events) {
        if (visited.includes(element) || matches.call(element, inner) || (isEntry && !(begins && count === 0))) break;
        visited.push(element);
        if (isUnseen) doubtful.push(element);
        judged.add(element);
        current = element;
        count += 1;
      }
      let element = active();
      const next = events[count];
      if (next === undefined && count === keys && element === current) return say('new');
      if (next === undefined && count < keys && element === null) {
        await wait(time + limits.end);
        element = active();
        if (element === null) return say('away');
      } else if (next?.isFromNowhere && events.length < keys && events.slice(count).every((each, place) => each.element === visited[place % visited.length])) {
        // A press has led out of the page, and the next one to its beginning, maybe several times. `isEnd` tells whether the page takes the focus back.
        current = element;
        return say('round');
      } else if (element !== null && matches.call(element, inner) && (next === undefined || next.element === element)) {
        current = element;
        return say('in');
      } else if (next === undefined && element === current) {
        return say('odd');
      }
      slowDown();
      current = element;
      if (element !== null) visited.push(element);
      return say('odd');
    },
    // Whether one more press has just led on, and the page does not take the focus back. It is needed where the last press has led to what takes it
    // back: nothing would be seen of that.
    async isEnd(time) {
      await wait(time + limits.end);
      if (moves <= 1) return true;
      slowDown();
      moves = 0;
      current = active();
      if (current !== null) visited.push(current);
      return false;
    },
    // Gives the focus to the next element that no style showed when it got it, and returns whether none does now either.
    async isDoubtful(time) {
      current = doubtful.shift();
      if (!(current instanceof HTMLElement)) return false;
      // The page may have changed what is around it since.
      if (active() !== current) {
        if (isOut(current)) out.add(current);
        else out.delete(current);
        before.set(current, looks(current, out.has(current)));
      }
      focus.call(current);
      await wait(time);
      if (active() === current && isPlain(current) && hasTransition()) await wait(limits.transition);
      return active() === current && staysPlain(current);
    },
    // Gives the focus back to where the last press has led.
    resume() {
      if (reached instanceof HTMLElement && active() !== reached) focus.call(reached, { preventScroll: true });
      current = reached;
      passed = [];
      moves = 0;
    },
    // Says where a press of the key has led: `away` from the page's elements, to a `new` one, one that `again` has the focus, or
    // `in`to something with stops of its own; and whether only pixels can tell if the focus is seen. `time` is what the page has to
    // move the focus on or to show it, where it does not simply go from one element to another that shows it at once.
    async step(time) {
      let element = active();
      if (element !== null && matches.call(element, inner)) {
        passed = [];
        moves = 0;
        current = element;
        return JSON.stringify({ where: 'in' });
      }
      const mayComeFromNowhere = current === null || matches.call(current, inner);
      const isOnce = element !== null && moves === 1 && (mayComeFromNowhere || !isFromNowhere);
      if (isSlow || !isOnce || visited.includes(element) || isPlain(element)) {
        await wait(time);
        element = active();
        if (element === null) {
          // This would be the end.
          await wait(limits.end);
          element = active();
        }
        // A style that is on its way shows sooner or later, and to wait for it costs less than pictures.
        if (element !== null && !judged.has(element) && isPlain(element) && hasTransition()) {
          await wait(limits.transition);
          element = active();
        }
        if (!isSlow && element !== null && (!isOnce || moves !== 1)) slowDown();
      }
      // From the page's last element the focus goes to the browser, and from there to the page's first one.
      const isEntry = moves > 0 && isFromNowhere;
      passed = [];
      moves = 0;
      const isSame = element !== null && element === current;
      current = element;
      if (element === null) return JSON.stringify({ where: 'away' });
      if (matches.call(element, inner) || (isSame && tag(element).includes('-'))) return JSON.stringify({ where: 'in' });
      if (visited.includes(element)) return JSON.stringify({ where: 'again', isFirst: isEntry && element === visited[0] && !leavesOut() });
      visited.push(element);
      const isNew = !judged.has(element);
      judged.add(element);
      return JSON.stringify({ where: 'new', isPlain: isNew && staysPlain(element), isSlow });
    },
    // Whether page and style sheets prove that nothing shows the focus.
    async isProven() {
      const isProven = await isUnshown(current);
      passed = [];
      moves = 0;
      return isProven;
    },
    // Asks no longer of elements whether the focus is seen on them.
    enough() {
      isEnough = true;
      doubtful.length = 0;
    },
    // Takes the focus from the element that has it, and says whether none has it now, whether the styles around it stay the same, and whether what
    // shows the focus may be there still: a transition is on its way, before or after, or a script has changed something when the element got the
    // focus and nothing when it lost it. `back` gives it back.
    async leave() {
      const shown = looks(current, out.has(current));
      // Something else may be on its way into view, or out of it, which no two pictures would show.
      const wasMoving = hasTransition();
      mark(observer.takeRecords());
      let isMarked = marked.has(current);
      // What is changed back shows it no longer.
      marked.delete(current);
      if (current instanceof HTMLElement) blur.call(current);
      await wait(30);
      mark(observer.takeRecords());
      isMarked &&= !marked.has(current);
      return JSON.stringify({ isLeft: active() === null, isSame: looks(current, out.has(current)) === shown, isLasting: wasMoving || hasTransition() || isMarked });
    },
    async back() {
      if (current instanceof HTMLElement) focus.call(current, { preventScroll: true });
      await wait(10);
      moves = 0;
      return active() === current;
    },
    unseen() {
      found.unseen.push(current);
    },
    approach: obscured.approach,
    judge: obscured.judge,
    // Returns the number of elements among which the focus goes round, where it stays a while after each key; 0 as long as it is not known,
    // and null if it is gone, or in something with stops of its own.
    async goesRound(time) {
      if (path.length === 0) path.push([current]);
      const seen = await linger(time);
      const at = path.findIndex((earlier) => earlier.at(-1) === seen.at(-1));
      path.push(seen);
      // What has stops of its own inside keeps the focus for some keys, and that is no trap.
      if (seen.some((element) => element === null || matches.call(element, inner) || tag(element).includes('-'))) return null;
      if (at < 0) return 0;
      trapped = [...new Set(path.slice(at + 1).flat())];
      return trapped.length;
    },
    // Whether the focus is still among them.
    async stays(time) {
      return (await linger(time)).every((element) => trapped.includes(element));
    },
    // The focus could not leave these elements in either direction.
    caught() {
      const dialog = '[role="dialog"], [role="alertdialog"], dialog, [aria-modal="true"]';
      // A dialog keeps the focus as long as it is open.
      if (trapped.some((element) => closest.call(element, dialog))) return;
      const text = Reflect.get(HTMLElement.prototype, 'innerText', document.body) ?? '';
      const help = /\b(?:ctrl|control|strg|alt|esc|escape|shift|keyboard|taste|tastenkombination|klawisz|kláves\w*|tasta)\b|клавіш|клавиш|\bpress(?:ing)?\b.{1,40}\b(?:key|leave|exit)/iu;
      // Among several elements one may lead out, or tell how, when it is activated, which nothing here does.
      const kept = known.find((element) => trapped.includes(element)) ?? trapped[0];
      found.trap = { element: kept, isHelped: trapped.length > 1 || help.test(text) };
    },
    end() {
      for (const each of places) {
        EventTarget.prototype.removeEventListener.call(each, 'focusin', note, true);
        EventTarget.prototype.removeEventListener.call(each, 'focus', hold, true);
      }
      observer.disconnect();
      const { probes } = outcome;
      const node = (id, element) => probes.node(id, { element }, true);
      const isKnown = (element) => axe.utils.getNodeFromTree(element);
      const add = (list, id, elements) => elements.length > 0 && list.push({ id, ...probes.facts[id], nodes: elements.map((element) => node(id, element)) });
      const unseen = found.unseen.filter(isKnown);
      add(probes.violations, 'a11ycheck-focus-visible', unseen);
      (judged.size > 0 ? probes.passed : probes.inapplicable).push('a11ycheck-focus-visible');
      add(probes.violations, 'a11ycheck-focus-obscured', obscured.found.filter(isKnown));
      (obscured.mayCover && focused ? probes.passed : probes.inapplicable).push('a11ycheck-focus-obscured');
      if (found.trap && isKnown(found.trap.element)) add(found.trap.isHelped ? probes.incomplete : probes.violations, 'a11ycheck-keyboard-trap', [found.trap.element]);
      (judged.size > 0 ? probes.passed : probes.inapplicable).push('a11ycheck-keyboard-trap');
      const now = active();
      if (now instanceof HTMLElement && now !== first) blur.call(now);
      if (first instanceof HTMLElement && first !== now) focus.call(first, { preventScroll: true });
      scrollTo({ left: place[0], top: place[1], behavior: 'instant' });
      delete globalThis.walk;
    },
  };
  return known.length;
}
