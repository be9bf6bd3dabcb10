import { ignoreNotFound, isRecord, jsonEqual, type Unstructured } from "@kubewright/apimachinery";
import type { ResourceScope } from "@kubewright/apiserver/endpoints";
import { serverContext } from "@kubewright/apiserver/server";
import { rfc3339 } from "@kubewright/clock";
import type { Availability } from "./check-availability.ts";

/** The availability of a version that this server serves itself. */
export const local: Availability = {
  status: "True",
  reason: "Local",
  message: "Local APIServices are always available",
};

/**
 * Writes an APIService's `Available` condition if it has changed. Does nothing if the APIService has been deleted or
 * replaced in the meantime; a replacement is checked separately.
 *
 * @throws {Error} if the condition cannot be written
 *
 * @see kube-aggregator pkg/apis/apiregistration/v1/helper SetAPIServiceCondition
 */
export async function writeCondition(
  scope: ResourceScope,
  name: string,
  isMeant: (current: unknown) => boolean,
  { status, reason, message }: Availability,
): Promise<void> {
  const { clock, resource, store } = scope;
  const time = rfc3339(clock.now());
  const transform = (current: unknown): Unstructured => {
    const next = structuredClone(current) as Unstructured;
    if (!isMeant(current)) return next;
    const { conditions = [] } = isRecord(next.status) ? next.status : {};
    const known: readonly unknown[] = Array.isArray(conditions) ? conditions : [];
    const old = known.filter(isRecord).find(({ type }) => type === "Available");
    const since = old?.status === status ? old.lastTransitionTime : time;
    const condition = { type: "Available", status, lastTransitionTime: since, reason, message };
    if (old && jsonEqual(old, condition)) return next;
    next.status = { conditions: old ? known.map((each) => (each === old ? condition : each)) : [...known, condition] };
    const written = { manager: "kube-apiserver", subresource: "status", time, resetFields: [["spec"], ["metadata"]] };
    return resource.fieldManager?.update(current as Unstructured, next, written) ?? next;
  };
  await store.update({ name, part: "status", transform }, serverContext(clock, "")).catch(ignoreNotFound);
}
