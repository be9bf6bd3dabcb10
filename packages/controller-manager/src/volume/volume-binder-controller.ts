import { type DeepReadonly, isConflict, joinKey, keyOf } from "@kubewright/apimachinery";
import { PersistentVolume, PersistentVolumeClaim, StorageClass } from "@kubewright/client/kinds";
import { asReconciler, enqueueRequestsFromMapFunc, type Result } from "@kubewright/controller";
import type { AddController } from "../parts/controller-parts.ts";
import { ignoreGone } from "../workload/ignore-gone.ts";
import { syncClaim } from "./sync-claim.ts";
import { syncVolume } from "./sync-volume.ts";

/**
 * Binds claims and volumes to each other. Each of its two controllers has a single worker so that no volume is bound to two claims.
 *
 * @see kubernetes pkg/controller/volume/persistentvolume
 */
export const addVolumeBinder: AddController = ({ controller }) => {
  const unboundClaims = enqueueRequestsFromMapFunc(async (_, { client }) =>
    (await client.list(PersistentVolumeClaim)).filter(isUnbound).map(keyOf),
  );
  const claimOfVolume = ({ spec }: DeepReadonly<PersistentVolume>): string[] =>
    spec?.claimRef?.name ? [joinKey(spec.claimRef.namespace, spec.claimRef.name)] : [];
  const volumesOfClaim = enqueueRequestsFromMapFunc<PersistentVolumeClaim>(async (claim, { client }) =>
    (await client.list(PersistentVolume)).filter((each) => claimOfVolume(each).includes(keyOf(claim))).map(keyOf),
  );
  controller("persistentvolume-binder-controller", 1)
    .for(PersistentVolumeClaim)
    .watches(PersistentVolume, enqueueRequestsFromMapFunc<PersistentVolume>(claimOfVolume))
    .watches(PersistentVolume, unboundClaims, {
      predicates: [({ type, object }) => type !== "delete" && object.status?.phase === "Available"],
    })
    .watches(StorageClass, unboundClaims)
    .complete(asReconciler(PersistentVolumeClaim, (claim, context) => again(syncClaim(claim, context))));
  controller("persistentvolume-phase-controller", 1)
    .for(PersistentVolume)
    .watches(PersistentVolumeClaim, volumesOfClaim)
    .complete(asReconciler(PersistentVolume, (volume, context) => again(syncVolume(volume, context))));
};

const isUnbound = ({ spec, status }: DeepReadonly<PersistentVolumeClaim>): boolean =>
  !spec?.volumeName || status?.phase !== "Bound";

/** Runs a sync, and enqueues the request again after a conflict, which means that the cache was stale. */
const again = (work: Promise<void>): Promise<Result | undefined> =>
  work
    .catch((error: unknown) => (isConflict(error) ? { requeue: true } : ignoreGone(error)))
    .then((result) => result ?? undefined);
