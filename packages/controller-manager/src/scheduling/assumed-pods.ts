import type { DeepReadonly } from "@kubewright/apimachinery";
import type { Pod } from "@kubewright/client/kinds";
import type { Clock } from "@kubewright/clock";

type PodView = DeepReadonly<Pod>;

/** Time for which a pod is remembered. It is longer than a cache lags behind, and longer than any reader uses an outdated list of pods. */
const keepMs = 10_000;
const many = 1_000;

/**
 * Pods that have recently been assigned to a node. Each pod is remembered until all readers of the cache see its
 * assignment, so that its resources are not assigned twice.
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

  /** Forgets a pod whose binding has failed. */
  forget({ metadata }: PodView): void {
    this.#assumed.delete(metadata.uid ?? "");
  }

  /** Returns how much longer the cache may show a pod without its node, in milliseconds. Returns 0 if the pod has not been assigned. */
  lagMs({ metadata }: PodView): number {
    const { at } = this.#assumed.get(metadata.uid ?? "") ?? { at: Number.NEGATIVE_INFINITY };
    return Math.max(0, at + keepMs - this.#clock.monotonic());
  }

  /** Returns the node that a pod is bound to or has been assigned to. */
  nodeOf({ metadata, spec }: PodView): string | undefined {
    return spec.nodeName || this.#assumed.get(metadata.uid ?? "")?.node;
  }

  /** True if the number of remembered pods exceeds the limit, so that deleted pods should be forgotten. */
  get isFull(): boolean {
    return this.#assumed.size > many;
  }

  /**
   * Forgets pods that the cache has shown as bound for some time, and, if too many are remembered, pods that were deleted.
   *
   * @param all all pods in the cache
   */
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
