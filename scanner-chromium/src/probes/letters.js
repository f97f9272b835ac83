// Probes of letters: words that are drawn by other means than their letters one after the other, so that a screen reader spells
// them or reads the names of signs. Both read the texts of the page once.
(kit) => {
  const { all, attribute, closest, isExposed, isVisible, parent, shadow, tag } = kit;
  const read = (node) => Reflect.get(CharacterData.prototype, 'data', node);

  // What is not read as words, or has another text for those who hear it.
  const leftOut =
    'abbr, code, kbd, math, pre, samp, svg, textarea, var, [aria-hidden="true" i], [role="img"], [role="math"], :is(a[href], button, h1, h2, h3, h4, h5, h6, [role]):is([aria-label], [aria-labelledby])';
  const unread = new Set(['noscript', 'script', 'style', 'template', 'textarea', 'title']);
  let texts = null;
  const readTexts = () => {
    const trees = [document, ...all('*').map((element) => shadow(element)).filter(Boolean)];
    const found = [];
    for (const tree of trees) {
      const walker = Document.prototype.createTreeWalker.call(document, tree, NodeFilter.SHOW_TEXT);
      for (let node = walker.nextNode(); node && found.length < 20_000; node = walker.nextNode()) {
        const element = parent(node);
        const data = read(node);
        if (element && /\S/.test(data) && !unread.has(tag(element))) found.push({ element, data: data.slice(0, 2_000) });
      }
    }
    return found;
  };
  // The elements with such a text, with what of it `find` returns.
  const named = (pattern, find) => {
    texts ??= readTexts();
    const found = new Map();
    for (const { element, data } of texts.filter((text) => pattern.test(text.data))) {
      if (found.has(element) || closest(element, leftOut) || !isVisible(element) || !isExposed(element)) continue;
      const said = find(data);
      if (said) found.set(element, { element, data: said });
    }
    return [...found.values()];
  };

  const [root] = all('html');
  const lang = (((root && attribute(root, 'lang')) ?? '').match(/^[a-z]{2,3}(?![a-z])/i)?.[0] ?? 'en').toLowerCase();
  const lettersOf = (text) => [...text.toLowerCase()].filter((letter) => /\p{L}/u.test(letter));
  const plain = (letter) => letter.normalize('NFD')[0];
  const isVowel = (letter) => /[aeiouyæøœıəɛɔаеєиіоуыэюя]/u.test(plain(letter));
  // Vowels and other letters alternate as they do in words.
  const isSpoken = (letters) => {
    const kinds = letters.map((letter) => (isVowel(letter) ? 'v' : 'c')).join('');
    const share = letters.filter(isVowel).length / letters.length;
    return share >= 0.25 && share <= 0.6 && !/cccc|vvv/.test(kinds);
  };
  const isSorted = (letters) => {
    const { compare } = new Intl.Collator(lang);
    const steps = letters.slice(1).map((letter, place) => Math.sign(compare(letters[place], letter)));
    return steps.every((step) => step <= 0) || steps.every((step) => step >= 0);
  };
  // The first letters of months and days, which tables and calendars have.
  const initials = () => {
    const of = (options, dates) =>
      [...new Set([lang, 'en', 'de', 'uk', 'pl', 'cs', 'ro', 'ru'])].map((each) => {
        const { format } = new Intl.DateTimeFormat(each, { ...options, timeZone: 'UTC' });
        return dates.map((date) => [...format(date).toLowerCase()][0]).join('').repeat(2);
      });
    const months = Array.from({ length: 12 }, (_, month) => Date.UTC(2024, month, 15));
    const days = Array.from({ length: 7 }, (_, day) => Date.UTC(2024, 0, 1 + day));
    return [...of({ month: 'long' }, months), ...of({ weekday: 'long' }, days)];
  };
  // Letters of keyboards, and words of one letter, of which lessons have lists.
  const rows = ['qwertyuiop', 'qwertzuiopü', 'azertyuiop', 'asdfghjkl', 'zxcvbnm', 'yxcvbnm', 'wasd', 'йцукенгшщзхъ', 'йцукенгшщзхї', 'фывапролджэ', 'фівапролджє', 'ячсмитьбю'];
  const single = { cs: 'aikosuvz', pl: 'aiouwz', ru: 'авикосуя', sk: 'aikosuvz', uk: 'авєзійоуя' };
  // Notes and grades, the bases of a gene, and Roman numbers.
  const list = /^(?:[a-h]+|[acgtu]+|[ivxlcdm]+)$/;
  const isSeries = (letters) => {
    const said = letters.join('');
    const isPairs = letters.every((letter, place) => place % 2 === 0 || letter === letters[1]);
    return isPairs || isSorted(letters) || list.test(said) || [...rows, ...initials()].some((row) => row.includes(said)) || letters.every((letter) => single[lang]?.includes(letter));
  };
  const space = '[ \\u00a0\\u2002-\\u200a\\u202f]';
  const spaced = new RegExp(`(?<![\\p{L}\\p{N}\\p{M}])(?:\\p{L}${space}){4}\\p{L}(?![\\p{L}\\p{N}\\p{M}])`, 'u');
  const whole = new RegExp(`^(?:\\p{L}${space})+\\p{L}(?:${space}?[.:!?…]+)?$`, 'u');
  // A word stands by itself, or with more room around it than between its letters.
  const findSpaced = (data) =>
    data.split(/\s{2,}/).map((part) => part.trim()).find((part) => {
      if (!spaced.test(part) || !whole.test(part)) return false;
      const letters = lettersOf(part);
      return new Set(letters).size >= 4 && isSpoken(letters) && !isSeries(letters);
    });

  // Letters of formulas and letters in circles and squares; some of the former have older places.
  const signs = /[\u{1D400}-\u{1D7CB}\u24B6-\u24E9\u{1F130}-\u{1F149}\u{1F150}-\u{1F169}\u{1F170}-\u{1F189}\u2102\u210A-\u210E\u2110-\u2113\u2115\u2119-\u211D\u2124\u2128\u212C\u212D\u212F-\u2131\u2133\u2134]{4,}/u;
  const ordinary = (sign) => {
    const code = sign.codePointAt(0);
    return code >= 0x1f130 && code <= 0x1f189 ? String.fromCodePoint(0x61 + ((code - 0x1f130) % 32)) : sign.normalize('NFKC').toLowerCase();
  };
  const findSigns = (data) => {
    const letters = [...signs.exec(data)[0]].map(ordinary);
    const isWord = letters.every((letter) => /^[a-z]$/.test(letter)) && new Set(letters).size >= 3 && isSpoken(letters) && !isSeries(letters);
    return isWord && letters.join('');
  };

  return {
    'a11ycheck-spaced-letters': () => ({ failed: [], undecided: named(spaced, findSpaced), isApplicable: texts.length > 0 }),
    'a11ycheck-symbol-letters': () => ({ failed: named(signs, findSigns), isApplicable: texts.length > 0 }),
  };
}
