import type { DeepReadonly, KubeObject } from "@kubewright/apimachinery";

/** Reports whether one object is older than another. Returns undefined if both were created in the same second. */
export function isOlder(
  { metadata: one }: DeepReadonly<KubeObject>,
  { metadata: other }: DeepReadonly<KubeObject>,
): boolean | undefined {
  const [created = "", otherCreated = ""] = [one.creationTimestamp, other.creationTimestamp];
  return created === otherCreated ? undefined : created < otherCreated;
}
