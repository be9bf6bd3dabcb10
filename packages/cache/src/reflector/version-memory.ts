/**
 * Remembers the resource versions that a reflector has seen, and determines the version for the next list or watch.
 *
 * @see client-go tools/cache Reflector relistResourceVersion, rewatchResourceVersion
 */
export class VersionMemory {
  /** Version of the last list or event; empty before the first. */
  last = "";
  /** True if the server no longer has {@link last}, or does not have it yet: the newest version is requested. */
  isUnavailable = false;

  /**
   * Returns the version to list from: at first `"0"` (any version), then the last known one; empty (the newest) if that is not available.
   */
  forRelist(): string {
    if (this.isUnavailable) return "";
    return this.last === "" ? "0" : this.last;
  }

  /** Like {@link forRelist}, for a streaming list, which requests the newest version at first. */
  forWatchList(): string {
    return this.isUnavailable ? "" : this.last;
  }
}
