// Probes of what elements are, and of frames and media.
(kit) => {
  const { all, attribute, has, isExposed, isHtml, isVisible, name, role, tag, text } = kit;

  const isInert = (element) => kit.closest(element, '[inert]') !== null;
  // What takes part in the order of the Tab key in a frame.
  const stops = 'a[href], area[href], button, input:not([type="hidden" i]), select, textarea, summary, iframe, audio[controls], video[controls], [contenteditable], [tabindex]';
  const frameTabindex = () => {
    const failed = [];
    let isApplicable = false;
    for (const frame of all('iframe[tabindex]')) {
      if (!/^\s*-\d/.test(attribute(frame, 'tabindex') ?? '') || isInert(frame) || !isVisible(frame)) continue;
      // Nothing of its content can be seen.
      if (kit.read(Element, 'clientWidth', frame) <= 1 || kit.read(Element, 'clientHeight', frame) <= 1) continue;
      const inner = kit.read(HTMLIFrameElement, 'contentDocument', frame);
      // A frame of another site is closed to this document.
      if (!inner) continue;
      const found = [...Document.prototype.querySelectorAll.call(inner, stops)].filter((element) => {
        // These methods work on elements of the frame's document, too.
        if (kit.closest(element, '[inert]') !== null || kit.matches(element, ':disabled')) return false;
        const { width, height } = kit.box(element);
        const isStop = !/^\s*-\d/.test(attribute(element, 'tabindex') ?? '');
        return isStop && width > 1 && height > 1 && kit.isShown(element);
      });
      if (found.length === 0) continue;
      isApplicable = true;
      failed.push({ element: frame });
    }
    return { failed, isApplicable };
  };

  // Names that say of a frame only that it is one, in the languages of reports; addresses and names of files.
  const nameless = /^(?:(?:inline |embedded )?(?:i ?)?frame(?: title| content)?|iframe|content|embed(?:ded content)?|untitled|title|(?:inline)?rahmen|einbettung|фрейм|рамка|ramka|rámec|vložený rám(?:ec)?|cadru)(?: ?\d+)?$/iu;
  const isFile = /^(?:https?:\/\/|www\.)\S+$|^[\w/.-]+\.(?:html?|php|aspx?|jsp|pdf)(?:\?\S*)?$/i;
  const frameName = () => {
    const failed = [];
    let isApplicable = false;
    for (const frame of all('iframe, frame')) {
      const said = name(frame).trim();
      if (said === '' || !isVisible(frame) || !isExposed(frame) || /^(?:none|presentation)$/i.test(attribute(frame, 'role') ?? '')) continue;
      isApplicable = true;
      if (nameless.test(said) || isFile.test(said)) failed.push({ element: frame });
    }
    return { failed, isApplicable };
  };

  // ARIA 1.2 prohibits these on elements without a role of their own; axe-core checks the names among them.
  const prohibited = ['aria-roledescription', 'aria-braillelabel', 'aria-brailleroledescription'];
  const generic = new Set(['div', 'span', 'b', 'bdi', 'bdo', 'data', 'i', 'pre', 'q', 'samp', 'small', 'u']);
  const noDescription = () => {
    const failed = [];
    let isApplicable = false;
    for (const element of all(prohibited.map((attribute) => `[${attribute}]`).join())) {
      if (!isHtml(element) || !isExposed(element)) continue;
      isApplicable = true;
      const given = (attribute(element, 'role') ?? '').trim().toLowerCase();
      const isGeneric = given === 'generic' || (given === '' && generic.has(tag(element)));
      const found = prohibited.filter((wrong) => (attribute(element, wrong) ?? '').trim() !== '');
      if (isGeneric && found.length > 0) failed.push({ element, data: found });
    }
    return { failed, isApplicable };
  };

  const controls = 'button, input:not([type="hidden" i]), [role="button"], [role="switch"], [role="slider"], a[href], select, summary';
  // Whether a script of the page's own seems to stop a player again after a time, or where it has come to.
  const isTimed = (source) => /\bpause\s*\(/.test(source) && /\bsetTimeout\b|\btimeupdate\b|\bcurrentTime\b|\bonplay/.test(source);
  let pauses = null;
  const mayPause = (media) => {
    pauses ??= all('script:not([src])').some((script) => isTimed(text(script).slice(0, 100_000)));
    return pauses || ['ontimeupdate', 'onplay', 'onplaying'].some((event) => (attribute(media, event) ?? '').includes('pause'));
  };
  // Sound or films that play by themselves for more than three seconds, and whether it is known that there is sound in them and that it goes on so long.
  const playing = () => {
    const found = [];
    for (const media of all('audio[autoplay], video[autoplay]').filter(isHtml)) {
      const read = (property) => kit.read(HTMLMediaElement, property, media);
      if (has(media, 'muted') || read('muted') || (attribute(media, 'src') === null && kit.inside(media, 'source').length === 0)) continue;
      // The browser would have begun it, so the page has stopped it.
      if (kit.listens && read('paused') && read('readyState') === HTMLMediaElement.HAVE_ENOUGH_DATA && read('played').length === 0) continue;
      // A film may have no sound: that is known only once it plays.
      const isSound = tag(media) === 'audio' || read('webkitAudioDecodedByteCount') > 0;
      const [, from, to] = /#t=(?:npt:)?([\d.]*)(?:,([\d.]+))?/.exec(read('currentSrc')) ?? [];
      const length = (Number(to) || read('duration')) - (Number(from) || 0);
      if (Number.isFinite(length) && length <= 3 && !has(media, 'loop')) continue;
      found.push({ media, isKnown: isSound && (length > 3 || has(media, 'loop')) && !mayPause(media), isLong: length > 3 });
    }
    return found;
  };
  const autoplay = () => {
    const [failed, undecided] = [[], []];
    const found = playing();
    for (const { media, isKnown } of found) {
      if (has(media, 'controls') && isVisible(media)) continue;
      const others = all(controls).filter((control) => isVisible(control) && isExposed(control) && name(control) !== '');
      if (isKnown && others.length === 0) failed.push({ element: media });
      else undecided.push({ element: media });
    }
    return { failed, undecided, isApplicable: found.length > 0 };
  };
  const autoplaySound = () => {
    const found = playing();
    const of = (isSure) => found.filter(({ isKnown, isLong }) => (isKnown && isLong) === isSure).map(({ media }) => ({ element: media }));
    return { failed: of(true), undecided: of(false), isApplicable: found.length > 0 };
  };

  return {
    'a11ycheck-frame-tabindex': frameTabindex,
    'a11ycheck-frame-name': frameName,
    'a11ycheck-role-description': noDescription,
    'a11ycheck-autoplay': autoplay,
    'a11ycheck-autoplay-sound': autoplaySound,
  };
}
