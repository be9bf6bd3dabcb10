import { type FieldError, type FieldPath, fieldError, fieldPath } from "@kubewright/apimachinery";
import { validateContainer } from "./container-validation.ts";
import type { Container, EphemeralContainer, PodSpec } from "./pod-types.ts";

/** Members that ephemeral containers may not have, in upstream's order. */
const notAllowed = [
  "ports",
  "resources",
  "resizePolicy",
  "restartPolicy",
  "livenessProbe",
  "readinessProbe",
  "startupProbe",
  "lifecycle",
] as const;

/**
 * Returns the errors in a pod's ephemeral containers.
 *
 * @see kubernetes pkg/apis/core/validation validateEphemeralContainers
 */
export function ephemeralContainerErrors(spec: PodSpec): FieldError[] {
  const at = fieldPath("spec", "ephemeralContainers");
  const own = new Set([...(spec.containers ?? []), ...(spec.initContainers ?? [])].map(({ name = "" }) => name));
  const names = new Set(own);
  const volumes = new Set((spec.volumes ?? []).map(({ name = "" }) => name));
  return (spec.ephemeralContainers ?? []).flatMap((container, i) => {
    const path = at.index(i);
    const { name = "", targetContainerName } = container;
    const errors = validateContainer(container, volumes, path);
    if (names.has(name)) errors.push(fieldError.duplicate(path.child("name"), name));
    names.add(name);
    if (targetContainerName && !own.has(targetContainerName))
      errors.push(fieldError.notFound(path.child("targetContainerName"), targetContainerName));
    return [...errors, ...forbiddenMembers(container, path), ...subPathErrors(container, path)];
  });
}

function forbiddenMembers(container: EphemeralContainer, at: FieldPath): FieldError[] {
  const members: Readonly<Record<string, unknown>> = { ...container };
  return notAllowed
    .filter((member) => !isEmpty(members[member]))
    .map((member) => fieldError.forbidden(at.child(member), "cannot be set for an Ephemeral Container"));
}

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === "" || (typeof value === "object" && Object.keys(value ?? {}).length === 0);

function subPathErrors({ volumeMounts = [] }: Container, at: FieldPath): FieldError[] {
  return volumeMounts.flatMap(({ subPath }, i) =>
    subPath
      ? [
          fieldError.forbidden(
            at.child("volumeMounts").index(i).child("subPath"),
            "cannot be set for an Ephemeral Container",
          ),
        ]
      : [],
  );
}
