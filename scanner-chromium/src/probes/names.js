// Probes of names, roles and states: what a control says beside what it shows.
(kit) => {
  const { all, attribute, has, isExposed, isVisible, name, role, tag } = kit;

  // Roles of controls whose name comes from their content.
  const named = new Set('button checkbox gridcell link menuitem menuitemcheckbox menuitemradio option radio switch tab treeitem'.split(' '));
  // Letters and digits of a label or a name, by the algorithm of ACT 2ee8b8: what is in parentheses is left out.
  const spaced = /\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Thai}|\p{Script=Khmer}|\p{Script=Lao}/u;
  const tokens = (value) => {
    const plain = value.replace(/\([^()]*\)/g, '').toLowerCase().normalize('NFKD').replace(/[^\p{L}\p{N}]+/gu, ' ').trim();
    if (plain === '') return [];
    if (!spaced.test(plain)) return plain.split(' ');
    return [...new Intl.Segmenter(undefined, { granularity: 'word' }).segment(plain)].map(({ segment }) => segment.trim()).filter(Boolean);
  };
  const holds = (whole, part) => whole.some((_, at) => part.every((token, index) => whole[at + index] === token));
  // Fonts of icons show pictures for words.
  const iconFont = /icon|symbol|awesome|glyph|material/i;
  const hasIcons = (element) =>
    [element, ...kit.inside(element, '*')].slice(0, 50).some((part) => iconFont.test(getComputedStyle(part).fontFamily));
  // Returns whether one text may be an abbreviation of the other, which a person has to judge: its first letter and
  // some of the others, in their order. Numbers have no abbreviations, and a single letter may be a symbol.
  const isWithin = (short, long) => short.length <= 4 && short.length > 1 && !/\d/.test(short + long) && short.length < long.length - 1 && short[0] === long[0] && new RegExp([...short].join('.*'), 'u').test(long);
  const isShort = (token, others) => others.some((other) => isWithin(token, other) || isWithin(other, token));
  // The number of a list entry, which a person does not say to activate it by voice.
  const entry = /^\p{N}{1,3}\s*[.):]\s+/u;
  const labelInName = () => {
    const [failed, undecided] = [[], []];
    let isApplicable = false;
    for (const element of all('[aria-label], [aria-labelledby]')) {
      if (!isExposed(element) || !isVisible(element) || !named.has(role(element))) continue;
      const shown = kit.visibleText(element).replace(/\s+/g, ' ').trim();
      const label = tokens(shown);
      const said = tokens(name(element));
      // One letter stands for a sign: × for closing, ? for help.
      if (label.length === 0 || said.length === 0 || (label.length === 1 && [...label[0]].length === 1)) continue;
      isApplicable = true;
      if (holds(said, label) || hasIcons(element)) continue;
      const data = { label: shown.slice(0, 100), name: name(element).slice(0, 100) };
      const missing = label.filter((token) => !said.includes(token));
      // The same letters in other words may be another spelling of them; signs one by one are none.
      const isSpelled = said.join('').includes(label.join(''));
      if (isSpelled && /\p{Pd}/u.test(shown + name(element))) continue;
      const isDoubtful = isSpelled && !missing.every((token) => [...token].length === 1 || /\d/.test(token));
      const isAbbreviated = /\p{L}\.(?:\s|\p{L}|$)/u.test(shown) || missing.some((token) => isShort(token, said));
      // A card that is one link shows more than its label.
      const isCard = label.length > 8 && holds(label, said);
      const isNumbered = entry.test(shown) && holds(said, tokens(shown.replace(entry, '')));
      if (isAbbreviated || isDoubtful || isCard || isNumbered) undecided.push({ element, data });
      else failed.push({ element, data });
    }
    return { failed, undecided, isApplicable };
  };

  const summaryName = () => {
    const failed = [];
    let isApplicable = false;
    for (const summary of all('details > summary')) {
      const siblings = [...Reflect.get(Element.prototype, 'children', kit.parent(summary))];
      const isButton = siblings.find((child) => tag(child) === 'summary') === summary;
      const given = (attribute(summary, 'role') ?? '').trim().toLowerCase();
      // Without a role of its own, or with one that is ignored on what takes the focus.
      if (!isButton || !['', 'none', 'presentation'].includes(given) || !isExposed(summary)) continue;
      isApplicable = true;
      const own = axe.commons.text.sanitize(axe.commons.text.subtreeText(axe.utils.getNodeFromTree(summary), { subtreeDescendant: true }) ?? '');
      const said = [name(summary), own, attribute(summary, 'title') ?? ''];
      if (said.every((each) => each.trim() === '')) failed.push({ element: summary });
    }
    return { failed, isApplicable };
  };

  // What ARIA 1.2 requires of a role, where it names no value for want of one.
  const required = {
    checkbox: ['aria-checked'], combobox: ['aria-expanded', 'aria-controls'], menuitemcheckbox: ['aria-checked'],
    menuitemradio: ['aria-checked'], meter: ['aria-valuenow'], radio: ['aria-checked'],
    scrollbar: ['aria-controls', 'aria-valuenow'], slider: ['aria-valuenow'], switch: ['aria-checked'],
  };
  // axe-core's function fails with a cell that is in no table.
  const implicitRole = (element) => {
    try {
      return axe.commons.aria.implicitRole(element);
    } catch {
      return null;
    }
  };
  const requiredState = () => {
    const [failed, undecided] = [[], []];
    let isApplicable = false;
    for (const element of all('[role]')) {
      const given = axe.commons.aria.getExplicitRole(axe.utils.getNodeFromTree(element), { fallback: true });
      if (!given || given === implicitRole(element) || !isExposed(element)) continue;
      isApplicable = true;
      const isSet = (state) => (attribute(element, state) ?? '').trim() !== '';
      const type = tag(element) === 'input' ? kit.read(HTMLInputElement, 'type', element) : tag(element);
      // What the element is of itself says the same.
      const isNative = {
        'aria-checked': ['checkbox', 'radio'].includes(type),
        'aria-valuenow': ['range', 'number', 'progress', 'meter'].includes(type),
        'aria-expanded': type === 'select',
        // ARIA 1.0 had the list of a combobox belong to it.
        'aria-controls': given === 'combobox' && (isSet('aria-owns') || type === 'select'),
      };
      const isLine = given === 'separator' && axe.commons.dom.isFocusable(element);
      const missing = (isLine ? ['aria-valuenow'] : (required[given] ?? [])).filter((state) => !isSet(state) && !isNative[state]);
      if (missing.length > 0) failed.push({ element, data: missing });
      // Browsers take the level 2, which may be wrong.
      else if (given === 'heading' && !isSet('aria-level') && !/^h[1-6]$/.test(tag(element))) undecided.push({ element, data: ['aria-level'] });
    }
    return { failed, undecided, isApplicable };
  };

  const accesskey = () => {
    const found = all('[accesskey]').filter((element) => has(element, 'accesskey') && isVisible(element) && attribute(element, 'accesskey').trim() !== '');
    return { failed: found.map((element) => ({ element, data: attribute(element, 'accesskey').trim().slice(0, 20) })), isApplicable: found.length > 0 };
  };

  return {
    'a11ycheck-accesskey': accesskey,
    'a11ycheck-label-in-name': labelInName,
    'a11ycheck-required-state': requiredState,
    'a11ycheck-summary-name': summaryName,
  };
}
