import type { DeepReadonly } from "@kubewright/apimachinery";
import type { Pod } from "@kubewright/client/kinds";
import type { Clock } from "@kubewright/clock";

interface Expected {
  /** uid of a pod created, and until when it may be missing from the cache. */
  readonly created: Map<string, number>;
  /** uid of a pod deleted. */
  readonly deleted: Set<string>;
}

/**
 * What this controller did that its cache may not show yet, per replica set, so that it does nothing twice.
 *
 * @see kubernetes pkg/controller ControllerExpectations
 */
export class Expectations {
  readonly #clock: Clock;
  readonly #patienceMs: number;
  readonly #byKey = new Map<string, Expected>();

  /** @param patienceMs a created pod that the cache has not shown after so long is taken for gone again */
  constructor(clock: Clock, patienceMs = 30_000) {
    this.#clock = clock;
    this.#patienceMs = patienceMs;
  }

  created(key: string, uid: string): void {
    this.#of(key).created.set(uid, this.#clock.monotonic() + this.#patienceMs);
  }

  deleted(key: string, uid: string): void {
    this.#of(key).deleted.add(uid);
  }

  forget(key: string): void {
    this.#byKey.delete(key);
  }

  /** Whether a pod in the cache is one that was deleted already. */
  isDeleted(key: string, uid: string | undefined): boolean {
    return uid !== undefined && (this.#byKey.get(key)?.deleted.has(uid) ?? false);
  }

  /** Compares with what the cache shows; whether every created pod has been seen. */
  areMet(key: string, cached: readonly DeepReadonly<Pod>[]): boolean {
    const expected = this.#byKey.get(key);
    if (!expected) return true;
    const seen = new Set(cached.map(({ metadata }) => metadata.uid));
    const now = this.#clock.monotonic();
    for (const [uid, until] of expected.created) if (seen.has(uid) || until <= now) expected.created.delete(uid);
    for (const uid of expected.deleted) if (!seen.has(uid)) expected.deleted.delete(uid);
    return expected.created.size === 0;
  }

  #of(key: string): Expected {
    const known = this.#byKey.get(key);
    if (known) return known;
    const expected: Expected = { created: new Map(), deleted: new Set() };
    this.#byKey.set(key, expected);
    return expected;
  }
}
