// Probes of films and sound, whose content only a person can judge.
(kit) => {
  const { all, attribute, has, inside, isExposed, isHtml, isVisible, read, role, tag, text } = kit;

  // Words with which pages offer a text in place of sound, in the languages of reports.
  const offer = /transcri|transkri|abschrift|wortlaut|textfassung|стенограм|транскрип|розшифров|расшифров|текстов\S* верс|przepis|wersja tekstowa|přepis|textová verze|versiune text|text version|text alternative/iu;
  const hasOffer = () => all('a[href], h2, h3, h4, h5, h6, summary, button, figcaption').some((element) => isExposed(element) && offer.test(text(element).slice(0, 500)));
  // What is of no length is a stream, or cannot be played.
  const isRecorded = (media) => {
    const source = attribute(media, 'src') ?? inside(media, 'source[src]').length > 0;
    return isHtml(media) && source !== false && read(HTMLMediaElement, 'duration', media) !== 0 && read(HTMLMediaElement, 'duration', media) !== Infinity;
  };
  const sound = /\.(?:mp3|ogg|oga|wav|m4a|aac|flac|opus)$/i;

  // Without controls of its own, something on the page has to start it.
  const canStart = () => all('button, input[type="button" i], [role="button"], a[href], [onclick], [tabindex]').some(isVisible);

  const soundText = () => {
    const undecided = [];
    const media = all('audio').filter((audio) => isRecorded(audio) && ((has(audio, 'controls') && isVisible(audio) && isExposed(audio)) || has(audio, 'autoplay') || (!has(audio, 'controls') && canStart())));
    const links = all('a[href]').filter((link) => isExposed(link) && sound.test((attribute(link, 'href') ?? '').split(/[?#]/)[0]));
    const found = [...media, ...links];
    if (!hasOffer()) undecided.push(...found.map((element) => ({ element, data: { messageKey: tag(element) === 'a' ? 'link' : 'sound' } })));
    return { failed: [], undecided, isApplicable: found.length > 0 };
  };

  const films = () => all('video').filter((video) => isVisible(video) && isRecorded(video));
  const tracks = (video, kinds) => [...inside(video, 'track')].some((track) => kinds.includes((attribute(track, 'kind') ?? 'subtitles').toLowerCase()));
  const filmText = () => {
    const found = films();
    const isOffered = hasOffer();
    const undecided = found.filter((video) => !isOffered && !tracks(video, ['descriptions'])).map((element) => ({ element, data: { messageKey: 'film' } }));
    return { failed: [], undecided, isApplicable: found.length > 0 };
  };
  const captions = () => {
    const found = films().filter((video) => !has(video, 'muted') && !read(HTMLMediaElement, 'muted', video));
    const undecided = found.filter((video) => !tracks(video, ['captions', 'subtitles'])).map((element) => ({ element }));
    return { failed: [], undecided, isApplicable: found.length > 0 };
  };

  return {
    'a11ycheck-film-alternative': filmText,
    'a11ycheck-film-captions': captions,
    'a11ycheck-sound-alternative': soundText,
  };
}
