import type { DeepReadonly, KubeObject } from "@kubewright/apimachinery";

/** Whether the one was there before the other; nothing if they came in the same second. */
export function isOlder(
  { metadata: one }: DeepReadonly<KubeObject>,
  { metadata: other }: DeepReadonly<KubeObject>,
): boolean | undefined {
  const [created = "", otherCreated = ""] = [one.creationTimestamp, other.creationTimestamp];
  return created === otherCreated ? undefined : created < otherCreated;
}
