// Probes of letters: words that are drawn by other means than their letters one after the other, so that a screen reader spells
// them or reads the names of signs. Both read the texts of the page once.
(kit) => {
  const { closest, isExposed, isVisible, parent } = kit;
  const read = (node) => Reflect.get(CharacterData.prototype, 'data', node);

  // What is not read as words, or has another text for those who hear it.
  const leftOut = 'code, kbd, math, pre, samp, script, style, svg, template, textarea, noscript, var, [aria-hidden="true" i], [role="img"], [role="math"]';
  let texts = null;
  // The texts in which one of these may be.
  const textsWith = (pattern) => {
    if (texts === null) {
      texts = [];
      const walker = Document.prototype.createTreeWalker.call(document, document, NodeFilter.SHOW_TEXT);
      for (let node = walker.nextNode(); node && texts.length < 20_000; node = walker.nextNode()) {
        const data = read(node).slice(0, 2_000);
        if (/\S\S|\S\s\S/.test(data)) texts.push({ node, data });
      }
    }
    return texts.filter(({ data }) => pattern.test(data));
  };
  const named = (pattern, isMeant) => {
    const found = new Set();
    for (const { node, data } of textsWith(pattern)) {
      const element = parent(node);
      if (!element || found.has(element) || closest(element, leftOut) || !isVisible(element) || !isExposed(element)) continue;
      if ([...data.matchAll(new RegExp(pattern, `${pattern.flags}g`))].some(([text]) => isMeant(text))) found.add(element);
    }
    return { failed: [...found].map((element) => ({ element })), isApplicable: texts.length > 0 };
  };

  const space = '[ \\u00a0\\u2002-\\u200a\\u202f]';
  const spaced = new RegExp(`(?<![\\p{L}\\p{N}\\p{M}])(?:\\p{L}${space}{1,2}){4}(?:\\p{L}${space}{1,2})*\\p{L}(?![\\p{L}\\p{N}\\p{M}])`, 'u');
  const vowel = /[aeiouyàáâãäåæèéêëìíîïòóôõöøùúûüýăâîąęóěůаеёєиіїоуыэюя]/u;
  // Rows of keys, the months, notes and grades, the bases of a gene, and the alphabet are letters and no words.
  const list = /^(?:[a-h]+|[acgtu]+|jfmamjjasond|qwert[yz].*|azerty.*|asdf.*|йцуке.*|фыва.*|фіва.*)$/u;
  const isAscending = (letters) => letters.every((letter, place) => place === 0 || letter >= letters[place - 1]);
  const isWord = (text) => {
    const letters = [...text.toLowerCase()].filter((letter) => /\p{L}/u.test(letter));
    const hasBoth = letters.some((letter) => vowel.test(letter)) && letters.some((letter) => !vowel.test(letter));
    return hasBoth && new Set(letters).size >= 4 && !isAscending(letters) && !list.test(letters.join(''));
  };

  // Letters of formulas and letters in circles and squares, of which several make a word; some of the former have older places.
  const sign = '[\\u{1D400}-\\u{1D7CB}\\u24B6-\\u24E9\\u{1F130}-\\u{1F149}\\u{1F150}-\\u{1F169}\\u{1F170}-\\u{1F189}\\u2102\\u210A-\\u210E\\u2110-\\u2113\\u2115\\u2119-\\u211D\\u2124\\u2128\\u212C\\u212D\\u212F-\\u2131\\u2133\\u2134]';
  const signs = new RegExp(`(?:${sign}${space}?){4}`, 'u');

  return {
    'a11ycheck-spaced-letters': () => named(spaced, isWord),
    'a11ycheck-symbol-letters': () => named(signs, () => true),
  };
}
