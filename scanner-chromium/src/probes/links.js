// Probes of links among their neighbours.
(kit) => {
  const { all, attribute, closest, has, inside, isExposed, isVisible, name, nodeType, parent, role, tag, text, vague, visibleText, words } = kit;
  const links = () => all('a[href], area[href], [role="link"]').filter((link) => isExposed(link) && role(link) === 'link' && name(link) !== '');

  const block = (element) => {
    let found = parent(element);
    while (found && /^(?:inline|contents)/.test(getComputedStyle(found).display)) found = parent(found);
    return found;
  };
  // What a program knows a link to belong to: ACT's programmatically determined link context.
  const context = (link) => [block(link), closest(link, 'li, [role="listitem"]'), closest(link, 'td, th, [role="cell"], [role="gridcell"]')];

  const linkContext = () => {
    const failed = [];
    let isApplicable = false;
    for (const link of links()) {
      isApplicable = true;
      const said = words(name(link));
      if (!vague.has(said) || has(link, 'aria-describedby') || (attribute(link, 'title') ?? '').trim().length > said.length) continue;
      const around = context(link);
      const [, , cell] = around;
      // The headers of a cell and the items around a list say more; so may a picture.
      const items = [];
      for (let item = around[1]; item; item = closest(parent(item), 'li, [role="listitem"]')) items.push(item);
      const all_ = [...new Set([around[0], ...items, cell])].filter(Boolean);
      const isAlone = all_.every((element) => {
        const rest = words(visibleText(element)).split(said).join(' ').replace(/\s+/g, ' ').trim();
        const others = rest.split(' ').filter((word) => word !== '' && !vague.has(word));
        return others.length === 0 && inside(element, 'img[alt]:not([alt=""]), svg[aria-label], [aria-label]').length === 0;
      });
      // Without an element around it that is no whole page, nothing is known of its context.
      if (isAlone && !cell && around[0]) failed.push({ element: link, data: name(link).slice(0, 100) });
    }
    return { failed, isApplicable };
  };

  const addressOf = (link) => {
    const found = link instanceof HTMLAnchorElement ? kit.read(HTMLAnchorElement, 'href', link) : link instanceof HTMLAreaElement ? kit.read(HTMLAreaElement, 'href', link) : '';
    return typeof found === 'string' && /^https?:/.test(found) && URL.canParse(found) ? found.replace(/\/(?:index\.html?)?(?=$|[?#])/, '') : '';
  };
  const sameLinks = () => {
    const undecided = [];
    let isApplicable = false;
    const byName = new Map();
    for (const link of links()) {
      const address = addressOf(link);
      const said = name(link).toLowerCase();
      if (address !== '') byName.set(said, [...(byName.get(said) ?? []), { link, address }]);
    }
    for (const same of byName.values()) {
      if (same.length < 2) continue;
      const places = [];
      for (const each of same.slice(0, 200)) {
        const around = context(each.link);
        const described = attribute(each.link, 'aria-describedby');
        const known = places.find((place) => place.described === described && place.around.every((element, index) => element === around[index]));
        if (known) known.links.push(each);
        else places.push({ around, described, links: [each] });
      }
      for (const { links: together } of places.filter(({ links: together }) => together.length > 1)) {
        isApplicable = true;
        if (new Set(together.map(({ address }) => address)).size > 1) undecided.push({ element: together[1].link, data: name(together[1].link).slice(0, 100) });
      }
    }
    return { failed: [], undecided, isApplicable };
  };

  // Where a link leads, as far as an address can say: without what servers and browsers commonly add or leave out.
  const placeOf = (link) => {
    const given = link instanceof SVGAElement ? Reflect.get(SVGAnimatedString.prototype, 'baseVal', kit.read(SVGAElement, 'href', link)) : addressOf(link);
    if (typeof given !== 'string' || given === '' || !URL.canParse(given, document.baseURI)) return null;
    const { protocol, hostname, port, pathname, search } = new URL(given, document.baseURI);
    if (!/^https?:$/.test(protocol)) return null;
    const path = pathname.replace(/\/(?:(?:index|default)\.\w+)?$/, '');
    // What passes a visitor on leads nobody knows where.
    const isKnown = !shorteners.has(hostname.replace(/^www\./, '')) && !/https?(?::|%3a)/i.test(search);
    const host = `${hostname.replace(/^www\./, '')}:${port}`;
    const labels = hostname.split('.');
    // The name of the site within a list of public suffixes, near enough: example.co.uk, example.org.
    const isLong = labels.length > 2 && labels.at(-1).length === 2 && labels.at(-2).length <= 3;
    const parts = path.split('/').map((part) => part.toLowerCase());
    return { resource: host + path + search, site: labels.slice(isLong ? -3 : -2).join('.'), last: parts.pop() ?? '', folder: parts.join('/'), isKnown };
  };
  const shorteners = new Set('amzn.to bit.ly buff.ly fb.com fb.me goo.gl is.gd lnkd.in ow.ly t.co t.me tinyurl.com twitter.com wa.me x.com youtu.be'.split(' '));
  const identicalLinks = () => {
    const [failed, undecided] = [[], []];
    let isApplicable = false;
    const byName = new Map();
    for (const link of links()) {
      const place = placeOf(link);
      const said = name(link).toLowerCase();
      if (place !== null && (byName.get(said)?.length ?? 0) < 200) byName.set(said, [...(byName.get(said) ?? []), { link, place }]);
    }
    for (const [said, same] of byName) {
      if (same.length < 2) continue;
      isApplicable = true;
      const [first, ...others] = same;
      const elsewhere = others.filter(({ place }) => place.resource !== first.place.resource);
      if (elsewhere.length === 0) continue;
      const data = said.slice(0, 100);
      // A name that says nothing says the same about different pages; and two sites do not have one page under two addresses.
      const isOther = ({ place }) =>
        place.isKnown && first.place.isKnown && (vague.has(words(said)) || (place.site !== first.place.site && (place.last !== first.place.last || place.last === '')));
      const other = elsewhere.find(isOther);
      // Each part of a site may have a page of the name, or several addresses for one.
      const sibling = elsewhere.find(({ place }) => place.site === first.place.site && place.last !== '' && place.last === first.place.last && place.folder !== first.place.folder);
      if (other) failed.push({ element: other.link, data });
      else if (sibling && undecided.length < 5) undecided.push({ element: sibling.link, data });
    }
    return { failed, undecided, isApplicable };
  };

  // Blocks that pages of a site share, by what they are.
  const shared = 'nav, aside, header, footer, [role="navigation"], [role="complementary"], [role="banner"], [role="contentinfo"], [role="search"]';
  const isShared = (element) => {
    const found = closest(element, shared);
    // The header of an article belongs to it.
    return found !== null && !(['header', 'footer'].includes(tag(found)) && closest(parent(found) ?? found, 'main, article, [role="main"]') !== null);
  };
  const page = (address) => address.replace(/[?#].*/s, '').replace(/\/(?:index\.html?)?$/, '');
  // Without a way to another page, nothing is known to be shared.
  const leadsOn = () => all('a[href]').some((link) => isExposed(link) && addressOf(link) !== '' && page(addressOf(link)) !== page(location.href));
  // The first block of these, and the elements with text of their own that come after it.
  const main = () => {
    const first = all(shared).find((element) => isVisible(element) && isExposed(element) && isShared(element));
    if (!first || !leadsOn()) return null;
    const follows = (element) => (Node.prototype.compareDocumentPosition.call(first, element) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;
    const own = all('main, [role="main"], h1, h2, h3, p, article, section').filter((element) => follows(element) && !isShared(element) && isVisible(element) && text(element).trim() !== '');
    return own.length === 0 ? null : { first, own, follows };
  };
  const mainHeading = () => {
    const known = main();
    if (!known) return { failed: [], isApplicable: false };
    const headings = all('h1, h2, h3, h4, h5, h6, [role="heading"]').filter((heading) => known.follows(heading) && !isShared(heading));
    const isMarked = headings.some((heading) => role(heading) === 'heading' && isVisible(heading) && isExposed(heading) && name(heading) !== '');
    return { failed: isMarked ? [] : [{ element: known.own[0] }], isApplicable: true };
  };
  // Words with which controls lead past what pages share, in the languages of reports.
  const skips = /\b(?:skip|jump|bypass|go to)\b|überspring|\bspring(?:en?)?\b|zum (?:haupt)?inhalt|перейти|пропустити|пропустить|do (?:treści|zawartości)|przejdź|pomiń|přeskočit|přejít|la conținut|(?<!\p{L})(?:sari|salt) /iu;
  const skipLink = () => {
    const known = main();
    if (!known) return { failed: [], isApplicable: false };
    const targets = all('a[href*="#"]').filter((link) => isExposed(link) && (kit.read(HTMLAnchorElement, 'hash', link) ?? '').length > 1 && !/^\s*-/.test(attribute(link, 'tabindex') ?? ''));
    const isWay = targets.some((link) => {
      let id;
      try {
        id = decodeURIComponent(kit.read(HTMLAnchorElement, 'hash', link).slice(1));
      } catch {
        return false;
      }
      const [target] = kit.select(`#${CSS.escape(id)}, a[name="${CSS.escape(id)}"]`);
      return target !== undefined && !isShared(target) && (known.follows(target) || inside(target, '*').length > 0);
    });
    // A button may take the focus there.
    const leads = all('button, [role="button"]').some((button) => !known.follows(button) && isExposed(button) && skips.test(name(button)));
    return { failed: isWay || leads ? [] : [{ element: known.first }], isApplicable: true };
  };

  // HTML allows nothing in a link that is activated by itself.
  const nested = () => {
    const inner = 'button, input:not([type="hidden" i]), select, textarea, [role="button"], [role="checkbox"], [role="switch"]';
    const found = all('a[href]').filter((link) => isExposed(link) && role(link) === 'link');
    const failed = found.filter((link) => [...inside(link, inner)].some((control) => isVisible(control) && isExposed(control)));
    return { failed: failed.map((element) => ({ element })), isApplicable: found.length > 0 };
  };

  const scripts = () => {
    const links = kit.all('a[href]').filter((link) => kit.isHtml(link) && kit.isExposed(link));
    const isScript = (link) => /^[\s\u0000-\u001f]*javascript:/i.test(kit.attribute(link, 'href') ?? '');
    // A role of its own says what it is instead.
    const failed = links.filter((link) => isScript(link) && (kit.attribute(link, 'role') ?? '').trim() === '');
    return { failed: failed.map((element) => ({ element })), isApplicable: links.length > 0 };
  };

  // Links to places on the page that are not there, where no script seems to do something else with them.
  const plain = new Set(['href', 'class', 'id', 'title', 'rel', 'style', 'lang', 'hreflang', 'aria-label', 'aria-describedby']);
  const scripted = /toggle|modal|popup|open|close|menu|tab|btn|button|js-|collaps|accordion|drop|lightbox|slid|carousel|prev|next|scroll|login|cart|basket|search|share|play|more|filter|trigger|back-?to/i;
  const brokenAnchor = () => {
    const found = [];
    let isApplicable = false;
    let leads = false;
    const places = new Set([...all('[id]').map((element) => attribute(element, 'id')), ...all('a[name]').map((element) => attribute(element, 'name'))]);
    // With a base, a fragment may be one of another document.
    if (all('base[href]').length > 0) return { failed: [], isApplicable };
    for (const [index, link] of all('a[href]').entries()) {
      const [, fragment] = /^#([\p{L}\p{N}_.:-]+)$/u.exec((attribute(link, 'href') ?? '').trim()) ?? [];
      if (fragment === undefined || fragment.toLowerCase() === 'top') continue;
      isApplicable = true;
      const isThere = places.has(fragment);
      // The first links of a page are those past what is repeated, which axe-core looks at.
      leads ||= isThere && index >= 3;
      if (isThere || index < 3 || found.length >= 500) continue;
      const isPlain = [...kit.attributes(link)].every((each) => plain.has(each)) && !scripted.test(`${attribute(link, 'class') ?? ''} ${attribute(link, 'id') ?? ''} ${fragment}`);
      if (isPlain && isVisible(link) && isExposed(link) && words(visibleText(link)) !== '') found.push({ link, fragment });
    }
    // Where no such link leads to an element, an application may read them.
    if (!leads || found.length === 0) return { failed: [], isApplicable };
    const scripts = all('script:not([src])').map((script) => text(script).slice(0, 20_000)).join('\n').slice(0, 200_000);
    return { failed: found.slice(0, 100).filter(({ fragment }) => !scripts.includes(fragment)).map(({ link }) => ({ element: link })), isApplicable };
  };

  // Three links or more beside each other on a line with nothing between them that can be seen, the first such place of each row.
  const unseparated = () => {
    const failed = [];
    let isApplicable = false;
    const rows = new Map();
    for (const link of all('a[href] + a[href]')) {
      const before = Reflect.get(Element.prototype, 'previousElementSibling', link);
      const between = Reflect.get(Node.prototype, 'previousSibling', link);
      const isSpace = between === before || (nodeType(between) === Node.TEXT_NODE && text(between).trim() === '');
      if (!isSpace || attribute(link, 'href') === attribute(before, 'href')) continue;
      if ([before, link].some((each) => words(visibleText(each)) === '' || inside(each, 'img, svg, button').length > 0)) continue;
      const [one, other] = [before, link].map((each) => getComputedStyle(each));
      if ([one, other].some(({ display, backgroundImage, backgroundColor }) => display !== 'inline' || backgroundImage !== 'none' || backgroundColor !== 'rgba(0, 0, 0, 0)')) continue;
      isApplicable = true;
      const isAlike = ['color', 'textDecorationLine', 'fontWeight', 'direction'].every((property) => one[property] === other[property]) && one.textDecorationLine.includes('underline');
      const [end, start] = one.direction === 'rtl' ? ['Left', 'Right'] : ['Right', 'Left'];
      if (!isAlike || [one[`border${end}Width`], other[`border${start}Width`]].some((width) => width !== '0px') || !isVisible(link) || !isVisible(before)) continue;
      // Styles may draw a sign between them.
      if ([[before, '::after'], [link, '::before']].some(([each, part]) => !/^(?:none|normal)$/.test(getComputedStyle(each, part).content))) continue;
      const [left, right] = [kit.box(before), kit.box(link)];
      const isOnLine = Math.abs(left.bottom - right.bottom) < 2 && Math.abs(left.height - right.height) < 2;
      const room = one.direction === 'rtl' ? left.left - right.right : right.left - left.right;
      const pads = parseFloat(one[`padding${end}`]) + parseFloat(other[`padding${start}`]);
      if (!isOnLine || room + pads >= 0.6 * parseFloat(other.fontSize)) continue;
      const row = rows.get(parent(link));
      if (row === undefined) rows.set(parent(link), { first: link, last: link });
      else if (row.last === before && row.first !== null) {
        failed.push({ element: row.first });
        row.first = null;
      } else if (row.first !== null) {
        rows.set(parent(link), { first: link, last: link });
      }
    }
    return { failed, isApplicable };
  };

  return {
    'a11ycheck-broken-anchor': brokenAnchor,
    'a11ycheck-unseparated-links': unseparated,
    'a11ycheck-script-link': scripts,
    'a11ycheck-identical-links': identicalLinks,
    'a11ycheck-link-context': linkContext,
    'a11ycheck-main-heading': mainHeading,
    'a11ycheck-nested-controls': nested,
    'a11ycheck-same-links': sameLinks,
    'a11ycheck-skip-link': skipLink,
  };
}
