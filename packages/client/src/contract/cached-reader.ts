import type { Kind } from "@kubewright/apimachinery";
import type { CallOptions } from "./call-options.ts";
import type { Reader } from "./reader.ts";
import type { NamedObject } from "./target.ts";
import type { ReadWriter } from "./writer.ts";

/** How long {@link CachedReader.caughtUp} waits. */
export interface CaughtUpOptions extends CallOptions {
  /** How long to wait. Default 10,000 ms. */
  readonly timeoutMs?: number | undefined;
}

/** A reader that learns of writes some time after the server, and can say when it has. */
export interface CachedReader extends Reader {
  /**
   * Waits until reads show a write, or something newer. `written` is the object that a write answered, which takes no longer than that
   * object needs, or a `resourceVersion`. A kind that nobody has read yet has nothing to catch up with.
   *
   * @returns whether it has caught up; false if the time is up or the signal aborts first
   */
  caughtUp(kind: Kind, written: NamedObject | string, options?: CaughtUpOptions): Promise<boolean>;
}

/** Reads from a cache, writes to the API server, and can wait for the one to show the other. */
export interface CachedReadWriter extends ReadWriter, Pick<CachedReader, "caughtUp"> {}
