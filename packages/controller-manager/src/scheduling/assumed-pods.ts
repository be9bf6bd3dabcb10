import type { DeepReadonly } from "@kubewright/apimachinery";
import type { Pod } from "@kubewright/client/kinds";
import type { Clock } from "@kubewright/clock";

type PodView = DeepReadonly<Pod>;

/** Longer than a cache lags behind, and than a list that was taken before a pod was shown as bound is still looked at. */
const keepMs = 10_000;
const many = 1_000;

/**
 * Pods that were given a node, until the cache has shown it to everybody: what they take is not given away twice.
 *
 * @see kubernetes pkg/scheduler/backend/cache AssumePod
 */
export class AssumedPods {
  readonly #clock: Clock;
  readonly #assumed = new Map<string, { readonly node: string; readonly at: number; shownAt?: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  assume({ metadata }: PodView, node: string): void {
    this.#assumed.set(metadata.uid ?? "", { node, at: this.#clock.monotonic() });
  }

  /** It was not given the node after all. */
  forget({ metadata }: PodView): void {
    this.#assumed.delete(metadata.uid ?? "");
  }

  /** How long yet the cache may show it without a node although it has one; 0 where it has none. */
  lagMs({ metadata }: PodView): number {
    const { at } = this.#assumed.get(metadata.uid ?? "") ?? { at: Number.NEGATIVE_INFINITY };
    return Math.max(0, at + keepMs - this.#clock.monotonic());
  }

  /** The node a pod is on, or is to be on. */
  nodeOf({ metadata, spec }: PodView): string | undefined {
    return spec.nodeName || this.#assumed.get(metadata.uid ?? "")?.node;
  }

  /** So many are remembered that it is time to look which of them the cache shows. */
  get isFull(): boolean {
    return this.#assumed.size > many;
  }

  /** Forgets those that have been shown as bound for a while, or are gone. @param all every pod that the cache has */
  forgetShown(all: readonly PodView[]): void {
    const now = this.#clock.monotonic();
    if (this.isFull) this.#forgetGone(new Set(all.map(({ metadata }) => metadata.uid)), now);
    for (const { metadata, spec } of all) {
      const assumed = spec.nodeName ? this.#assumed.get(metadata.uid ?? "") : undefined;
      if (!assumed) continue;
      assumed.shownAt ??= now;
      if (now - assumed.shownAt >= keepMs) this.#assumed.delete(metadata.uid ?? "");
    }
  }

  #forgetGone(present: ReadonlySet<string | undefined>, now: number): void {
    for (const [uid, { at }] of this.#assumed) if (!present.has(uid) && now - at >= keepMs) this.#assumed.delete(uid);
  }
}
