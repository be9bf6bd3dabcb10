import {
  type FieldError,
  type FieldPath,
  fieldError,
  isDns1123Label,
  isRelaxedEnvVarName,
  isValidPortName,
  isValidPortNumber,
  Quantity,
  validateQualifiedName,
} from "@kubewright/apimachinery";
import { messages, nonNegative, oneOf } from "../checks.ts";
import type { Container, ContainerPort, EnvVar, Handler, Probe, ResourceRequirements } from "./pod-types.ts";

const protocols = ["SCTP", "TCP", "UDP"];
const pullPolicies = ["Always", "IfNotPresent", "Never"];
const terminationPolicies = ["File", "FallbackToLogsOnError"];

/** What is wrong with a pod's containers. `volumes` are the names that mounts may use. */
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
    return [...validateContainer(container, volumes, path), ...duplicate, ...probeErrors(container, path)];
  });
  return [...errors, ...hostPortConflicts(containers, at)];
}

/** What is wrong with init containers; `taken` are names of other containers. */
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

/** What is wrong with one container of any sort. */
export function validateContainer(container: Container, volumes: ReadonlySet<string>, at: FieldPath): FieldError[] {
  const { name, image } = container;
  return [
    ...(name ? messages(name, isDns1123Label(name), at.child("name")) : [fieldError.required(at.child("name"))]),
    ...imageErrors(image, at.child("image")),
    ...oneOf(container.terminationMessagePolicy, terminationPolicies, at.child("terminationMessagePolicy")),
    ...portErrors(container.ports ?? [], at.child("ports")),
    ...envErrors(container.env ?? [], at.child("env")),
    ...mountErrors(container.volumeMounts ?? [], volumes, at.child("volumeMounts")),
    ...oneOf(container.imagePullPolicy, pullPolicies, at.child("imagePullPolicy")),
    ...resourceErrors(container.resources ?? {}, at.child("resources")),
  ];
}

function imageErrors(image: string | undefined, at: FieldPath): FieldError[] {
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

function envErrors(env: readonly EnvVar[], at: FieldPath): FieldError[] {
  return env.flatMap(({ name, value, valueFrom }, i) => {
    const path = at.index(i);
    const errors = name
      ? messages(name, isRelaxedEnvVarName(name), path.child("name"))
      : [fieldError.required(path.child("name"))];
    if (!valueFrom) return errors;
    const sources = Object.keys(valueFrom).length;
    const from = path.child("valueFrom");
    if (sources === 0)
      errors.push(
        fieldError.invalid(
          from,
          "",
          "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`",
        ),
      );
    else if (value) errors.push(fieldError.invalid(from, "", "may not be specified when `value` is not empty"));
    else if (sources > 1)
      errors.push(fieldError.invalid(from, "", "may not have more than one field specified at a time"));
    else errors.push(...fieldPathErrors(valueFrom.fieldRef?.fieldPath, from.child("fieldRef", "fieldPath")));
    return errors;
  });
}

const podFields =
  /^(?:metadata\.(?:name|namespace|uid)|spec\.(?:nodeName|restartPolicy|schedulerName|serviceAccountName|hostNetwork)|status\.(?:phase|hostIP|hostIPs|podIP|podIPs|nominatedNodeName)|metadata\.(?:annotations|labels)(?:\['.*'\])?)$/;

function fieldPathErrors(path: string | undefined, at: FieldPath): FieldError[] {
  if (path === undefined || podFields.test(path)) return [];
  return [fieldError.invalid(at, path, `error converting fieldPath: field label not supported: ${path}`)];
}

function mountErrors(
  mounts: NonNullable<Container["volumeMounts"]>,
  volumes: ReadonlySet<string>,
  at: FieldPath,
): FieldError[] {
  const paths = new Set<string>();
  return mounts.flatMap(({ name = "", mountPath = "" }, i) => {
    const path = at.index(i);
    const errors: FieldError[] = [];
    if (name === "") errors.push(fieldError.required(path.child("name")));
    if (!volumes.has(name)) errors.push(fieldError.notFound(path.child("name"), name));
    if (mountPath === "") errors.push(fieldError.required(path.child("mountPath")));
    if (paths.has(mountPath)) errors.push(fieldError.invalid(path.child("mountPath"), mountPath, "must be unique"));
    paths.add(mountPath);
    return errors;
  });
}

const standardResources = new Set(["cpu", "memory", "ephemeral-storage"]);

function resourceErrors({ limits = {}, requests = {} }: ResourceRequirements, at: FieldPath): FieldError[] {
  const each = (amounts: Readonly<Record<string, string | number>>, path: FieldPath): FieldError[] =>
    Object.entries(amounts).flatMap(([name, amount]) => [
      ...resourceNameErrors(name, path.key(name)),
      ...(Quantity.parse(amount).nanos < 0n
        ? [fieldError.invalid(path.key(name), Quantity.parse(amount).toString(), "must be greater than or equal to 0")]
        : []),
    ]);
  const excess = Object.entries(requests).flatMap(([name, amount]) => {
    const limit = limits[name];
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

function probeErrors(container: Container, at: FieldPath): FieldError[] {
  return (["livenessProbe", "readinessProbe", "startupProbe"] as const).flatMap((name) => {
    const probe = container[name];
    if (!probe) return [];
    const path = at.child(name);
    const once =
      name !== "readinessProbe" && probe.successThreshold !== 1
        ? [fieldError.invalid(path.child("successThreshold"), probe.successThreshold, "must be 1")]
        : [];
    return [...validateProbe(probe, path), ...once];
  });
}

function validateProbe(probe: Probe, at: FieldPath): FieldError[] {
  const numbers = [
    "initialDelaySeconds",
    "timeoutSeconds",
    "periodSeconds",
    "successThreshold",
    "failureThreshold",
  ] as const;
  return [...handlerErrors(probe, at), ...numbers.flatMap((name) => nonNegative(probe[name], at.child(name)))];
}

function handlerErrors(handler: Handler, at: FieldPath): FieldError[] {
  const kinds = (["exec", "httpGet", "tcpSocket", "grpc", "sleep"] as const).filter((kind) => handler[kind]);
  if (kinds.length === 0) return [fieldError.required(at, "must specify a handler type")];
  const [first, ...more] = kinds;
  const errors = more.map((kind) => fieldError.forbidden(at.child(kind), "may not specify more than 1 handler type"));
  if (first === "exec" && !handler.exec?.command?.length)
    errors.unshift(fieldError.required(at.child("exec", "command")));
  if (first === "httpGet") errors.unshift(...portReference(handler.httpGet?.port, at.child("httpGet", "port")));
  if (first === "tcpSocket") errors.unshift(...portReference(handler.tcpSocket?.port, at.child("tcpSocket", "port")));
  if (first === "grpc")
    errors.unshift(
      ...messages(handler.grpc?.port, isValidPortNumber(handler.grpc?.port ?? 0), at.child("grpc", "port")),
    );
  return errors;
}

function portReference(port: number | string | undefined, at: FieldPath): FieldError[] {
  return typeof port === "string"
    ? messages(port, isValidPortName(port), at)
    : messages(port ?? 0, isValidPortNumber(port ?? 0), at);
}
