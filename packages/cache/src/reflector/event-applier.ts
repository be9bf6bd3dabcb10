import { compareResourceVersions } from "@kubewright/apimachinery";
import type { Logger } from "@kubewright/log";
import type { SourceEvent } from "../source/lister-watcher.ts";
import { metaIfAny, versionOf } from "../store/object-meta.ts";
import type { ReflectorStore } from "../store/reflector-store.ts";
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

/** Applies what a source sends to a store, and keeps track of the version. */
export class EventApplier<O> {
  readonly #options: EventApplierOptions<O>;

  constructor(options: EventApplierOptions<O>) {
    this.#options = options;
  }

  /** Whether an object is of the expected kind. If not, it is logged. */
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
   * @param isSynthetic whether the watch still begins with the objects that existed already. They come as additions, in any order,
   *   and their versions do not tell how far the watch is.
   * @returns whether that is still so after these events
   * @throws {WentBackInTimeError} at an event that is older than what was seen; the events before it have been applied
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
    // Some servers send deleted objects with the version that they had before.
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

/** Whether a version is older than another. Versions that cannot be compared are not. */
export const isOlder = (version: string, than: string): boolean => (compareResourceVersions(version, than) ?? 0) < 0;
