/**
 * What a reflector remembers of versions, and with which one it lists and watches next.
 *
 * @see client-go tools/cache Reflector relistResourceVersion, rewatchResourceVersion
 */
export class VersionMemory {
  /** The last version that was synced with, or seen in an event. Empty before the first. */
  last = "";
  /** The server does not have {@link last} any more, or not yet: ask for whatever is newest. */
  isUnavailable = false;

  /** Not older than what was seen; anything at all the first time; the newest if what was seen is not available. */
  forRelist(): string {
    if (this.isUnavailable) return "";
    return this.last === "" ? "0" : this.last;
  }

  /** The same for a streaming list, whose first time is always a consistent one. */
  forWatchList(): string {
    return this.isUnavailable ? "" : this.last;
  }
}
