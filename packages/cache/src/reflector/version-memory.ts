/**
 * Which resource versions a reflector has seen, and hence with which one it lists and watches next.
 *
 * @see client-go tools/cache Reflector relistResourceVersion, rewatchResourceVersion
 */
export class VersionMemory {
  /** The version of the last list or event; empty before the first. */
  last = "";
  /** The server does not have {@link last} any more, or not yet: ask for the newest. */
  isUnavailable = false;

  /** At first `"0"`, any version; then the last one seen; the newest (empty) if that is not available. */
  forRelist(): string {
    if (this.isUnavailable) return "";
    return this.last === "" ? "0" : this.last;
  }

  /** {@link forRelist} for a streaming list, which asks for the newest at first. */
  forWatchList(): string {
    return this.isUnavailable ? "" : this.last;
  }
}
