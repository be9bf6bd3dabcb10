import type { DeepReadonly } from "@kubewright/apimachinery";
import type { ReplicaSet } from "@kubewright/client/kinds";
import type { ReplicaSetSize } from "./rolling-update.ts";

type SetView = DeepReadonly<ReplicaSet>;

/** Compares replica sets by age, oldest first. */
export const byAge = (a: SetView, b: SetView): number =>
  (a.metadata.creationTimestamp ?? "").localeCompare(b.metadata.creationTimestamp ?? "") ||
  a.metadata.name.localeCompare(b.metadata.name);

export const hasReplicas = ({ spec }: SetView): boolean => (spec.replicas ?? 0) > 0;

export const sizeOf = ({ metadata, spec, status }: SetView): ReplicaSetSize => ({
  name: metadata.name,
  replicas: spec.replicas ?? 0,
  available: status?.availableReplicas ?? 0,
  created: metadata.creationTimestamp ?? "",
});
