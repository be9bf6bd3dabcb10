import type { StatusError } from "@kubewright/apimachinery";
import type { ServedResource } from "../../registry/resource.ts";
import { SharedFrames } from "./shared-frames.ts";

/** A watch in progress. */
export interface RunningWatch {
  readonly resource: ServedResource;
  /** Ends the stream after the current event. */
  end(): void;
  /** Sends an `ERROR` event and ends the stream. */
  fail(error: StatusError): void;
  /** Drops the connection, as a network failure would. */
  cut(): void;
}

/** All watches in progress. The server ends a watch when its resource is removed; tests can also end watches. */
export class RunningWatches {
  readonly #watches = new Set<RunningWatch>();
  /** Recently written frames, which watches share. */
  readonly frames = new SharedFrames();

  /** Adds a watch, and returns a function that removes it. */
  add(watch: RunningWatch): () => void {
    this.#watches.add(watch);
    return () => {
      this.#watches.delete(watch);
      if (this.#watches.size === 0) this.frames.clear();
    };
  }

  get size(): number {
    return this.#watches.size;
  }

  /** Yields the watches whose resource matches. */
  *of(matches: (resource: ServedResource) => boolean): IterableIterator<RunningWatch> {
    for (const watch of [...this.#watches]) if (matches(watch.resource)) yield watch;
  }
}
