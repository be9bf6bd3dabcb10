import { fieldError, isRecord, toAggregateInvalid, type Unstructured } from "@kubewright/apimachinery";
import { partSubresource, type SubresourceHandler, writable } from "@kubewright/apiserver/endpoints";
import type { ReadonlyObject } from "@kubewright/apiserver/registry";
import { applyPodLevelDefaults } from "../kinds/pod/pod-level-resources.ts";
import { resizedContainers, resizeErrors } from "../kinds/pod/pod-resize.ts";
import type { Container, Pod, PodSpec } from "../kinds/pod/pod-types.ts";

/**
 * Handles `pods/resize`, which changes only the resources of containers.
 *
 * @see kubernetes pkg/registry/core/pod ResizeREST
 */
export const resizeSubresource: SubresourceHandler = partSubresource("spec", (body, current) => {
  const next = writable(body, current);
  if (!current) return next;
  const spec: Record<string, unknown> = isRecord(next.spec) ? { ...next.spec } : {};
  for (const part of ["containers", "initContainers"] as const) {
    const containers = resizedContainers(containersOf(body, part), containersOf(current, part));
    if (containers.length > 0) spec[part] = containers;
  }
  if (isRecord(body.spec) && isRecord(body.spec.resources)) spec.resources = structuredClone(body.spec.resources);
  next.spec = spec;
  applyPodLevelDefaults(spec as PodSpec);
  if (isRecord(spec.os) && spec.os.name === "windows")
    throw toAggregateInvalid({ group: "", kind: "Pod" }, next.metadata.name, [
      fieldError.forbidden("[]", "windows pods cannot be resized"),
    ]);
  const errors = resizeErrors(next as Pod, structuredClone(current) as Unstructured as Pod);
  if (errors.length > 0) throw toAggregateInvalid({ group: "", kind: "Pod" }, next.metadata.name, errors);
  return next;
});

function containersOf({ spec }: Unstructured | ReadonlyObject, part: "containers" | "initContainers"): Container[] {
  const containers = isRecord(spec) ? spec[part] : undefined;
  return Array.isArray(containers) ? (structuredClone(containers) as Container[]) : [];
}
