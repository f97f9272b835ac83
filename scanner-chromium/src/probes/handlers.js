// Probes of what a page does by itself when an element gets the focus, or another value: it takes the focus away, leads to another page, or refuses what is pasted. They
// read the sources of handlers, call none, and leave the way to judge one for `listened.js`.
(kit) => {
  const { all, attribute, isExposed, isVisible, matches } = kit;

  // What of a source is neither a comment nor in a string.
  const codes = new Map();
  const codeOf = (source) => {
    if (!codes.has(source)) codes.set(source, readCode(source));
    return codes.get(source);
  };
  const readCode = (source) => source.replace(/\/\*[^]*?\*\/|\/\/[^\n]*|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\[^])*`/g, (found) => (found.startsWith('/') ? ' ' : '""'));
  // `location = …`, `location.assign(…)`, `window.open(…)`, `form.submit()`; not `location.hash = …`, and no variable or field of that name.
  const leaves = new RegExp(
    '(?<![\\w$.]|\\b(?:const|let|var) {0,9}\\{? {0,9})(?:(?:window|document|self|top|parent) {0,9}\\. {0,9})?location {0,9}' +
      '(?:(?:\\. {0,9}(?:href|search|pathname) {0,9})?\\+?=(?![=>])|\\. {0,9}(?:assign|replace|reload) {0,9}\\()' +
      '|(?<![\\w$.])window {0,9}\\. {0,9}open {0,9}\\(|\\. {0,9}(?:submit|requestSubmit) {0,9}\\( {0,9}\\)',
  );
  // All that a handler does is to take the focus from its element: in an attribute `blur()` or `this.blur()`, in a function, which has both,
  // `this.blur()` or that of the target of its event. What `this` is in an arrow function or a method is not known.
  const blurs = /^(?:if ?\( ?this\.blur ?\) ?)?(?:(this|[\w$]+(?= ?\. ?(?:target|currentTarget) ?\. ?blur ?\())(?: ?\. ?(?:target|currentTarget))? ?\. ?)?blur ?\( ?\) ?;?(?: ?return (?:true|false) ?;?)?$/;
  const isBlurring = (source) => {
    const code = codeOf(source).replace(/\s+/g, ' ').trim();
    if (code.length > 200) return false;
    const [, name, parameter, body] = /^(function\b[^(]*)?\(? ?([\w$]*) ?\)? ?(?:=> ?)?\{? ?([^{}]*?) ?\}?$/.exec(code) ?? [];
    const blurring = body === undefined ? null : blurs.exec(body);
    if (blurring === null) return false;
    const isAttribute = name === 'function onfocus';
    if (blurring[1] === undefined) return isAttribute;
    return blurring[1] === 'this' ? name !== undefined : blurring[1] === parameter;
  };

  const chosen = 'select, input[type="radio" i], input[type="checkbox" i]';
  const reached = 'a[href], area[href], button, input:not([type="hidden" i]), select, textarea, summary, [tabindex], [contenteditable]:not([contenteditable="false" i])';
  const isUsed = (element) => !matches(element, ':disabled, [inert] *, [tabindex^="-"]') && isVisible(element) && isExposed(element);
  // All that it does is to refuse what is pasted, maybe with a word. In an attribute, and where jQuery calls it, what a handler returns refuses it, too.
  const refusal = /^(?:return )?(?:[\w$]{1,40} ?\. ?(?:preventDefault|stopPropagation|stopImmediatePropagation) ?\( ?\)|(?:window ?\. ?)?alert ?\( ?"" ?\))$|^return(?: (?:false|true|! ?[01]))?$/;
  // What a body does, step by step: of `return a(), b` first `a()`, then `return b`. The body of an arrow function without braces is what it returns.
  const stepsOf = (body, isReturned) =>
    body.split(/ ?; ?/).filter(Boolean).flatMap((statement) => {
      const [, returned, parts] = /^(return\b(?! ?[:=]))? ?([^]*)$/.exec(statement);
      const steps = parts.split(/ ?, ?/);
      return steps.map((step, at) => (at === steps.length - 1 && (returned || isReturned) ? `return ${step}`.trim() : step));
    });
  const refuses = (source, isOfJquery) => {
    const code = codeOf(source).replace(/\s+/g, ' ').trim();
    if (code.length > 300) return false;
    const [, name, arrow, brace, body] = /^(function\b[^(]*)?\(? ?(?:[\w$]*) ?\)? ?(=> ?)?(\{)? ?([^{}]*?) ?\}?$/.exec(code) ?? [];
    if (body === undefined) return false;
    const isReturned = Boolean(arrow && !brace);
    const steps = stepsOf(isReturned ? body.replace(/^\( ?([^]*?) ?\)$/, '$1') : body, isReturned);
    const returns = isOfJquery || name === 'function onpaste';
    const isRefused = steps.some((step) => step.includes('preventDefault') || (returns && /^return (?:false|! ?1)$/.test(step)));
    return isRefused && steps.every((step) => refusal.test(step));
  };
  // Returns the probe that a handler of these events of an element breaks, with the reason if a person has to look; null if it breaks none.
  const judge = (element, event, source, isOfJquery = false) => {
    if (event === 'paste') return matches(element, 'input:read-write, textarea:read-write') && isUsed(element) && refuses(source, isOfJquery) ? { id: 'a11ycheck-paste-blocked' } : null;
    const isFocus = event === 'focus' && matches(element, reached);
    if (!isFocus && !(event === 'change' && matches(element, chosen))) return null;
    if (!isUsed(element)) return null;
    if (isFocus && isBlurring(source)) return { id: 'a11ycheck-focus-removed' };
    return leaves.test(codeOf(source).replace(/\s+/g, ' ')) ? { id: 'a11ycheck-context-change', reason: event } : null;
  };
  kit.judgeHandler = judge;

  const written = (event) => all(`[on${event}]`).map((element) => [element, `function on${event}(event) {${(attribute(element, `on${event}`) ?? '').slice(0, 5_000)}}`]);
  const judged = (id, event) =>
    written(event).flatMap(([element, source]) => {
      const verdict = judge(element, event, source);
      return verdict?.id === id ? [{ element, data: verdict.reason ? { messageKey: verdict.reason } : null }] : [];
    });
  return {
    'a11ycheck-focus-removed': () => ({ failed: judged('a11ycheck-focus-removed', 'focus'), isApplicable: all(reached).some(isUsed) }),
    'a11ycheck-paste-blocked': () => ({ failed: judged('a11ycheck-paste-blocked', 'paste'), isApplicable: all('input:read-write, textarea:read-write').some(isUsed) }),
    'a11ycheck-context-change': () => {
      const found = ['focus', 'change'].flatMap((event) => judged('a11ycheck-context-change', event));
      // One that leads away for both stands once.
      const known = new Set();
      const undecided = found.filter(({ element }) => known.size < known.add(element).size);
      return { failed: [], undecided, isApplicable: all(reached).some(isUsed) };
    },
  };
}
