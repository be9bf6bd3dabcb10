import type { DeepReadonly, KubeObject } from "@kubewright/apimachinery";
import { group } from "../api/group.ts";

/** The operator's own object that a request would have manage another one, if there is one that does not do so yet. */
export function newOwner(
  object: DeepReadonly<KubeObject>,
  before: DeepReadonly<KubeObject> | undefined,
): string | undefined {
  const known = new Set(before ? managersOf(before).map(({ uid }) => uid) : []);
  const added = managersOf(object).find(({ uid }) => !known.has(uid));
  return added && `${added.kind} ${added.name}`;
}

const managersOf = ({ metadata }: DeepReadonly<KubeObject>) =>
  (metadata.ownerReferences ?? []).filter(
    ({ controller, apiVersion }) => controller && apiVersion.startsWith(`${group}/`),
  );
