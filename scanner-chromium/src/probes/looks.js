// Probes of what is made for the eye alone: text and pictures from style sheets, old markup, text that looks like a structure.
(kit) => {
  const { all, attribute, closest, has, inside, isExposed, isVisible, name, nodes, nodeType, ownText, parent, select, tag, text, visibleText, words } = kit;
  const next = (element) => Reflect.get(Element.prototype, 'nextElementSibling', element);
  const iconFont = /icon|symbol|awesome|glyph|material/i;

  const pseudo = /::?(?:before|after)\b/;
  const letters = /\p{L}{3,}/u;
  // Names of files and classes that say that a picture tells something.
  const telling = /warn|alert|error|danger|caution|success|important|required|status|logo/i;
  const cssContent = () => {
    const [failed, undecided] = [new Map(), new Map()];
    let isApplicable = false;
    for (const rule of kit.styleRules()) {
      const { style } = rule;
      const strings = [...style.content.matchAll(/"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'/g)].map(([, one, other]) => one ?? other).join(' ');
      if (letters.test(strings) && pseudo.test(rule.selectorText)) {
        for (const part of rule.selectorText.split(/,(?![^(]*\))/)) {
          if (!pseudo.test(part)) continue;
          const where = part.includes('before') ? '::before' : '::after';
          for (const element of select(part.replace(pseudo, '').trim() || '*').slice(0, 100)) {
            if (failed.has(element) || !isVisible(element) || !isExposed(element)) continue;
            const shown = getComputedStyle(element, where);
            if (!letters.test(shown.content) || shown.display === 'none' || shown.visibility !== 'visible' || iconFont.test(shown.fontFamily)) continue;
            isApplicable = true;
            failed.set(element, { element, data: strings.slice(0, 100) });
          }
        }
      } else if (style.backgroundImage.includes('url(') && style.backgroundRepeat.includes('no-repeat')) {
        for (const element of select(rule.selectorText).slice(0, 20)) {
          if (!isVisible(element) || !isExposed(element) || has(element, 'aria-label') || has(element, 'title') || /^(?:html|body|input|select|textarea|button|a|img|svg)$/.test(tag(element))) continue;
          const called = `${attribute(element, 'class') ?? ''} ${attribute(element, 'id') ?? ''} ${/([^/]*)["']?\)$/.exec(style.backgroundImage)?.[1].slice(0, 200)}`;
          if (!telling.test(called) || closest(element, 'a, button') || !getComputedStyle(element).backgroundImage.includes('url(')) continue;
          isApplicable = true;
          undecided.set(element, { element, data: { messageKey: 'picture' } });
        }
      }
    }
    return { failed: [...failed.values()], undecided: [...undecided.values()], isApplicable };
  };

  const hoverOnly = () => {
    const undecided = new Map();
    let isApplicable = false;
    const shows = ({ style }) => (style.display !== '' && style.display !== 'none') || style.visibility === 'visible' || parseFloat(style.opacity) > 0;
    const rules = kit.styleRules().filter((rule) => shows(rule) && /:hover|:focus/.test(rule.selectorText)).flatMap(({ selectorText }) => selectorText.split(/,(?![^(]*\))/));
    const focused = new Set(rules.filter((part) => /:focus/.test(part)).map((part) => part.trim().replace(/:focus(?:-within|-visible)?/g, ':hover')));
    for (const part of rules) {
      // What appears is not what the pointer is on.
      const found = /^(.*):hover([\s>+~].*)$/s.exec(part.trim());
      if (!found || found[2].includes(':hover') || focused.has(part.trim())) continue;
      const [, trigger, rest] = found;
      for (const element of select(`${trigger}${rest}`).slice(0, 20)) {
        if (isVisible(element) || text(element).trim() === '' || tag(element) === 'style') continue;
        const style = getComputedStyle(element);
        if (style.display !== 'none' && style.visibility !== 'hidden' && parseFloat(style.opacity) > 0) continue;
        const [source] = select(trigger).filter((each) => isVisible(each));
        if (!source) continue;
        isApplicable = true;
        if (!undecided.has(source)) undecided.set(source, { element: source });
      }
    }
    return { failed: [], undecided: [...undecided.values()], isApplicable };
  };

  const oldMarkup = () => {
    const failed = [];
    for (const element of all('center, font, big, strike, tt, marquee, blink')) if (isVisible(element)) failed.push({ element, data: { messageKey: 'old' } });
    // A paragraph that is there for its height. One that a script or a screen reader may know is there for what will be in it.
    for (const element of all('p:empty:not([id], [role], [aria-live], [aria-atomic]), p:has(> br:only-child)')) if (text(element).trim() === '' && !kit.shadow(element) && kit.isShown(element) && isExposed(element)) failed.push({ element, data: { messageKey: 'empty' } });
    return { failed, isApplicable: failed.length > 0 };
  };

  const pictures = () => {
    const failed = [];
    let isApplicable = false;
    for (const element of all('img[title], img[role], input[type="image" i][title]')) {
      if (!isVisible(element)) continue;
      const [alt, title] = ['alt', 'title'].map((each) => (attribute(element, each) ?? '').trim());
      const isHidden = ['presentation', 'none'].includes((attribute(element, 'role') ?? '').trim().toLowerCase());
      isApplicable = true;
      if (isHidden && alt !== '') failed.push({ element, data: { messageKey: 'hidden' } });
      else if (alt !== '' && title !== '' && words(alt) !== words(title)) failed.push({ element, data: { messageKey: 'title' } });
    }
    return { failed, isApplicable };
  };

  const bullet = /^\s*(?:[-•·‣▪◦–—*]|\d{1,2}[.)])\s+\S/;
  const lines = (element) => {
    const found = [''];
    for (const node of nodes(element)) {
      if (nodeType(node) === Node.ELEMENT_NODE && tag(node) === 'br') found.push('');
      else found[found.length - 1] += text(node);
    }
    return found;
  };
  const structure = () => {
    const [failed, undecided] = [[], []];
    const paragraphs = all('p').filter((element) => isVisible(element) && isExposed(element) && text(element).trim() !== '');
    const within = 'li, td, th, label, nav, form, h1, h2, h3, h4, h5, h6, [role="heading"], figure, figcaption, dt, dd, blockquote, a, button, header, footer, address, details, summary';
    let run = [];
    for (const element of paragraphs.slice(0, 2_000)) {
      // A list in lines, or in paragraphs one after the other.
      if (lines(element).filter((line) => bullet.test(line)).length >= 3) failed.push({ element, data: { messageKey: 'list' } });
      run = bullet.test(text(element)) ? (run.length > 0 && next(run.at(-1)) === element ? [...run, element] : [element]) : [];
      if (run.length === 3) failed.push({ element: run[0], data: { messageKey: 'list' } });
    }
    // A short text that is larger or bolder than the one after it.
    for (const element of paragraphs.slice(0, 500)) {
      const said = visibleText(element, 100).trim();
      const after = next(element);
      if (said.length > 80 || said.length < 3 || /[.!?:;,…]$/.test(said) || !letters.test(said) || !after || tag(after) !== 'p' || closest(element, within)) continue;
      if (text(after).trim().length < 2 * said.length || text(after).trim().length < 60) continue;
      const bold = (each) => parseInt(getComputedStyle(each).fontWeight, 10) >= 600;
      const [only] = [...nodes(element)].filter((node) => nodeType(node) !== Node.TEXT_NODE || text(node).trim() !== '');
      const whole = only && nodeType(only) === Node.ELEMENT_NODE && text(only).trim() === text(element).trim() ? only : element;
      const [size, sizeAfter] = [whole, after].map((each) => parseFloat(getComputedStyle(each).fontSize));
      if ((bold(whole) && !bold(after) && size >= sizeAfter) || size >= 1.3 * sizeAfter) undecided.push({ element, data: { messageKey: 'heading' } });
    }
    // Much text without anything to hold on to.
    const [place] = [...all('main, [role="main"]'), ...all('body')].filter(isVisible);
    if (place) {
      const own = paragraphs.filter((element) => kit.contains(place, element) && !closest(element, within));
      const length = own.reduce((sum, element) => sum + text(element).trim().length, 0);
      const marks = inside(place, 'h2, h3, h4, h5, h6, [role="heading"], ul, ol, dl, table').length;
      if (length > 3_000 && marks === 0) failed.push({ element: own[0], data: { messageKey: 'long' } });
    }
    return { failed, undecided, isApplicable: paragraphs.length > 0 };
  };

  const capitals = () => {
    const failed = [];
    let isApplicable = false;
    for (const element of all('p, li, dd, td, blockquote, div, h1, h2, h3, h4, h5, h6, label, figcaption')) {
      if (!ownText(element)) continue;
      const own = [...nodes(element)].filter((node) => nodeType(node) === Node.TEXT_NODE).map(text).join(' ');
      const shown = getComputedStyle(element).textTransform === 'uppercase' ? own.toUpperCase() : own;
      const letters = shown.match(/\p{L}/gu)?.length ?? 0;
      if (letters < 60) continue;
      isApplicable = true;
      // Scripts without capital letters have neither.
      const [upper, lower] = [/\p{Lu}/gu, /\p{Ll}/gu].map((kind) => shown.match(kind)?.length ?? 0);
      if (upper < 60 || lower > 0.05 * upper || closest(element, 'code, pre, kbd, samp') || !isVisible(element)) continue;
      failed.push({ element });
    }
    return { failed, isApplicable };
  };

  return {
    'a11ycheck-capital-text': capitals,
    'a11ycheck-css-content': cssContent,
    'a11ycheck-hover-only': hoverOnly,
    'a11ycheck-old-markup': oldMarkup,
    'a11ycheck-picture-contradiction': pictures,
    'a11ycheck-text-structure': structure,
  };
}
