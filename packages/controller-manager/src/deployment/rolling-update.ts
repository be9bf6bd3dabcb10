import { scaledValue } from "../workload/int-or-percent.ts";

/** The properties of a replica set that determine a rollout's next step. */
export interface ReplicaSetSize {
  readonly name: string;
  /** Desired number of replicas: `spec.replicas`. */
  readonly replicas: number;
  /** Number of available replicas: `status.availableReplicas`. */
  readonly available: number;
  /** Creation time, in RFC 3339 format. */
  readonly created: string;
}

export interface RolloutBounds {
  /** Maximum number of replicas above the desired number. */
  readonly maxSurge: number;
  /** Maximum number of unavailable replicas. */
  readonly maxUnavailable: number;
}

/** Desired sizes, keyed by replica set name. */
export type Scaling = ReadonlyMap<string, number>;

/**
 * Returns a rolling update's `maxSurge` and `maxUnavailable` as absolute numbers. If both are 0, one replica may be
 * unavailable, because the rollout could otherwise never proceed.
 *
 * @see kubernetes pkg/controller/deployment/util ResolveFenceposts
 */
export function rolloutBounds(
  rollingUpdate: { readonly maxSurge?: string | number; readonly maxUnavailable?: string | number } | undefined,
  replicas: number,
): RolloutBounds {
  const maxSurge = scaledValue(rollingUpdate?.maxSurge, replicas, "up");
  const maxUnavailable = Math.min(scaledValue(rollingUpdate?.maxUnavailable, replicas, "down"), replicas);
  return { maxSurge, maxUnavailable: maxSurge === 0 && maxUnavailable === 0 ? 1 : maxUnavailable };
}

/**
 * Returns the next step of a rolling update: either scale up the new replica set as far as the surge allows, or scale
 * down the old replica sets as far as availability allows, starting with unhealthy replicas.
 *
 * @see kubernetes pkg/controller/deployment/rolling.go
 */
export function rollingStep(
  replicas: number,
  bounds: RolloutBounds,
  fresh: ReplicaSetSize,
  old: readonly ReplicaSetSize[],
): Scaling {
  const oldTotal = old.reduce((sum, { replicas: each }) => sum + each, 0);
  if (fresh.replicas > replicas) return new Map([[fresh.name, replicas]]);
  if (fresh.replicas < replicas) {
    const room = replicas + bounds.maxSurge - (fresh.replicas + oldTotal);
    if (room > 0) return new Map([[fresh.name, fresh.replicas + Math.min(room, replicas - fresh.replicas)]]);
  }
  return shrinkOld(replicas, bounds, fresh, old, oldTotal);
}

function shrinkOld(
  replicas: number,
  { maxUnavailable }: RolloutBounds,
  fresh: ReplicaSetSize,
  old: readonly ReplicaSetSize[],
  oldTotal: number,
): Scaling {
  const scaling = new Map<string, number>();
  if (oldTotal === 0) return scaling;
  const minAvailable = replicas - maxUnavailable;
  const freshUnavailable = fresh.replicas - fresh.available;
  let mayGo = fresh.replicas + oldTotal - minAvailable - freshUnavailable;
  if (mayGo <= 0) return scaling;
  const byAge = old.toSorted((a, b) => a.created.localeCompare(b.created));
  const sizes = new Map(byAge.map((set) => [set.name, set.replicas]));
  const shrink = (set: ReplicaSetSize, by: number): void => {
    const size = sizes.get(set.name) ?? 0;
    sizes.set(set.name, size - by);
    scaling.set(set.name, size - by);
  };
  for (const set of byAge) {
    const unhealthy = Math.min(mayGo, set.replicas - set.available);
    if (unhealthy <= 0) continue;
    shrink(set, unhealthy);
    mayGo -= unhealthy;
  }
  const available = fresh.available + old.reduce((sum, set) => sum + set.available, 0);
  let spare = available - minAvailable;
  for (const set of byAge) {
    const healthy = Math.min(sizes.get(set.name) ?? 0, spare);
    if (healthy <= 0) continue;
    shrink(set, healthy);
    spare -= healthy;
  }
  return scaling;
}

/**
 * Distributes a change in the desired size over all active replica sets, in proportion to their sizes. The remainder
 * goes to the largest replica set or, if several are equally large, to the newest of them.
 *
 * @see kubernetes pkg/controller/deployment/sync.go scale
 */
export function proportionalScaling(allowed: number, sets: readonly ReplicaSetSize[]): Scaling {
  const total = sets.reduce((sum, { replicas }) => sum + replicas, 0);
  const change = allowed - total;
  if (change === 0 || total === 0) return new Map();
  const order = sets.toSorted(
    (a, b) =>
      b.replicas - a.replicas || (change > 0 ? b.created.localeCompare(a.created) : a.created.localeCompare(b.created)),
  );
  const scaling = new Map<string, number>();
  let given = 0;
  for (const set of order) {
    const share = Math.round((set.replicas * allowed) / total) - set.replicas;
    const rest = change - given;
    const part = change > 0 ? Math.min(share, rest) : Math.max(share, rest);
    scaling.set(set.name, set.replicas + part);
    given += part;
  }
  const [largest] = order;
  if (largest && given !== change)
    scaling.set(largest.name, Math.max(0, (scaling.get(largest.name) ?? 0) + change - given));
  return scaling;
}
