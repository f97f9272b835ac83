// Reads the sources of the handlers of keys that a page has on its window and its document for shortcuts of a single character, and
// leaves what it finds beside what other probes have found, with the events of a device that moves which the page listens to (`motions`). Calls none
// of them.
(handlers, motions) => {
  const id = 'a11ycheck-single-key';
  const { probes } = outcome;
  // A handler that looks at these, or calls a function that is named after them, may want them held.
  const modifiers = new RegExp(
    '\\b(?:ctrlKey|metaKey|altKey|getModifierState)\\b' +
      '|(?:\\b(?:alt|ctrl|meta|modifiers?)|(?<=[a-z])(?:Alt|Ctrl|Meta|Modifiers?))(?:[A-Z]\\w*)?\\s*\\(',
  );
  const character = /^[\p{L}\p{N}\p{P}\p{S}]$/u;
  const marks = { 186: ';', 187: '=', 188: ',', 189: '-', 190: '.', 191: '/', 192: '`', 219: '[', 220: '\\', 221: ']', 222: "'" };
  // The character of a number: of a key, or, while a character is typed, its own.
  const ofNumber = (number, isTyped) => {
    if (isTyped) return number > 32 && number < 127 ? String.fromCharCode(number) : '';
    return (number >= 48 && number <= 57) || (number >= 65 && number <= 90) ? String.fromCharCode(number) : (marks[number] ?? '');
  };
  const ofName = (name) => (character.test(name) ? name : (/^(?:Key([A-Z])|Digit(\d))$/.exec(name)?.slice(1).find(Boolean) ?? ''));
  // Where a handler goes on only without them, they are not held.
  const given = '[\\w$.]{0,100}\\b(?:ctrlKey|metaKey|altKey)\\b';
  const returns = '\\)\\s{0,100}(?:\\{\\s{0,100})?return\\b';
  const without = new RegExp(`!\\s{0,9}${given}|\\bif\\s{0,9}\\([^()]{0,300}?${given}[^()]{0,300}${returns}`, 'g');
  // Where it does not, they are: if (!event.ctrlKey) return; !event.ctrlKey || save().
  const needed = new RegExp(`!\\s{0,9}${given}\\s{0,9}\\|\\||\\|\\|\\s{0,9}!\\s{0,9}${given}|\\bif\\s{0,9}\\(\\s{0,9}!\\s{0,9}${given}\\s{0,9}\\)\\s{0,100}(?:\\{[^{}]{0,300})?\\breturn\\b`);
  // Where a handler keeps the key in a variable, that is read as the key: const k = event.key.toLowerCase().
  const kept = /\b(?:const|let|var)\s+([A-Za-z_]\w{0,40})\s*=\s*[\w$.]*\.(key|code|keyCode|which|charCode)(?:\s*\.\s*to(?:Locale)?(?:Lower|Upper)Case\(\))?\s*(?=[;,\n])/g;
  const named = (source) => [...source.matchAll(kept)].slice(0, 5).reduce((read, [, name, property]) => read.replace(new RegExp(`(?<![\\w$."'\`])${name}(?![\\w$"'\`])`, 'g'), property), source);
  const keysOf = ({ place, source: whole }) => {
    const source = named(whole.replace(without, ''));
    if (needed.test(whole) || modifiers.test(source)) return [];
    const isTyped = place.endsWith('keypress');
    const all = (pattern, group) => [...source.matchAll(pattern)].map((match) => match[group]);
    // The same letter, small or capital.
    const cased = '(?:\\s*\\.\\s*to(?:Locale)?(?:Lower|Upper)Case\\(\\))?';
    const name = '(["\'`])((?:.|Key[A-Z]|Digit\\d))\\1';
    const names = [
      ...all(new RegExp(`\\b(?:key|code)${cased}\\s*(?:[!=]==?|[<>]=)\\s*${name}`, 'gu'), 2),
      ...all(new RegExp(`${name}\\s*[!=]==?\\s*[\\w$.]*\\b(?:key|code)\\b`, 'gu'), 2),
      // One of several: ['j', 'k'].includes(event.key), /^[1-5]$/.test(event.key).
      ...all(/\[([^\][]{3,200})\]\s*\.\s*(?:includes|indexOf)\(\s*[\w$.]*\b(?:key|code)\b/g, 1).flatMap((list) => [...list.matchAll(/(["'`])(.*?)\1/gu)].map((match) => match[2])),
      ...all(/\/\^?\[([\p{L}\p{N}])[\p{L}\p{N}-]*\]\$?\/[a-z]*\s*\.\s*test\(\s*[\w$.]*\bkey\b/gu, 1),
      ...(new RegExp(`\\bswitch\\s*\\([^()]*\\b(?:key|code)${cased}\\s*\\)`).test(source) ? all(new RegExp(`\\bcase\\s*${name}\\s*:`, 'gu'), 2) : []),
    ];
    const numbers = [
      ...all(/\b(?:keyCode|which|charCode)\s*[!=]==?\s*(\d{1,3})\b/g, 1),
      ...all(/\b(\d{1,3})\s*[!=]==?\s*[\w$.]*\b(?:keyCode|which|charCode)\b/g, 1),
      ...(/\bswitch\s*\([^()]*\b(?:keyCode|which|charCode)\s*\)/.test(source) ? all(/\bcase\s*(\d{1,3})\s*:/g, 1) : []),
    ];
    return [...names.map(ofName), ...numbers.map((number) => ofNumber(Number(number), isTyped))].filter((key) => key !== '');
  };

  const keys = new Set();
  const places = new Set();
  for (const handler of handlers) {
    const found = keysOf(handler);
    if (found.length > 0) places.add(handler.place);
    found.forEach((key) => keys.add(key));
  }
  const ask = (rule, data) => {
    const element = Reflect.get(Document.prototype, 'documentElement', document);
    probes.incomplete.push({ id: rule, ...probes.facts[rule], nodes: [probes.node(rule, { element, data }, true)] });
  };
  if (keys.size > 0) ask(id, { keys: [...keys].slice(0, 10), places: [...places] });
  (handlers.length > 0 ? probes.passed : probes.inapplicable).push(id);
  if (motions.length > 0) ask('a11ycheck-device-motion', { events: motions });
  else probes.inapplicable.push('a11ycheck-device-motion');
}
