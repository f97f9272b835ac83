// Called in the page's own world with a list of all players as `this`. Returns the addresses of the players outside of
// the document that can be heard for more than three seconds. The list includes their prototype, whose properties throw
// when they are read, and players with properties that a page has redefined. `readyState` says nothing here: it falls
// each time that a player goes back to its beginning. `limits` bounds how many are examined, how many are returned, and the
// length of an address.
function (limits) {
  const found = [];
  for (let index = 0; index < this.length && index < limits.seen && found.length < limits.kept; index += 1) {
    try {
      const player = this[index];
      const isHeard = !player.paused && !player.muted && player.volume > 0 && player.webkitAudioDecodedByteCount > 0;
      if (isHeard && !player.isConnected && (player.loop || player.duration > 3)) found.push(player.currentSrc.slice(0, limits.name));
    } catch {
      // The properties of this one can't be read.
    }
  }
  return found;
}
