import {
  type FieldError,
  type FieldPath,
  fieldError,
  fieldPath,
  jsonEqual,
  type KubeObject,
  ownMember,
} from "@kubewright/apimachinery";
import { validateContainers } from "./container-validation.ts";
import { podResizeErrors, podResourceErrors } from "./pod-level-resources.ts";
import type { Container, Pod, PodSpec, ResourceRequirements } from "./pod-types.ts";
import { qosClassOf } from "./quality-of-service.ts";

interface Resizable extends Container {
  resizePolicy?: unknown;
}

/**
 * Returns the stored containers with the resources and resize policies from the request body. If the containers' names
 * differ, returns the containers in the body.
 */
export function resizedContainers(asked: readonly Resizable[], stored: readonly Resizable[]): readonly Resizable[] {
  const same = asked.length === stored.length && asked.every(({ name }, i) => name === stored[i]?.name);
  if (!same) return asked;
  return stored.map((container, i) => {
    const { resources: _resources, resizePolicy: _policy, ...rest } = container;
    const { resources, resizePolicy } = asked[i] ?? {};
    return { ...rest, ...(resizePolicy === undefined ? {} : { resizePolicy }), ...(resources ? { resources } : {}) };
  });
}

/** Returns the errors in a change to a pod's resources. @see kubernetes pkg/apis/core/validation ValidatePodResize */
export function resizeErrors(next: Pod, old: Readonly<Pod>): FieldError[] {
  const at = fieldPath("spec");
  const [spec, oldSpec] = [next.spec ?? {}, old.spec ?? {}];
  if (isMirror(old)) return [fieldError.forbidden("", "static pods cannot be resized")];
  const volumes = new Set((spec.volumes ?? []).map(({ name = "" }) => name));
  const errors = [
    ...validateContainers(spec.containers, volumes, at.child("containers")),
    ...podResourceErrors(spec, at),
  ];
  const qosClass = old.status?.qosClass ?? qosClassOf(oldSpec);
  if (qosClassOf(spec) !== qosClass)
    errors.push(fieldError.invalid(at, qosClass, "Pod QOS Class may not change as a result of resizing"));
  errors.push(...podResizeErrors(spec, oldSpec, at));
  const order = [...orderErrors(spec, oldSpec, "containers"), ...orderErrors(spec, oldSpec, "initContainers")];
  if (order.length > 0) return [...errors, ...order];
  return [...errors, ...removals(spec, oldSpec, "containers"), ...otherChanges(spec, oldSpec, at)];
}

const isMirror = ({ metadata }: Readonly<KubeObject>): boolean =>
  metadata.annotations?.["kubernetes.io/config.mirror"] !== undefined;

function orderErrors(spec: PodSpec, old: PodSpec, part: "containers" | "initContainers"): FieldError[] {
  const at = fieldPath("spec", part);
  const [next, before] = [spec[part] ?? [], old[part] ?? []];
  const sort = part === "containers" ? "containers" : "initContainers";
  if (next.length !== before.length) return [fieldError.forbidden(at, `${sort} may not be added or removed on resize`)];
  return next.flatMap(({ name }, i) =>
    name === before[i]?.name
      ? []
      : [fieldError.forbidden(at.index(i).child("name"), `${sort} may not be renamed or reordered on resize`)],
  );
}

/** Returns errors for requests and limits of CPU and memory that were removed. They may only be changed. */
function removals(spec: PodSpec, old: PodSpec, part: "containers"): FieldError[] {
  return (old[part] ?? []).flatMap((container, i) => {
    const at = fieldPath("spec", part).index(i).child("resources");
    const next = spec[part]?.[i]?.resources ?? {};
    return (["limits", "requests"] as const).flatMap((kind) =>
      Object.keys(container.resources?.[kind] ?? {}).some((name) => ownMember(next[kind], name) === undefined)
        ? [fieldError.forbidden(at.child(kind), `resource ${kind} cannot be removed`)]
        : [],
    );
  });
}

function otherChanges(spec: PodSpec, old: PodSpec, at: FieldPath): FieldError[] {
  return (spec.containers ?? []).flatMap((container, i) =>
    jsonEqual(withoutComputed(container), withoutComputed(old.containers?.[i] ?? {}))
      ? []
      : [fieldError.forbidden(at, "only cpu and memory resources are mutable")],
  );
}

function withoutComputed({ resources, resizePolicy: _policy, ...rest }: Resizable): unknown {
  const others = (amounts: ResourceRequirements["limits"] = {}): unknown => {
    const { cpu: _cpu, memory: _memory, ...left } = amounts;
    return left;
  };
  return { ...rest, limits: others(resources?.limits), requests: others(resources?.requests) };
}
