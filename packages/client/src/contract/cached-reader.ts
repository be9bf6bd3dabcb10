import type { Kind } from "@kubewright/apimachinery";
import type { CallOptions } from "./call-options.ts";
import type { Reader } from "./reader.ts";
import type { NamedObject } from "./target.ts";
import type { ReadWriter } from "./writer.ts";

/** Options of {@link CachedReader.caughtUp}. */
export interface CaughtUpOptions extends CallOptions {
  /** Maximum wait in milliseconds. Default 10,000. */
  readonly timeoutMs?: number | undefined;
}

/** A reader that shows writes some time after the server stored them, and can wait for them. */
export interface CachedReader extends Reader {
  /**
   * Waits until reads show a write, or a newer one. `written` is the object that a write returned, for which the wait is shortest, or a
   * `resourceVersion`. A kind that has not been read counts as caught up.
   *
   * @returns true once caught up; false on timeout or if the signal aborts first
   */
  caughtUp(kind: Kind, written: NamedObject | string, options?: CaughtUpOptions): Promise<boolean>;
}

/** Reads from a cache, writes to the API server, and can wait until the cache shows a write. */
export interface CachedReadWriter extends ReadWriter, Pick<CachedReader, "caughtUp"> {}
