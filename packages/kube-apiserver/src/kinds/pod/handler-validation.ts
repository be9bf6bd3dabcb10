import { type FieldError, type FieldPath, fieldError } from "@kubewright/apimachinery";
import { messages, nonNegative } from "../checks.ts";
import { isValidPortName, isValidPortNumber } from "../names.ts";
import type { Container, Handler, Probe } from "./pod-types.ts";

/** Returns the errors in the lifecycle handlers and probes of a long-running container. */
export function lifecycleErrors(container: Container, at: FieldPath): FieldError[] {
  const hooks = (["postStart", "preStop"] as const).flatMap((name) => {
    const hook = container.lifecycle?.[name];
    return hook ? handlerErrors(hook, at.child("lifecycle", name)) : [];
  });
  return [...hooks, ...probeErrors(container, at)];
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
  if (first === "httpGet" && handler.httpGet) errors.unshift(...httpErrors(handler.httpGet, at.child("httpGet")));
  if (first === "tcpSocket") errors.unshift(...portReference(handler.tcpSocket?.port, at.child("tcpSocket", "port")));
  if (first === "grpc")
    errors.unshift(
      ...messages(handler.grpc?.port, isValidPortNumber(handler.grpc?.port ?? 0), at.child("grpc", "port")),
    );
  return errors;
}

const schemes = ["HTTP", "HTTPS"];
const headerShape = /^[-A-Za-z0-9]+$/;
const notAHeader =
  "a valid HTTP header must consist of alphanumeric characters or '-' (e.g. 'X-Header-Name', regex used for validation is '[-A-Za-z0-9]+')";

function httpErrors(get: NonNullable<Handler["httpGet"]>, at: FieldPath): FieldError[] {
  const { path, port, scheme = "HTTP", httpHeaders = [] } = get;
  return [
    ...(path === "" ? [fieldError.required(at.child("path"))] : []),
    ...portReference(port, at.child("port")),
    ...(schemes.includes(scheme) ? [] : [fieldError.notSupported(at.child("scheme"), scheme, schemes)]),
    ...httpHeaders.flatMap(({ name = "" }) =>
      headerShape.test(name) ? [] : [fieldError.invalid(at.child("httpHeaders"), name, notAHeader)],
    ),
  ];
}

function portReference(port: number | string | undefined, at: FieldPath): FieldError[] {
  return typeof port === "string"
    ? messages(port, isValidPortName(port), at)
    : messages(port ?? 0, isValidPortNumber(port ?? 0), at);
}
