// Probes of what a page does by itself when an element gets the focus, or another value: it takes the focus away, or leads to another page. They
// read the sources of handlers, call none, and leave the way to judge one for `listened.js`.
(kit) => {
  const { all, attribute, isExposed, isVisible, matches } = kit;

  // `location = …`, `location.assign(…)`, `window.open(…)`, `form.submit()`; not `location.hash = …`.
  const leaves =
    /(?<![\w$])location\s{0,9}(?:\.\s{0,9}(?:href|search|pathname)\s{0,9})?=(?!=)|(?<![\w$])location\s{0,9}\.\s{0,9}(?:assign|replace)\s{0,9}\(|(?<![\w$])window\s{0,9}\.\s{0,9}open\s{0,9}\(|\.\s{0,9}(?:submit|requestSubmit)\s{0,9}\(\s{0,9}\)/;
  // All that the handler does is to take the focus from its element: `this.blur()`, and in an attribute `blur()`.
  const blurs = /^\s*(?:if\s*\(\s*this\.blur\s*\)\s*)?(this\s*\.\s*|[\w$]+\s*\.\s*(?:target|currentTarget)\s*\.\s*)?blur\s*\(\s*\)\s*;?\s*(?:return\s+(?:true|false)\s*;?\s*)?$/;
  // What a function consists of.
  const bodyOf = (source) => {
    const rest = source.replace(/^(?:async\b\s*)?(?:(?:function\b[^(]*|[\w$]+\s*)?\([^()]*\)\s*(?:=>\s*)?|[\w$]+\s*=>\s*)/, '');
    return rest.startsWith('{') ? rest.slice(1, rest.lastIndexOf('}')) : rest;
  };

  const chosen = 'select, input[type="radio" i], input[type="checkbox" i]';
  const reached = 'a[href], area[href], button, input:not([type="hidden" i]), select, textarea, summary, [tabindex], [contenteditable]:not([contenteditable="false" i])';
  const isUsed = (element) => !matches(element, ':disabled, [inert] *, [tabindex^="-"]') && isVisible(element) && isExposed(element);
  // Returns the probe that a handler of these events of an element breaks, with the reason if a person has to look; null if it breaks none.
  const judge = (element, event, source) => {
    const isFocus = event === 'focus' && matches(element, reached);
    if (!isFocus && !(event === 'change' && matches(element, chosen))) return null;
    if (!isUsed(element)) return null;
    // An attribute finds `blur` on its own element; a function finds that of the window.
    const isAttribute = source.startsWith('function onfocus(event) {');
    const blurring = isFocus ? blurs.exec(bodyOf(source)) : null;
    if (blurring !== null && (isAttribute || blurring[1] !== undefined)) return { id: 'a11ycheck-focus-removed' };
    return leaves.test(source) ? { id: 'a11ycheck-context-change', reason: event } : null;
  };
  kit.judgeHandler = judge;

  const judged = (id, event, places) => {
    const found = places.flatMap(([element, source]) => {
      const verdict = judge(element, event, source);
      return verdict?.id === id ? [{ element, data: verdict.reason ? { messageKey: verdict.reason } : null }] : [];
    });
    return found;
  };
  const written = (event) => all(`[on${event}]`).map((element) => [element, `function on${event}(event) {${(attribute(element, `on${event}`) ?? '').slice(0, 5_000)}}`]);
  return {
    'a11ycheck-focus-removed': () => ({ failed: judged('a11ycheck-focus-removed', 'focus', written('focus')), isApplicable: all(reached).some(isUsed) }),
    'a11ycheck-context-change': () => {
      const undecided = ['focus', 'change'].flatMap((event) => judged('a11ycheck-context-change', event, written(event)));
      return { failed: [], undecided, isApplicable: all(reached).some(isUsed) };
    },
  };
}
