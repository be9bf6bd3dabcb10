import {
  bucket,
  controllerManagedBy,
  exponentialFailure,
  type Manager,
  maxOf,
  type Reconciler,
} from "kubewright";
import { Shop } from "./shop.ts";

// #region options
/**
 * Adds a controller with four workers. It retries failures after 1 s, 2 s, 4 s
 * and so on, up to a minute, with at most ten retries per second in total.
 */
export function addPatiently(manager: Manager, reconcile: Reconciler): void {
  controllerManagedBy(manager)
    .for(Shop)
    .withOptions({
      maxConcurrentReconciles: 4,
      rateLimiter: maxOf(
        exponentialFailure({ baseMs: 1_000, maxMs: 60_000 }),
        bucket({ qps: 10, burst: 100, clock: manager.clock }),
      ),
    })
    .complete(reconcile);
}
// #endregion options
