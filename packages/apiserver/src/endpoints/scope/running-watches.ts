import type { StatusError } from "@kubewright/apimachinery";
import type { ServedResource } from "../../registry/resource.ts";
import { SharedFrames } from "./shared-frames.ts";

/** A watch that is being served. */
export interface RunningWatch {
  readonly resource: ServedResource;
  /** Ends the stream between two events. */
  end(): void;
  /** Sends an ERROR event and ends the stream. */
  fail(error: StatusError): void;
  /** Drops the connection, as a broken network would. */
  cut(): void;
}

/** All watches that are being served: they end when their resource goes, and tests may end them. */
export class RunningWatches {
  readonly #watches = new Set<RunningWatch>();
  /** What they have written lately. */
  readonly frames = new SharedFrames();

  /** Notes a watch; the answer forgets it. */
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

  /** The watches of the resources that `matches` says yes to. */
  *of(matches: (resource: ServedResource) => boolean): IterableIterator<RunningWatch> {
    for (const watch of [...this.#watches]) if (matches(watch.resource)) yield watch;
  }
}
