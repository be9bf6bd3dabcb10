import {
  type FieldError,
  type FieldPath,
  fieldError,
  isDns1123Label,
  ownMember,
  Quantity,
} from "@kubewright/apimachinery";
import { messages, oneOf } from "../checks.ts";
import {
  allowsOvercommit,
  amountErrors,
  containerResourceNameErrors,
  hugePageErrors,
  isHugePages,
} from "../core/resource-names.ts";
import { isValidPortName, isValidPortNumber } from "../names.ts";
import { envErrors, envFromErrors } from "./env-validation.ts";
import { lifecycleErrors } from "./handler-validation.ts";
import type { Container, ContainerPort, ResourceRequirements } from "./pod-types.ts";
import { containerSecurityErrors } from "./security-context-validation.ts";
import { descendingPathErrors } from "./source-paths.ts";

const protocols = ["SCTP", "TCP", "UDP"];
const pullPolicies = ["Always", "IfNotPresent", "Never"];
const terminationPolicies = ["File", "FallbackToLogsOnError"];

/** Returns the errors in a pod's containers. `volumes` contains the names of the volumes that they may mount. */
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

/** Returns the errors in a pod's init containers. `taken` contains the names of the other containers. */
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

/** Returns the errors in a container or init container. */
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

/** Returns the errors in a container's image name. @see pkg/apis/core/validation validateContainerImage */
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

/**
 * Returns the errors in resource requests and limits.
 *
 * @param nameErrors returns the errors in a resource's name. Default: the check for container resources
 *
 * @see pkg/apis/core/validation validateResourceRequirements
 */
export function resourceErrors(
  { limits = {}, requests = {} }: ResourceRequirements,
  at: FieldPath,
  nameErrors: (name: string, at: FieldPath) => FieldError[] = containerResourceNameErrors,
): FieldError[] {
  const [limitsAt, requestsAt] = [at.child("limits"), at.child("requests")];
  const errors = Object.entries(limits).flatMap(([name, amount]) => {
    const [quantity, path] = [Quantity.parse(amount), limitsAt.key(name)];
    return [...nameErrors(name, path), ...amountErrors(name, quantity, path), ...hugePageErrors(name, quantity, path)];
  });
  for (const [name, amount] of Object.entries(requests)) {
    const [quantity, path] = [Quantity.parse(amount), requestsAt.key(name)];
    errors.push(...nameErrors(name, path), ...amountErrors(name, quantity, path));
    const limit = ownMember(limits, name);
    if (limit !== undefined) errors.push(...excessErrors(name, quantity, Quantity.parse(limit), requestsAt));
    else if (!allowsOvercommit(name))
      errors.push(fieldError.required(limitsAt, "Limit must be set for non overcommitable resources"));
    errors.push(...hugePageErrors(name, quantity, path));
  }
  const names = [...Object.keys(limits), ...Object.keys(requests)];
  if (names.some(isHugePages) && !names.some((name) => name === "cpu" || name === "memory"))
    errors.push(fieldError.forbidden(at, "HugePages require cpu or memory"));
  return errors;
}

function excessErrors(name: string, wanted: Quantity, limit: Quantity, at: FieldPath): FieldError[] {
  const order = wanted.compare(limit);
  const invalid = (rule: string): FieldError[] => [
    fieldError.invalid(at, wanted.toString(), `must be ${rule} ${name} limit of ${limit}`),
  ];
  if (order !== 0 && !allowsOvercommit(name)) return invalid("equal to");
  return order > 0 ? invalid("less than or equal to") : [];
}
