import {
  type FieldError,
  type FieldPath,
  fieldError,
  isDns1123Label,
  ownMember,
  Quantity,
  validateQualifiedName,
} from "@kubewright/apimachinery";
import { messages, oneOf } from "../checks.ts";
import { isValidPortName, isValidPortNumber } from "../names.ts";
import { envErrors, envFromErrors } from "./env-validation.ts";
import { lifecycleErrors } from "./handler-validation.ts";
import type { Container, ContainerPort, ResourceRequirements } from "./pod-types.ts";
import { containerSecurityErrors } from "./security-context-validation.ts";
import { descendingPathErrors } from "./source-paths.ts";

const protocols = ["SCTP", "TCP", "UDP"];
const pullPolicies = ["Always", "IfNotPresent", "Never"];
const terminationPolicies = ["File", "FallbackToLogsOnError"];

/** Returns the errors in the containers of a pod. `volumes` contains the names of the volumes that they may mount. */
export function validateContainers(
  containers: readonly Container[] | undefined,
  volumes: ReadonlySet<string>,
  at: FieldPath,
): FieldError[] {
  if (!containers || containers.length === 0) return [fieldError.required(at)];
  const names = new Set<string>();
  const errors = containers.flatMap((container, i) => {
    const path = at.index(i);
    const name = container.name ?? "";
    const duplicate = names.has(name) ? [fieldError.duplicate(path.child("name"), name)] : [];
    names.add(name);
    return [...validateContainer(container, volumes, path), ...duplicate, ...lifecycleErrors(container, path)];
  });
  return [...errors, ...hostPortConflicts(containers, at)];
}

/** Returns the errors in the init containers of a pod. `taken` contains the names of the other containers. */
export function validateInitContainers(
  containers: readonly Container[] | undefined,
  taken: readonly Container[] | undefined,
  volumes: ReadonlySet<string>,
  at: FieldPath,
): FieldError[] {
  const names = new Set((taken ?? []).map((container) => container.name ?? ""));
  return (containers ?? []).flatMap((container, i) => {
    const path = at.index(i);
    const name = container.name ?? "";
    const duplicate = name !== "" && names.has(name) ? [fieldError.duplicate(path.child("name"), name)] : [];
    names.add(name);
    return [...validateContainer(container, volumes, path), ...duplicate];
  });
}

/** Returns the errors in one container, which may also be an init container. */
export function validateContainer(container: Container, volumes: ReadonlySet<string>, at: FieldPath): FieldError[] {
  const { name, image } = container;
  return [
    ...(name ? messages(name, isDns1123Label(name), at.child("name")) : [fieldError.required(at.child("name"))]),
    ...imageErrors(image, at.child("image")),
    ...oneOf(container.terminationMessagePolicy, terminationPolicies, at.child("terminationMessagePolicy")),
    ...portErrors(container.ports ?? [], at.child("ports")),
    ...envErrors(container.env ?? [], at.child("env")),
    ...envFromErrors(container.envFrom ?? [], at.child("envFrom")),
    ...mountErrors(container, volumes, at.child("volumeMounts")),
    ...oneOf(container.imagePullPolicy, pullPolicies, at.child("imagePullPolicy")),
    ...resourceErrors(container.resources ?? {}, at.child("resources")),
    ...(container.securityContext
      ? containerSecurityErrors(container.securityContext, at.child("securityContext"))
      : []),
  ];
}

/** Returns the errors in the name of a container's image. @see pkg/apis/core/validation validateContainerImage */
export function imageErrors(image: string | undefined, at: FieldPath): FieldError[] {
  if (!image) return [fieldError.required(at)];
  return image.trim() === image ? [] : [fieldError.invalid(at, image, "must not have leading or trailing whitespace")];
}

function portErrors(ports: readonly ContainerPort[], at: FieldPath): FieldError[] {
  const names = new Set<string>();
  return ports.flatMap((port, i) => {
    const path = at.index(i);
    const errors: FieldError[] = [];
    if (port.name) {
      const texts = isValidPortName(port.name);
      errors.push(...messages(port.name, texts, path.child("name")));
      if (texts.length === 0 && names.has(port.name)) errors.push(fieldError.duplicate(path.child("name"), port.name));
      names.add(port.name);
    }
    if (!port.containerPort) errors.push(fieldError.required(path.child("containerPort")));
    else
      errors.push(...messages(port.containerPort, isValidPortNumber(port.containerPort), path.child("containerPort")));
    if (port.hostPort)
      errors.push(...messages(port.hostPort, isValidPortNumber(port.hostPort), path.child("hostPort")));
    return [...errors, ...oneOf(port.protocol, protocols, path.child("protocol"))];
  });
}

function hostPortConflicts(containers: readonly Container[], at: FieldPath): FieldError[] {
  const taken = new Set<string>();
  return containers.flatMap((container, i) =>
    (container.ports ?? []).flatMap((port, j) => {
      if (!port.hostPort) return [];
      const key = `${port.protocol ?? ""}/${port.hostIP ?? ""}/${port.hostPort}`;
      if (taken.has(key)) return [fieldError.duplicate(at.index(i).child("ports").index(j).child("hostPort"), key)];
      taken.add(key);
      return [];
    }),
  );
}

const propagations = ["Bidirectional", "HostToContainer", "None"];

function mountErrors(container: Container, volumes: ReadonlySet<string>, at: FieldPath): FieldError[] {
  const paths = new Set<string>();
  return (container.volumeMounts ?? []).flatMap((mount, i) => {
    const { name = "", mountPath = "", subPath = "", subPathExpr = "", mountPropagation } = mount;
    const path = at.index(i);
    const errors: FieldError[] = [];
    if (name === "") errors.push(fieldError.required(path.child("name")));
    if (!volumes.has(name)) errors.push(fieldError.notFound(path.child("name"), name));
    if (mountPath === "") errors.push(fieldError.required(path.child("mountPath")));
    if (paths.has(mountPath)) errors.push(fieldError.invalid(path.child("mountPath"), mountPath, "must be unique"));
    paths.add(mountPath);
    // upstream reports the list for these errors
    errors.push(...descendingPathErrors(subPath, at.child("subPath")));
    if (subPathExpr !== "" && subPath !== "")
      errors.push(
        fieldError.invalid(path.child("subPathExpr"), subPathExpr, "subPathExpr and subPath are mutually exclusive"),
      );
    errors.push(...descendingPathErrors(subPathExpr, at.child("subPathExpr")));
    if (mountPropagation !== undefined && !propagations.includes(mountPropagation))
      errors.push(fieldError.notSupported(at.child("mountPropagation"), mountPropagation, propagations));
    if (mountPropagation === "Bidirectional" && !container.securityContext?.privileged)
      errors.push(
        fieldError.forbidden(
          at.child("mountPropagation"),
          "Bidirectional mount propagation is available only to privileged containers",
        ),
      );
    return errors;
  });
}

const standardResources = new Set(["cpu", "memory", "ephemeral-storage"]);

/**
 * Returns the errors in the resource requests and limits of a container.
 *
 * @see pkg/apis/core/validation ValidateContainerResourceRequirements
 */
export function resourceErrors({ limits = {}, requests = {} }: ResourceRequirements, at: FieldPath): FieldError[] {
  const each = (amounts: Readonly<Record<string, string | number>>, path: FieldPath): FieldError[] =>
    Object.entries(amounts).flatMap(([name, amount]) => [
      ...resourceNameErrors(name, path.key(name)),
      ...(Quantity.parse(amount).nanos < 0n
        ? [fieldError.invalid(path.key(name), Quantity.parse(amount).toString(), "must be greater than or equal to 0")]
        : []),
    ]);
  const excess = Object.entries(requests).flatMap(([name, amount]) => {
    const limit = ownMember(limits, name);
    if (limit === undefined) return [];
    const [wanted, most] = [Quantity.parse(amount), Quantity.parse(limit)];
    return wanted.compare(most) > 0
      ? [
          fieldError.invalid(
            at.child("requests"),
            wanted.toString(),
            `must be less than or equal to ${name} limit of ${most}`,
          ),
        ]
      : [];
  });
  return [...each(limits, at.child("limits")), ...each(requests, at.child("requests")), ...excess];
}

function resourceNameErrors(name: string, at: FieldPath): FieldError[] {
  const texts = validateQualifiedName(name);
  if (texts.length > 0) return messages(name, texts, at);
  if (name.includes("/") || standardResources.has(name) || name.startsWith("hugepages-")) return [];
  return [
    fieldError.invalid(at, name, "must be a standard resource type or fully qualified"),
    fieldError.invalid(at, name, "must be a standard resource for containers"),
  ];
}
