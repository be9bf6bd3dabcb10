import {
  type FieldError,
  fieldError,
  fieldPath,
  isRecord,
  jsonEqual,
  quote,
  toAggregateInvalid,
  type Unstructured,
} from "@kubewright/apimachinery";
import { partSubresource, type SubresourceHandler, writable } from "@kubewright/apiserver/endpoints";
import type { ReadonlyObject } from "@kubewright/apiserver/registry";
import { ephemeralContainerErrors } from "../kinds/pod/ephemeral-containers.ts";
import type { EphemeralContainer, PodSpec } from "../kinds/pod/pod-types.ts";

/**
 * Handles `pods/ephemeralcontainers`: adds ephemeral containers to a running pod, but does not change existing ones.
 *
 * @see kubernetes pkg/registry/core/pod EphemeralContainersREST
 */
export const ephemeralContainersSubresource: SubresourceHandler = partSubresource("spec", (body, current) => {
  const next = writable(body, current);
  const asked = containersOf(body);
  const spec: Record<string, unknown> = isRecord(next.spec) ? next.spec : {};
  next.spec = asked.length > 0 ? { ...spec, ephemeralContainers: asked } : withoutContainers(spec);
  if (!current) return next;
  const errors = [...ephemeralContainerErrors(next.spec as PodSpec), ...changes(asked, containersOf(current))];
  if (errors.length > 0) throw toAggregateInvalid({ group: "", kind: "Pod" }, next.metadata.name, errors);
  return next;
});

const at = fieldPath("spec", "ephemeralContainers");

function changes(next: readonly EphemeralContainer[], old: readonly EphemeralContainer[]): FieldError[] {
  return old.flatMap((container) => {
    const same = next.find(({ name }) => name === container.name);
    const name = quote(container.name ?? "");
    if (!same) return [fieldError.forbidden(at, `existing ephemeral containers ${name} may not be removed\n`)];
    if (jsonEqual(same, container)) return [];
    return [fieldError.forbidden(at, `existing ephemeral containers ${name} may not be changed\n`)];
  });
}

function containersOf({ spec }: ReadonlyObject | Unstructured): EphemeralContainer[] {
  const containers = isRecord(spec) ? spec.ephemeralContainers : undefined;
  return Array.isArray(containers) ? (containers as EphemeralContainer[]) : [];
}

function withoutContainers({ ephemeralContainers: _all, ...spec }: Record<string, unknown>): Record<string, unknown> {
  return spec;
}
