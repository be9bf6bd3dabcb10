import { compareResourceVersions } from "@kubewright/apimachinery";
import type { Logger } from "@kubewright/log";
import type { SourceEvent } from "../source/lister-watcher.ts";
import type { ReflectorStore } from "../store/indexer.ts";
import { metaIfAny, versionOf } from "../store/object-meta.ts";
import type { SourceCheck } from "./source-check.ts";
import type { VersionMemory } from "./version-memory.ts";
import { WentBackInTimeError } from "./watch-errors.ts";

export interface EventApplierOptions<O> {
  readonly name: string;
  readonly store: ReflectorStore<O>;
  readonly version: VersionMemory;
  readonly check: SourceCheck;
  readonly logger: Logger;
}

/** Applies a source's objects and events to a store, and keeps track of the version. */
export class EventApplier<O> {
  readonly #options: EventApplierOptions<O>;

  constructor(options: EventApplierOptions<O>) {
    this.#options = options;
  }

  /** Reports whether an object is of the expected kind. If not, it is logged. */
  accepts(object: O): boolean {
    const refusal = this.#options.check.refusalOf(object);
    if (refusal) this.#options.logger.error(refusal, "an object of an unexpected type was left out");
    return refusal === undefined;
  }

  /** Makes these objects the whole content of the store. */
  replace(objects: readonly O[], resourceVersion: string): void {
    const { store, version } = this.#options;
    store.replace(objects, resourceVersion, isOlder(resourceVersion, version.last));
    version.last = resourceVersion;
  }

  /**
   * Applies events in order.
   *
   * @param isSynthetic true while the watch sends objects that existed before it began. They arrive as additions in any order, so their
   * versions do not show the position of the watch.
   * @returns true if this still applies after these events
   * @throws {WentBackInTimeError} for an event that is older than a previous one; the events before it have been applied
   */
  apply(events: readonly SourceEvent<O>[], isSynthetic: boolean): boolean {
    let isStillSynthetic = isSynthetic;
    for (const event of events) {
      if (isStillSynthetic && event.type !== "ADDED") isStillSynthetic = false;
      if (event.type === "BOOKMARK" || this.accepts(event.object)) this.#applyOne(event, isStillSynthetic);
    }
    return isStillSynthetic;
  }

  #applyOne(event: SourceEvent<O>, isSynthetic: boolean): void {
    const { store, version, logger, name } = this.#options;
    const now = versionOf(event.object);
    const isBack = !isSynthetic && isOlder(now, version.last);
    // Some servers send a deleted object with its version from before the deletion.
    if (isBack && event.type !== "DELETED") throw new WentBackInTimeError(name, version.last, now);
    try {
      if (event.type === "ADDED") store.add(event.object);
      else if (event.type === "MODIFIED") store.update(event.object);
      else if (event.type === "DELETED") store.delete(event.object);
      else store.bookmark?.(now);
    } catch (err) {
      const { namespace, name: objectName } = metaIfAny(event.object) ?? {};
      logger.error({ err, type: event.type, namespace, name: objectName }, "the store refused a watch event");
    }
    if (!isSynthetic && !isBack && now !== "") version.last = now;
  }
}

/** Reports whether a version is older than another. False for versions that cannot be compared. */
export const isOlder = (version: string, than: string): boolean => (compareResourceVersions(version, than) ?? 0) < 0;
