import type { DeepReadonly, KubeObject } from "@kubewright/apimachinery";
import { group } from "../api/group.ts";

/** Returns the operator's own object that a request would newly make the controller of another object, if any. */
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
