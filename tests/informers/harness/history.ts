import { compareResourceVersions, type DeepReadonly, type KubeObject, keyOf } from "@kubewright/apimachinery";
import type { ResourceEventHandler } from "@kubewright/cache";

/** A handler that records its events, and reports illegal ones. */
export class History<T extends KubeObject> implements ResourceEventHandler<T> {
  readonly problems: string[] = [];
  /** Number of calls. */
  calls = 0;
  readonly #known = new Map<string, DeepReadonly<T>>();

  /** The objects according to the events. */
  get objects(): ReadonlyMap<string, DeepReadonly<T>> {
    return this.#known;
  }

  added(object: DeepReadonly<T>): void {
    this.calls++;
    if (this.#known.has(keyOf(object))) this.problems.push(`added ${shown(object)}, which existed already`);
    this.#known.set(keyOf(object), object);
  }

  updated(old: DeepReadonly<T>, object: DeepReadonly<T>): void {
    this.calls++;
    const known = this.#known.get(keyOf(object));
    if (!known) this.problems.push(`updated ${shown(object)}, which did not exist`);
    else if (shown(known) !== shown(old)) this.problems.push(`updated from ${shown(old)}, not from ${shown(known)}`);
    if (isBefore(object, old)) this.problems.push(`updated ${shown(old)} back to ${shown(object)}`);
    if (shown(old) === shown(object)) this.problems.push(`updated ${shown(object)} without a change`);
    this.#known.set(keyOf(object), object);
  }

  deleted(object: DeepReadonly<T>): void {
    this.calls++;
    const known = this.#known.get(keyOf(object));
    if (!known) this.problems.push(`deleted ${shown(object)}, which did not exist`);
    else if (isBefore(object, known)) this.problems.push(`deleted ${shown(object)}, but it was ${shown(known)}`);
    this.#known.delete(keyOf(object));
  }
}

const isBefore = (a: DeepReadonly<KubeObject>, b: DeepReadonly<KubeObject>): boolean =>
  (compareResourceVersions(a.metadata.resourceVersion ?? "", b.metadata.resourceVersion ?? "") ?? 0) < 0;

const shown = (object: DeepReadonly<KubeObject>): string =>
  `${keyOf(object)} (${object.metadata.uid}, ${object.metadata.resourceVersion})`;
