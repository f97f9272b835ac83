// Looks for players of the document that a script has started, and leaves what it finds, with the addresses of those outside of it that
// `players.js` has returned, beside what other probes have found.
(addresses, facts) => {
  const id = 'a11ycheck-script-sound';
  const { probes } = outcome;
  const { all, has, isVisible, read } = probes.kit;

  const isPlaying = (media) => {
    const of = (property) => read(HTMLMediaElement, property, media);
    // What has come to its end is paused.
    const isHeard = (!of('paused') || of('ended')) && !of('muted') && of('volume') > 0 && of('readyState') > 1;
    return isHeard && of('webkitAudioDecodedByteCount') > 0 && (has(media, 'loop') || of('duration') > 3);
  };
  // `a11ycheck-autoplay` has those that say of themselves that they play.
  const players = all('audio:not([autoplay]), video:not([autoplay])').slice(0, 500).filter(isPlaying);
  const found = players.filter((media) => !has(media, 'controls') || !isVisible(media)).slice(0, 20);
  const nodes = found.map((element) => probes.node(id, { element, data: { messageKey: 'player' } }, true));
  // A file may be in its address, and behind its path may be a secret.
  const files = new Set(addresses.map((address) => (address.startsWith('data:') ? address.split(',') : address.split(/[?#]/))[0]));
  if (files.size > 0) {
    const element = Reflect.get(Document.prototype, 'documentElement', document);
    nodes.push(probes.node(id, { element, data: { messageKey: 'page', files: [...files].slice(0, 10) } }, true));
  }
  if (nodes.length > 0) probes.incomplete.push({ id, ...facts[id], nodes });
  (players.length > 0 || files.size > 0 ? probes.passed : probes.inapplicable).push(id);
}
