import type { Kind } from "@kubewright/apimachinery";
import type { CallOptions } from "./call-options.ts";
import type { Reader } from "./reader.ts";
import type { NamedObject } from "./target.ts";
import type { ReadWriter } from "./writer.ts";

export interface CaughtUpOptions extends CallOptions {
  /** Wait no longer than this. Default 10,000 ms. */
  readonly timeoutMs?: number | undefined;
}

/** A reader that learns of writes some time after the server, and can say when it has. */
export interface CachedReader extends Reader {
  /**
   * Waits until reads show a write, or something newer. `written` is the object that a write answered, or a `resourceVersion`; with
   * the object it takes no longer than that object needs. A kind that nobody has read yet has nothing to catch up with.
   *
   * @returns whether it has caught up; false when the time is up or the signal aborts first
   */
  caughtUp(kind: Kind, written: NamedObject | string, options?: CaughtUpOptions): Promise<boolean>;
}

/** Reads from a cache, writes to the API server, and can wait for the one to show the other. */
export interface CachedReadWriter extends ReadWriter, Pick<CachedReader, "caughtUp"> {}
