// Proves that nothing on a page shows which element has the focus, where its style sheets and its tree can prove it, so that no picture has to
// be taken. Nothing of the document is changed but the focus. Returns a function for the element that has it; without a proof, that
// says nothing. No script of the page may hear that the focus moves: what it would do has more forms than can be looked for.
({ active, isOut, hasTransition }) => {
  const { kit } = outcome.probes;
  const { matches, parent, shadow, tag } = kit;
  const { querySelector, querySelectorAll } = Document.prototype;
  const { focus, blur } = HTMLElement.prototype;
  const find = (selector) => [...querySelectorAll.call(document, selector)];
  const wait = (time) => new Promise((resolve) => setTimeout(resolve, time));

  // Splits a selector at these characters, where they stand outside of brackets and strings.
  const split = (selector, separators) => {
    const parts = [''];
    let [depth, quote] = [0, ''];
    for (let at = 0; at < selector.length; at += 1) {
      const each = selector[at];
      const isEscape = each === '\\';
      if (quote !== '') quote = each === quote ? '' : quote;
      else if (each === '"' || each === "'") quote = each;
      else if (each === '(' || each === '[') depth += 1;
      else if (each === ')' || each === ']') depth -= 1;
      if (depth === 0 && quote === '' && !isEscape && separators.includes(each)) parts.push('');
      else parts[parts.length - 1] += isEscape ? each + (selector[(at += 1)] ?? '') : each;
    }
    return parts.map((part) => part.trim()).filter((part) => part !== '');
  };
  // A pseudo-element ends a selector, but for what is asked of it. Names of classes, with `\:`, and values of attributes may look like one.
  const pseudo = /(?<!\\)(?:::?(?:before|after|first-line|first-letter)(?![-\w])|::[-\w]+(?:\([^()]*\))?)(?=(?::[-\w]+(?:\([^()]*\))?)*$)/;
  // What a rule says of elements that a selector means. `isOwn` tells that the focus can only change whether it means the element with the focus, and those around it.
  const readPart = (selector, properties) => {
    const last = split(selector, ' >+~').at(-1);
    const isOwn = !selector.slice(0, selector.lastIndexOf(last)).includes(':focus') && !/\([^()]*[\s>+~(]/.test(last);
    const [found = null] = pseudo.exec(last) ?? [];
    // That of any element may stand alone.
    const meant = found === null ? last : last.replace(pseudo, '') || '*';
    return { selector: selector.slice(0, selector.lastIndexOf(last)) + meant, pseudo: found, properties, isOwn };
  };
  // Whether the page has something with rules, or a way to change, of its own.
  const isSpecial = () =>
    querySelector.call(document, 'animate, animateMotion, animateTransform, set, [interestfor]') !== null ||
    find('*').some((element) => tag(element).includes('-') || shadow(element) !== null);
  // The rules that depend on the focus; null if they are not known.
  const readParts = () => {
    const { rules, isAll } = kit.readRules();
    if (!isAll) return null;
    const parts = [];
    for (const rule of rules) {
      if (rule.cssRules.length > 0 && rule.cssText.includes('focus')) return null;
      const selectors = rule.selectorText;
      if (!selectors.includes(':focus')) continue;
      parts.push(...split(selectors, ',').filter((selector) => selector.includes(':focus')).map((selector) => readPart(selector, [...rule.style])));
    }
    return parts.length > 2_000 ? null : parts;
  };
  // What would tell that there are others by now.
  const size = (sheet) => {
    try {
      return `${sheet.cssRules.length} ${sheet.disabled}`;
    } catch {
      // The style sheet of another site, which scripts of the page can't read or change either.
      return `${sheet.href} ${sheet.disabled}`;
    }
  };
  const sheets = () => ['styleSheets', 'adoptedStyleSheets'].map((list) => [...kit.read(Document, list, document)].map(size)).join();
  const opened = () => find(':popover-open, :modal').length;

  const outlineOf = ({ outlineStyle, outlineWidth, outlineColor, outlineOffset }) =>
    outlineStyle === 'none' || parseFloat(outlineWidth) === 0 ? '' : [outlineStyle, outlineWidth, outlineColor, outlineOffset].join(' ');
  const invisible = new Set(['cursor', 'pointer-events', 'user-select', '-webkit-user-select']);
  const valuesOf = (element, { pseudo: of, properties }) => {
    const style = getComputedStyle(element, of);
    const names = properties.includes('all') ? [...style] : properties;
    return names.filter((name) => !invisible.has(name)).map((name) => (name.startsWith('outline') ? outlineOf(style) : style.getPropertyValue(name))).join('\n');
  };
  // Whether a script may draw something in the window.
  const isPainted = () =>
    find('canvas, video, iframe, object, embed').some((canvas) => {
      const { left, right, top, bottom } = kit.box(canvas);
      return right > 0 && left < innerWidth && bottom > 0 && top < innerHeight && kit.isShown(canvas);
    });
  // What forms are drawn with by the browser itself may look different with the focus.
  const isDrawn = (element) =>
    matches(element, 'select') ||
    (matches(element, 'area, button, iframe, input, object, embed, audio, video, textarea, [contenteditable]') && getComputedStyle(element).appearance !== 'none');

  let [parts, read] = [null, null];
  return async (element) => {
    if (!(element instanceof HTMLElement) || active() !== element || (isDrawn(element) && !isOut(element))) return false;
    if (read !== sheets()) [parts, read] = [readParts(), sheets()];
    if (parts === null || isSpecial() || isPainted()) return false;
    const lineage = [];
    for (let each = element; each; each = parent(each)) lineage.push(each);
    const meant = () => parts.map(({ selector, isOwn }) => new Set(isOwn ? lineage.filter((each) => matches(each, selector)) : find(selector)));
    // Of what is out of sight, the outline is, too.
    const outline = () => (isOut(element) ? '' : outlineOf(getComputedStyle(element)));
    const isFocused = () => active() === element && matches(element, ':focus-visible') && !hasTransition();

    let hasChanged = false;
    const observer = new MutationObserver(() => {
      hasChanged = true;
    });
    try {
      observer.observe(document, { subtree: true, attributes: true, childList: true, characterData: true });
      if (!isFocused()) return false;
      const [withFocus, openedWith, outlineWith] = [meant(), opened(), outline()];
      blur.call(element);
      const isLeft = active() === null && !hasTransition() && read === sheets() && opened() === openedWith && outline() === outlineWith;
      if (!isLeft) return false;
      const changed = meant().flatMap((without, index) => [...without.symmetricDifference(withFocus[index])].map((each) => [each, parts[index]]));
      if (changed.some(([, { pseudo: of }]) => of !== null && !/^::?(?:before|after)$/.test(of))) return false;
      const valuesWithout = changed.map(([each, part]) => valuesOf(each, part));
      const isSame = () => changed.every(([each, part], index) => valuesOf(each, part) === valuesWithout[index]);
      focus.call(element, { preventScroll: true });
      if (!isFocused() || !isSame()) return false;
      // What a script does that asks now and then which element has the focus.
      await wait(120);
      return isFocused() && isSame() && opened() === openedWith && read === sheets() && !hasChanged && observer.takeRecords().length === 0;
    } catch {
      // A selector that is none outside of a style sheet.
      return false;
    } finally {
      observer.disconnect();
      if (active() !== element) focus.call(element, { preventScroll: true });
    }
  };
}
