// Probes of words: titles, names of pictures, of links and of groups. Lists of words are in the languages of reports.
(kit) => {
  const { all, attribute, closest, has, inside, isExposed, isVisible, name, role, tag, text, vague, words } = kit;

  const file = /^[^\s/\\]+\.(?:apng|avif|bmp|eps|gif|heic|ico|jpe?g|png|psd|svg|tiff?|webp|docx?|html?|jsp|aspx?|php|pdf)$/i;
  const picture = /^[^\s/\\]+\.(?:apng|avif|bmp|gif|heic|jpe?g|png|svg|tiff?|webp)$/i;
  // What cameras and programs call a file: `IMG_1234`, `screenshot-2`.
  const numbered = /^(?:dsc[nf]?|image|img|photo|pict?|scan|screenshot)[-_]?\d+$|^\S*_\S*\d$/i;
  const set = (...lists) => new Set(lists.join('|').split('|'));

  const titles = set(
    'untitled|untitled document|untitled page|new page|new document|document|insert title here|title|page title|enter title here|title here|no title',
    'unbenannt|unbenanntes dokument|ohne titel|neue seite|seitentitel|dokument|titel hier einfügen',
    'без назви|нова сторінка|заголовок сторінки|bez tytułu|nowa strona|tytuł strony|bez názvu|nová stránka',
    'fără titlu|pagină nouă|titlul paginii|без названия|без имени|новая страница|заголовок страницы',
    'react app|vite app|vue app|my app',
  );
  const title = () => {
    const shown = kit.read(Document, 'title', document).trim();
    if (shown === '') return { failed: [], isApplicable: false };
    const isEmpty = titles.has(words(shown)) || file.test(shown);
    return { failed: isEmpty ? [{ element: all('title')[0] ?? document.documentElement, data: shown }] : [], isApplicable: true };
  };

  const pictures = set(
    'image|img|picture|photo|photograph|graphic|icon|logo image|placeholder|spacer|alt|alt text|alternative text|image here|untitled|null|undefined|click|submit image',
    'bild|foto|grafik|platzhalter|alternativtext|зображення|картинка|малюнок|іконка|альтернативний текст',
    'obraz|obrazek|zdjęcie|grafika|ikona|tekst alternatywny|obrázek|fotka|ikonka|alternativní text',
    'imagine|poză|fotografie|pictogramă|text alternativ|изображение|фото|картинка|иконка|альтернативный текст',
  );
  const pictureName = () => {
    const failed = [];
    let isApplicable = false;
    for (const element of all('img[alt], input[type="image" i][alt], svg[aria-label], canvas[aria-label], [role="img"][aria-label]')) {
      if (!isVisible(element) || !isExposed(element)) continue;
      const said = name(element);
      if (said === '') continue;
      isApplicable = true;
      const source = tag(element) === 'img' || tag(element) === 'input' ? (attribute(element, 'src') ?? '') : '';
      // The name of its own file, without its ending: `IMG_1234`.
      const own = source.split(/[?#]/)[0].split('/').pop().replace(/\.\w+$/, '');
      const isOwn = said === own && numbered.test(own);
      if (picture.test(said) || pictures.has(words(said)) || isOwn) failed.push({ element, data: said });
    }
    return { failed, isApplicable };
  };

  const links = () => all('a[href], area[href], [role="link"]').filter((link) => isExposed(link) && role(link) === 'link');
  const linkText = () => {
    const failed = [];
    let isApplicable = false;
    for (const link of links()) {
      const said = name(link);
      if (said === '') continue;
      isApplicable = true;
      // A description says what the name leaves out.
      const isDescribed = has(link, 'aria-describedby') || words(attribute(link, 'title') ?? '').length > said.length;
      const isAddress = /^(?:https?:\/\/|www\.)\S+$/i.test(said) || file.test(said);
      if ((vague.has(words(said)) || isAddress) && !isDescribed) failed.push({ element: link, data: said });
    }
    return { failed, isApplicable };
  };

  // Words with which links say that a new window or tab opens.
  const opens = /(?:window|tab\b|tabs\b|extern|opens|fenster|reiter|вікн|вкладц|вкладк|okn|okni|kart[aęay]|karcie|záložk|fereastr|filă|nou[aă]?\b|окн|вклад|zewn|зовнішн|внешн)/iu;
  const newWindow = () => {
    const failed = [];
    let isApplicable = false;
    for (const link of all('a[href][target]')) {
      if ((attribute(link, 'target') ?? '').toLowerCase() !== '_blank' || !isExposed(link) || name(link) === '') continue;
      isApplicable = true;
      const described = (attribute(link, 'aria-describedby') ?? '').split(/\s+/).filter(Boolean);
      const more = described.flatMap((id) => all(`#${CSS.escape(id)}`)).map(text);
      const said = [name(link), attribute(link, 'title') ?? '', text(link), ...more].join(' ');
      // A picture in the link may be the sign for it.
      const hasSign = inside(link, 'svg, img, [class*="icon" i], [class*="extern" i]').length > 0;
      if (!opens.test(said) && !hasSign) failed.push({ element: link });
    }
    return { failed, isApplicable };
  };

  const formats = { pdf: 'PDF', doc: 'DOC|Word', docx: 'DOCX|Word', xls: 'XLS|Excel', xlsx: 'XLSX|Excel', ppt: 'PPT|PowerPoint', pptx: 'PPTX|PowerPoint', odt: 'ODT|OpenDocument', ods: 'ODS|OpenDocument', zip: 'ZIP', rtf: 'RTF', csv: 'CSV' };
  const documents = () => {
    const failed = [];
    let isApplicable = false;
    for (const link of links()) {
      const address = (attribute(link, 'href') ?? '').split(/[?#]/)[0];
      const ending = /\.([a-z]{3,4})$/i.exec(address)?.[1].toLowerCase();
      if (!Object.hasOwn(formats, ending ?? '') || name(link) === '') continue;
      isApplicable = true;
      // What stands beside the link in its line belongs to it.
      const around = closest(link, 'li, p, td, dd') ?? link;
      const said = [name(link), attribute(link, 'title') ?? '', attribute(link, 'type') ?? '', text(around).slice(0, 1_000)].join(' ');
      const hasSign = inside(link, 'svg, img, [class*="icon" i]').length > 0;
      if (!new RegExp(formats[ending], 'i').test(said) && !hasSign) failed.push({ element: link, data: ending.toUpperCase() });
    }
    return { failed, isApplicable };
  };

  const address = (link) => {
    const found = link instanceof HTMLAnchorElement ? kit.read(HTMLAnchorElement, 'href', link) : '';
    return /^https?:/.test(found) ? found : null;
  };
  const adjacent = () => {
    const failed = [];
    let isApplicable = false;
    let last = null;
    for (const link of all('a[href]')) {
      const to = address(link);
      if (to === null || !isVisible(link) || !isExposed(link)) continue;
      if (last !== null && last.to === to && to.split('#')[0] !== location.href.split('#')[0]) {
        const range = document.createRange();
        range.setStartAfter(last.link);
        try {
          range.setEndBefore(link);
        } catch {
          last = { link, to };
          continue;
        }
        const between = range.toString().trim();
        isApplicable = true;
        const isPictureAndText = inside(last.link, 'img, svg').length > 0 !== inside(link, 'img, svg').length > 0;
        const sameNames = words(name(last.link)) === words(name(link));
        if (between === '' && isPictureAndText && (sameNames || name(last.link) === '')) failed.push({ element: link });
      }
      last = { link, to };
    }
    return { failed, isApplicable };
  };

  const groups = () => {
    const failed = [];
    let isApplicable = false;
    for (const group of all('fieldset')) {
      if (!isVisible(group) || !isExposed(group) || ['none', 'presentation'].includes(attribute(group, 'role') ?? '')) continue;
      const legend = [...inside(group, 'legend')].find((found) => kit.parent(found) === group);
      const fields = [...inside(group, 'input:not([type="hidden" i], [type="submit" i], [type="button" i]), select, textarea')];
      if (legend === undefined && fields.filter(isVisible).length < 2) continue;
      isApplicable = true;
      if (name(group) === '') failed.push({ element: legend ?? group });
    }
    return { failed, isApplicable };
  };

  return {
    'a11ycheck-title-placeholder': title,
    'a11ycheck-picture-name': pictureName,
    'a11ycheck-link-text': linkText,
    'a11ycheck-new-window': newWindow,
    'a11ycheck-document-link': documents,
    'a11ycheck-adjacent-links': adjacent,
    'a11ycheck-group-name': groups,
  };
}
