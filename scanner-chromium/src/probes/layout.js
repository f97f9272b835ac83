// Probes of how a page is laid out, from its styles as they are.
(kit) => {
  const { all, box, isHtml, isVisible, nodes, nodeType, ownText, tag, text } = kit;

  // Of each property of text spacing: how wide it has to be for a font of a size (WCAG 1.4.12).
  const spacings = [
    ['letter-spacing', 0.12],
    ['word-spacing', 0.16],
    ['line-height', 1.5],
  ];
  const inherits = new Set(['inherit', 'unset', 'revert', 'revert-layer', 'initial']);
  // Text is in one line if all its boxes share one.
  const isWrapped = (element) => {
    for (const node of nodes(element)) {
      if (nodeType(node) !== Node.TEXT_NODE || !/\S/.test(text(node))) continue;
      const range = document.createRange();
      range.selectNodeContents(node);
      const tops = [...range.getClientRects()].filter(({ width }) => width > 0).map(({ top }) => Math.round(top));
      if (new Set(tops).size > 1) return true;
    }
    return false;
  };
  const textSpacing = () => {
    const failed = [];
    let isApplicable = false;
    for (const element of all('[style]')) {
      if (!isHtml(element)) continue;
      const style = kit.read(HTMLElement, 'style', element);
      const fixed = spacings.filter(
        ([property]) => style.getPropertyPriority(property) === 'important' && !inherits.has(style.getPropertyValue(property)),
      );
      if (fixed.length === 0 || !ownText(element) || !isVisible(element)) continue;
      const computed = getComputedStyle(element);
      const size = parseFloat(computed.fontSize);
      const narrow = [];
      for (const [property, least] of fixed) {
        // Lines that do not wrap have no distance to each other.
        if (property === 'line-height' && !isWrapped(element)) continue;
        isApplicable = true;
        const value = computed.getPropertyValue(property);
        // `normal` is no space at all, and for lines about 1.2.
        const used = value === 'normal' ? (property === 'line-height' ? 1.2 * size : 0) : parseFloat(value);
        if (used + 0.01 < least * size) narrow.push(property);
      }
      if (narrow.length > 0) failed.push({ element, data: narrow });
    }
    return { failed, isApplicable };
  };

  // The rotation about the Z axis in degrees that a value of `transform` or `rotate` means, 0 to 359.
  const degrees = (transform, rotate) => {
    const angle = (matrix) => (Math.atan2(matrix.b, matrix.a) * 180) / Math.PI;
    const about = /^(?:z\s+|0\s+0\s+1\s+)?(\S+)$/.exec(rotate.trim());
    const turned = about && about[1] !== 'none' ? `rotate(${about[1]})` : 'none';
    const whole = [turned, transform || 'none'].map((value) => angle(new DOMMatrix(value))).reduce((sum, part) => sum + part);
    return ((whole % 360) + 360) % 360;
  };
  const orientation = /^\(?\s*orientation\s*:\s*(portrait|landscape)\s*\)?$/i;
  // Returns the orientation on which alone a media query depends, beside its type.
  const only = (media) => {
    if (media.length !== 1) return null;
    const parts = media.item(0).split(/\s+and\s+/i).filter((part) => !/^(only\s+)?(all|screen)$/i.test(part));
    return parts.length === 1 ? (orientation.exec(parts[0])?.[1].toLowerCase() ?? null) : null;
  };
  // Returns the orientation on which a media query depends together with widths and heights, on a screen.
  const withOthers = /^(?:(?:only\s+)?(?:all|screen)\s+and\s+)?(?:\([^()]*\)\s+and\s+)*\(\s*orientation\s*:\s*(portrait|landscape)\s*\)(?:\s+and\s+\([^()]*\))*$/i;
  const among = (media) => (media.length === 1 ? (withOthers.exec(media.item(0).trim())?.[1].toLowerCase() ?? null) : null);
  const find = (selector) => {
    try {
      return all(selector);
    } catch {
      // Selectors of pseudo-elements select no element.
      return [];
    }
  };
  // The rules of the style sheets that are in a query for one orientation and nothing else (`locked`), those that are in none, and those that are
  // in one for an orientation and more (`isAlone` is false).
  const turning = () => {
    const found = [];
    let left = 20_000;
    for (const sheet of kit.read(Document, 'styleSheets', document)) {
      let list;
      try {
        list = sheet.cssRules;
      } catch {
        // A style sheet of another site can't be read.
        continue;
      }
      const own = sheet.media.length === 0 || /^(?:all|screen)$/i.test(sheet.media.mediaText) ? null : only(sheet.media);
      if (sheet.disabled || (sheet.media.length > 0 && own === null && !matchMedia(sheet.media.mediaText).matches)) continue;
      const take = (rule, locked, query = '', isAlone = true) => rule instanceof CSSStyleRule && found.push({ rule, locked, query, isAlone });
      for (const rule of list) {
        if ((left -= 1) < 0) return found;
        take(rule, own);
        const isMedia = rule instanceof CSSMediaRule;
        const alone = isMedia ? only(rule.media) : null;
        const inner = alone ?? (isMedia ? among(rule.media) : null);
        if (inner === null || (own !== null && own !== inner)) continue;
        for (const each of rule.cssRules) (left -= 1) >= 0 && take(each, inner, rule.media.mediaText, alone !== null);
      }
    }
    return found;
  };
  // The rotation that these rules give to an element in one orientation. What is in a query for it comes last.
  const turnIn = (own, orientation) => {
    const rules = [null, orientation].flatMap((where) => own.filter(({ locked }) => locked === where)).map(({ rule }) => rule.style);
    const last = (property) => rules.map((style) => style[property]).findLast((value) => value !== '') ?? '';
    return degrees(last('transform'), last('rotate'));
  };
  // Words for turning a device, in the languages of reports.
  const turns = /\b(?:rotate|turn)\b.{0,40}\b(?:device|phone|tablet|screen|landscape|portrait)\b|\bdreh(?:en|e)\b.{0,40}(?:gerät|handy|smartphone|tablet|querformat|hochformat)|(?:gerät|handy|smartphone|tablet).{0,40}\bdrehen|поверн\S{2,5} .{0,30}(?:пристрій|телефон|екран|устройство|планшет|экран)|obróć.{0,30}(?:urządzenie|telefon|ekran|tablet)|otočte.{0,30}(?:zařízení|telefon|displej|tablet)|(?:rotiți|întoarceți).{0,30}(?:dispozitiv|telefon|ecran|tablet)/iu;
  const orientationLock = () => {
    const failed = [];
    let isApplicable = false;
    const rules = turning();
    // In one orientation most of the page is not shown, and in its place a short text that asks for the other one.
    const queries = Map.groupBy(rules.filter(({ locked, query }) => locked !== null && query !== ''), ({ query }) => query);
    for (const inQuery of [...queries.values()].slice(0, 50)) {
      const hiding = inQuery.filter(({ rule }) => rule.style.display === 'none').slice(0, 20);
      const showing = inQuery.filter(({ rule }) => !['', 'none'].includes(rule.style.display)).slice(0, 20);
      if (hiding.length === 0 || showing.length === 0) continue;
      const shown = [...new Set(showing.flatMap(({ rule }) => find(rule.selectorText).slice(0, 20)))].map(text).join(' ');
      isApplicable = true;
      if (shown.length > 300 || !turns.test(shown)) continue;
      const hidden = hiding.flatMap(({ rule }) => find(rule.selectorText).slice(0, 20)).find((element) => isHtml(element) && holdsMost(element));
      if (hidden) failed.push({ element: hidden, data: inQuery[0].locked });
    }
    const turned = rules.filter(({ rule: { style }, isAlone }) => isAlone && (style.transform !== '' || style.rotate !== ''));
    for (const { rule, locked } of turned) {
      if (locked === null) continue;
      const { transform, rotate } = rule.style;
      if (!/rotate|matrix/.test(transform) && rotate === '') continue;
      for (const element of find(rule.selectorText).slice(0, 100)) {
        if (!isHtml(element) || !isVisible(element)) continue;
        isApplicable = true;
        let difference;
        try {
          const own = turned.filter(({ rule: { selectorText } }) => kit.matches(element, selectorText));
          const [here, other] = [locked, locked === 'portrait' ? 'landscape' : 'portrait'].map((orientation) => turnIn(own, orientation));
          difference = Math.abs(here - other);
        } catch {
          // A selector or a value with parts that depend on the page, such as var().
          continue;
        }
        const isQuarter = [90, 270].some((quarter) => Math.abs(difference - quarter) < 1);
        // A quarter turn of what is no large part of the page may be a picture or an arrow.
        const isPage = ['html', 'body', 'main'].includes(tag(element)) || holdsMost(element);
        if (isQuarter && isPage) failed.push({ element, data: locked });
      }
    }
    return { failed: [...new Map(failed.map((found) => [found.element, found])).values()], isApplicable };
  };
  // Scripts and styles are no text of the page.
  const length = (node) => text(node).trim().length - [...kit.inside(node, 'script, style, template')].reduce((sum, part) => sum + text(part).trim().length, 0);
  let whole = null;
  const holdsMost = (element) => {
    const body = all('body')[0];
    whole ??= body === undefined ? 0 : length(body);
    const own = whole > 0 ? length(element) : 0;
    return own > 0 && own * 2 > whole;
  };

  // The longer texts of the page, with their styles.
  let longer = null;
  const paragraphs = () =>
    (longer ??= all('p, li, dd, td, blockquote, div, section, article')
      .filter((element) => ownText(element) && text(element).length >= 100)
      .map((element) => ({ element, style: getComputedStyle(element) }))
      .filter(({ style }) => style.display !== 'inline'));
  // Those of them that are so (`isSo`), and have several lines. Whether the others can be seen matters only until one is.
  const paragraphsThat = (isSo, hasLines) => {
    const failed = [];
    let isApplicable = false;
    for (const { element, style } of paragraphs()) {
      if ((isApplicable && !isSo(style)) || !isVisible(element)) continue;
      isApplicable = true;
      if (isSo(style) && hasLines(element, style)) failed.push({ element });
    }
    return { failed, isApplicable };
  };
  const justified = () => {
    const hasLines = (element, style) => box(element).height / (parseFloat(style.lineHeight) || 1.2 * parseFloat(style.fontSize)) > 1.5;
    return paragraphsThat((style) => style.textAlign === 'justify', hasLines);
  };
  // What browsers take by themselves is about 1.2.
  const tightLines = () => paragraphsThat((style) => style.lineHeight !== 'normal' && parseFloat(style.lineHeight) < 1.15 * parseFloat(style.fontSize), isWrapped);

  const ownLetters = (element) => [...nodes(element)].reduce((sum, node) => sum + (nodeType(node) === Node.TEXT_NODE ? (text(node).match(/\p{L}/gu)?.length ?? 0) : 0), 0);
  const italicText = () => {
    const isSlanted = ({ fontStyle }) => /^(?:italic|oblique)/.test(fontStyle);
    const { failed, isApplicable } = paragraphsThat(isSlanted, (element) => ownLetters(element) >= 120);
    for (const element of all('em, i, cite, q, dfn, address')) if (ownLetters(element) >= 120 && isSlanted(getComputedStyle(element)) && isVisible(element)) failed.push({ element });
    return { failed, isApplicable };
  };
  // Whether so many characters of an element's text, from its beginning on, stand on one line.
  const isOneLine = (element, most, height) => {
    const range = document.createRange();
    range.setStart(element, 0);
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    let left = most;
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      for (const found of text(node).matchAll(/\s+|\S/g)) {
        left -= 1;
        if (left > 0) continue;
        range.setEnd(node, found.index + 1);
        const { top, bottom } = range.getBoundingClientRect();
        return bottom - top > 0.5 * height && bottom - top < 1.5 * height;
      }
    }
    return false;
  };
  const longLines = () => {
    const failed = [];
    let isApplicable = false;
    for (const { element, style } of paragraphs()) {
      // With fewer characters, there may be no other line.
      if (text(element).length <= 240 || text(element).replace(/\s+/g, ' ').trim().length <= 240) continue;
      const { columnCount, whiteSpace, lineHeight, fontSize } = style;
      if (columnCount !== 'auto' || whiteSpace !== 'normal' || kit.inside(element, ':not(a, abbr, b, cite, code, em, i, q, small, span, strong, sub, sup, time, u)').length > 0) continue;
      // What is not shown would be counted as well.
      if ([...kit.inside(element, '*')].some((part) => getComputedStyle(part).display === 'none')) continue;
      isApplicable = true;
      if (isOneLine(element, 121, parseFloat(lineHeight) || 1.2 * parseFloat(fontSize)) && isVisible(element)) failed.push({ element });
    }
    return { failed, isApplicable };
  };

  const smallText = () => {
    const failed = [];
    let isApplicable = false;
    for (const element of all('p, li, dd, dt, td, th, span, a, div, label, small, figcaption, legend, button, h1, h2, h3, h4, h5, h6')) {
      if (!ownText(element)) continue;
      const own = [...nodes(element)].filter((node) => nodeType(node) === Node.TEXT_NODE).map(text).join(' ');
      if ((own.match(/\p{L}/gu)?.length ?? 0) < 15) continue;
      const { fontSize } = getComputedStyle(element);
      // Units that grow end a little beside whole pixels.
      const isSmall = parseFloat(fontSize) < 9.95 && parseFloat(fontSize) > 0;
      if ((isApplicable && !isSmall) || kit.closest(element, 'sup, sub, svg') !== null || !isVisible(element)) continue;
      isApplicable = true;
      if (isSmall) failed.push({ element });
    }
    return { failed, isApplicable };
  };

  return {
    'a11ycheck-text-spacing': textSpacing,
    'a11ycheck-orientation-lock': orientationLock,
    'a11ycheck-justified-text': justified,
    'a11ycheck-italic-text': italicText,
    'a11ycheck-long-lines': longLines,
    'a11ycheck-small-text': smallText,
    'a11ycheck-tight-lines': tightLines,
  };
}
