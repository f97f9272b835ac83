// Looks at a page of the interface as people use it: with keys, in a narrow window, with large text, in colours of their own.
// Each function returns sentences that say what is wrong.
(() => {
  const isShown = (element) => element.checkVisibility({ visibilityProperty: true, opacityProperty: true });
  const nameOf = (element) => {
    const classes = typeof element.className === 'string' && element.className ? `.${element.className.trim().replace(/\s+/g, '.')}` : '';
    return `${element.localName}${element.id ? `#${element.id}` : ''}${classes} “${(element.textContent ?? '').trim().slice(0, 40)}”`;
  };
  const unread = '.only-read, .skip:not(:focus), option, title, script, style';

  // Pieces of text that are seen, each with its element and the boxes of its lines.
  const texts = () => {
    const found = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const node = walker.currentNode;
      const element = node.parentElement;
      if (!/\S/.test(node.data) || element.closest(unread) || !isShown(element)) continue;
      const range = document.createRange();
      range.selectNodeContents(node);
      const lines = [...range.getClientRects()].filter((line) => line.width >= 1 && line.height >= 1);
      if (lines.length > 0) found.push({ node, element, lines });
    }
    return found;
  };

  // Colours, as the browser computes them, with transparency.
  const parse = (text) => {
    const numbers = (text.match(/-?[\d.]+(?:e-?\d+)?/g) ?? []).map(Number);
    const scale = text.startsWith('color(') ? 255 : 1;
    return [...numbers.slice(0, 3).map((number) => number * scale), numbers[3] ?? 1];
  };
  const over = ([r, g, b, alpha], ground) => [r, g, b].map((value, index) => value * alpha + ground[index] * (1 - alpha)).concat(1);
  const groundOf = (element) => {
    const layers = [];
    for (let at = element; at; at = at.parentElement) {
      const layer = parse(getComputedStyle(at).backgroundColor);
      if (layer[3] > 0) layers.push(layer);
      if (layer[3] === 1) break;
    }
    const canvas = document.createElement('div');
    canvas.style.color = 'Canvas';
    document.body.append(canvas);
    const ground = parse(getComputedStyle(canvas).color);
    canvas.remove();
    return layers.reduceRight((under, layer) => over(layer, under), ground);
  };
  const luminance = (colour) => {
    const [r, g, b] = colour.slice(0, 3).map((value) => (value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (colour, ground) => {
    const [a, b] = [luminance(over(colour, ground)), luminance(ground)];
    return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  };

  const stops = 'a[href], button, input:not([type="hidden"]), select, textarea, summary, [tabindex]:not([tabindex^="-"])';
  // What the Tab key leads to, in the order of the document. Of a group of radio buttons, it leads to the chosen one or the first.
  const expected = () => [...document.querySelectorAll(stops)].filter((element) => {
    if (!isShown(element) || element.matches(':disabled')) return false;
    if (element.type !== 'radio') return true;
    const group = [...document.querySelectorAll(`input[type="radio"][name="${element.name}"]`)].filter((each) => each.form === element.form);
    return element === (group.find((each) => each.checked) ?? group[0]);
  });
  const outlineOf = (element) => {
    const { outlineStyle, outlineWidth, outlineColor, outlineOffset } = getComputedStyle(element);
    return { isDrawn: outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2, colour: parse(outlineColor), reach: parseFloat(outlineWidth) + parseFloat(outlineOffset) };
  };

  let way = [];
  let plain = new Map();
  let at = -1;
  let sizes = new Map();

  const looks = {
    // Begins a walk by the Tab key at the top of the page; where something is wrong with a form, at that.
    begin() {
      way = expected();
      plain = new Map(way.map((element) => [element, outlineOf(element).isDrawn]));
      at = -1;
      const summary = document.querySelector('.summary');
      if (summary && document.activeElement !== summary) return ['what is wrong with a form has not the focus'];
      if (!way[0]?.matches('.skip')) return ['the first stop is not the link that skips the navigation'];
      // From there on, the key would lead to the form alone.
      if (summary) way[at = 0].focus();
      return [];
    },
    // Looks where the key has led; null at the end of the page.
    step() {
      const element = document.activeElement;
      if (element === way[at]) {
        // Day, month and year of a date are stops of one element.
        return element.matches('input[type="date"]') ? [] : [`${nameOf(element)} keeps the focus`];
      }
      at += 1;
      if (element === document.body || (at === way.length && element === way[0])) {
        return at === way.length ? null : [`the way ends before ${nameOf(way[at])}`];
      }
      if (element !== way[at]) {
        const wrong = `${nameOf(element)} has the focus, not ${way[at] ? nameOf(way[at]) : 'the end of the page'}`;
        at = way.indexOf(element);
        return [wrong];
      }
      const found = [];
      const { isDrawn, colour, reach } = outlineOf(element);
      if (!isDrawn || plain.get(element)) found.push(`the focus of ${nameOf(element)} is not shown`);
      const ratio = contrast(colour, groundOf(element.parentElement));
      if (ratio < 3) found.push(`the focus of ${nameOf(element)} has a contrast of ${ratio.toFixed(2)}`);
      const box = element.getClientRects()[0];
      const [x, y] = [(Math.max(box.left, 0) + Math.min(box.right, innerWidth)) / 2, (Math.max(box.top, 0) + Math.min(box.bottom, innerHeight)) / 2];
      const hit = document.elementFromPoint(x, y);
      if (!hit || !(element.contains(hit) || hit.contains(element))) found.push(`${nameOf(element)} has the focus and is out of sight or covered${hit ? ` by ${nameOf(hit)}` : ''}`);
      for (let holder = element.parentElement; holder && holder !== document.documentElement; holder = holder.parentElement) {
        if (getComputedStyle(holder).overflowY === 'visible') continue;
        const [inner, outer] = [element.getBoundingClientRect(), holder.getBoundingClientRect()];
        if (inner.top - reach < outer.top - 1 || inner.bottom + reach > outer.bottom + 1) found.push(`the focus of ${nameOf(element)} is cut off by ${nameOf(holder)}`);
      }
      return found;
    },
    stops: () => way.length,

    // What scrolls sideways, and what is cut off, in the window as it is. Tables scroll in a region that keys reach.
    cut() {
      const found = [];
      const root = document.documentElement;
      if (root.scrollWidth > root.clientWidth) found.push(`the page is ${root.scrollWidth} wide in a window of ${root.clientWidth}`);
      for (const { element, lines } of texts()) {
        const region = element.closest('.scroll');
        for (const line of lines) {
          if (region && line.width > root.clientWidth) found.push(`a line of a table is ${Math.round(line.width)} wide: ${nameOf(element)}`);
          for (let holder = element; holder && holder !== root; holder = holder.parentElement) {
            const style = getComputedStyle(holder);
            if (style.overflowX === 'visible' && style.overflowY === 'visible') continue;
            if (holder === region && holder.tabIndex === 0 && style.overflowX === 'auto' && holder.scrollHeight <= holder.clientHeight + 1) break;
            const edges = holder.getBoundingClientRect();
            if (line.left < edges.left - 1 || line.right > edges.right + 1 || line.top < edges.top - 1 || line.bottom > edges.bottom + 1) found.push(`${nameOf(element)} is cut off by ${nameOf(holder)}`);
          }
          if (!region && (line.right > root.clientWidth + 1 || line.left < -1)) found.push(`${nameOf(element)} is out of the window`);
        }
      }
      const ruler = document.createElement('canvas').getContext('2d');
      for (const select of document.querySelectorAll('select')) {
        const style = getComputedStyle(select);
        Object.assign(ruler, { font: style.font, letterSpacing: style.letterSpacing === 'normal' ? '0px' : style.letterSpacing, wordSpacing: style.wordSpacing });
        // What is chosen stands beside an arrow. The list of choices is the browser's, and as wide as they are.
        const room = select.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight) - 18;
        const chosen = select.selectedOptions[0]?.text ?? '';
        const long = ruler.measureText(chosen).width;
        if (long > room + 1) found.push(`the choice “${chosen}” takes ${Math.round(long)} and has ${Math.round(room)}`);
      }
      return [...new Set(found)];
    },
    // Texts that lie over other texts, or over controls that they do not belong to.
    overlaps() {
      const pieces = texts().flatMap(({ element, lines }) => lines.map((box) => ({ element, box })));
      for (const element of document.querySelectorAll(stops)) {
        // A link or a region may be around others, and is seen by its text.
        if (isShown(element) && element.matches('button, .button, input, select, textarea')) pieces.push({ element, box: element.getBoundingClientRect() });
      }
      pieces.sort((a, b) => a.box.top - b.box.top);
      const found = [];
      pieces.forEach((one, index) => {
        for (let next = index + 1; next < pieces.length && pieces[next].box.top < one.box.bottom; next += 1) {
          const other = pieces[next];
          if (one.element.contains(other.element) || other.element.contains(one.element)) continue;
          const across = Math.min(one.box.right, other.box.right) - Math.max(one.box.left, other.box.left);
          const down = Math.min(one.box.bottom, other.box.bottom) - Math.max(one.box.top, other.box.top);
          if (across > 2 && down > 0.25 * Math.min(one.box.height, other.box.height)) found.push(`${nameOf(one.element)} lies over ${nameOf(other.element)}`);
        }
      });
      return [...new Set(found)];
    },
    // Remembers how large texts are, for `enlarged`.
    measure() {
      sizes = new Map(texts().map(({ node, element }) => [node, parseFloat(getComputedStyle(element).fontSize)]));
      return [];
    },
    enlarged() {
      const now = texts().filter(({ element }) => !element.closest('svg'));
      const small = now.filter(({ node, element }) => sizes.has(node) && parseFloat(getComputedStyle(element).fontSize) < 1.99 * sizes.get(node));
      return small.map(({ element }) => `the text of ${nameOf(element)} does not grow`);
    },
    // Sets the distances of WCAG 1.4.12, which no content may be lost by.
    space() {
      const sheet = new CSSStyleSheet();
      sheet.replaceSync('* { line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important; } p { margin-bottom: 2em !important; }');
      document.adoptedStyleSheets = [sheet];
      return getComputedStyle(document.querySelector('h1')).letterSpacing === 'normal' ? ['the distances are not taken'] : [];
    },
    unspace() {
      document.adoptedStyleSheets = [];
      return [];
    },
    // Texts, borders of controls and charts that don't stand out.
    pale() {
      const found = [];
      for (const { element } of texts()) {
        if (element.closest('svg, :disabled')) continue;
        const ratio = contrast(parse(getComputedStyle(element).color), groundOf(element));
        if (ratio < 4.5) found.push(`the text of ${nameOf(element)} has a contrast of ${ratio.toFixed(2)}`);
      }
      for (const element of document.querySelectorAll('button:enabled, .button, input:not([type="hidden"], [type="checkbox"], [type="radio"]), select, textarea')) {
        if (!isShown(element)) continue;
        const style = getComputedStyle(element);
        const ground = groundOf(element.parentElement);
        const border = style.borderTopStyle !== 'none' && parseFloat(style.borderTopWidth) >= 1 ? contrast(parse(style.borderTopColor), ground) : 1;
        if (border < 3) found.push(`the border of ${nameOf(element)} has a contrast of ${border.toFixed(2)}`);
      }
      for (const chart of document.querySelectorAll('svg.chart')) {
        for (const [part, property] of [['polyline', 'stroke'], ['circle', 'fill'], ['.axis', 'stroke']]) {
          const shape = chart.querySelector(part);
          const ratio = contrast(parse(getComputedStyle(shape)[property]), groundOf(chart));
          if (ratio < 3) found.push(`${part} of a chart has a contrast of ${ratio.toFixed(2)}`);
        }
      }
      return [...new Set(found)];
    },
  };
  globalThis.looks = looks;
  return true;
})()
