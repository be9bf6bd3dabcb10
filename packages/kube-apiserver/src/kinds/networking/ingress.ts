import { isIP } from "node:net";
import {
  type FieldError,
  type FieldPath,
  fieldError,
  fieldPath,
  isDns1123Label,
  isDns1123Subdomain,
  isPathSegmentName,
  type KubeObject,
} from "@kubewright/apimachinery";
import { ageColumn, nameColumn } from "@kubewright/apiserver/registry";
import { messages } from "../checks.ts";
import { column } from "../columns.ts";
import { defineStrategy } from "../define-strategy.ts";
import { isValidPortName, isValidPortNumber, isWildcardDns1123Subdomain } from "../names.ts";

interface Backend {
  service?: { name?: string; port?: { name?: string; number?: number } };
  resource?: { apiGroup?: string; kind?: string; name?: string };
}

interface IngressPath {
  path?: string;
  pathType?: string;
  backend?: Backend;
}

interface IngressRule {
  host?: string;
  http?: { paths?: IngressPath[] };
}

interface Ingress extends KubeObject {
  spec?: {
    ingressClassName?: string;
    defaultBackend?: Backend;
    tls?: { hosts?: string[]; secretName?: string }[];
    rules?: IngressRule[];
  };
  status?: { loadBalancer?: { ingress?: { ip?: string; hostname?: string }[] } };
}

const at = fieldPath("spec");
const pathTypes = ["Exact", "ImplementationSpecific", "Prefix"];
const forbiddenSequences = ["//", "/./", "/../", "%2f", "%2F"];
const forbiddenEndings = ["/..", "/."];

function hostErrors(host: string, path: FieldPath): FieldError[] {
  return messages(host, host.includes("*") ? isWildcardDns1123Subdomain(host) : isDns1123Subdomain(host), path);
}

function resourceErrors(resource: NonNullable<Backend["resource"]>, path: FieldPath): FieldError[] {
  const { apiGroup } = resource;
  return [
    ...(apiGroup === undefined ? [] : messages(apiGroup, isDns1123Subdomain(apiGroup), path.child("apiGroup"))),
    ...(["kind", "name"] as const).flatMap((field) => {
      const value = resource[field] ?? "";
      return value === ""
        ? [fieldError.required(path.child(field))]
        : messages(value, isPathSegmentName(value), path.child(field));
    }),
  ];
}

function backendErrors(backend: Backend | undefined, path: FieldPath): FieldError[] {
  const { service, resource } = backend ?? {};
  if (service && resource) return [fieldError.invalid(path, "", "cannot set both resource and service backends")];
  if (resource) return resourceErrors(resource, path.child("resource"));
  if (!service) return [fieldError.invalid(path, "", "resource or service backend is required")];
  const { name = "", port = {} } = service;
  const errors =
    name === ""
      ? [fieldError.required(path.child("service", "name"))]
      : messages(name, isDns1123Label(name), path.child("service", "name"));
  if (port.name && port.number) errors.push(fieldError.invalid(path, "", "cannot set both port name & port number"));
  else if (port.name)
    errors.push(...messages(port.name, isValidPortName(port.name), path.child("service", "port", "name")));
  else if (port.number)
    errors.push(...messages(port.number, isValidPortNumber(port.number), path.child("service", "port", "number")));
  else errors.push(fieldError.required(path, "port name or number is required"));
  return errors;
}

function pathErrors({ path = "", pathType, backend }: IngressPath, where: FieldPath): FieldError[] {
  if (pathType === undefined) return [fieldError.required(where.child("pathType"), "pathType must be specified")];
  const at = where.child("path");
  const errors: FieldError[] = [];
  if (pathType === "Exact" || pathType === "Prefix") {
    if (!path.startsWith("/")) errors.push(fieldError.invalid(at, path, "must be an absolute path"));
    errors.push(
      ...forbiddenSequences
        .filter((part) => path.includes(part))
        .map((part) => fieldError.invalid(at, path, `must not contain '${part}'`)),
      ...forbiddenEndings
        .filter((end) => path.endsWith(end))
        .map((end) => fieldError.invalid(at, path, `cannot end with '${end}'`)),
    );
  } else if (pathType === "ImplementationSpecific") {
    if (path !== "" && !path.startsWith("/")) errors.push(fieldError.invalid(at, path, "must be an absolute path"));
  } else {
    errors.push(fieldError.notSupported(where.child("pathType"), pathType, pathTypes));
  }
  return [...errors, ...backendErrors(backend, where.child("backend"))];
}

function ruleErrors({ host, http }: IngressRule, where: FieldPath): FieldError[] {
  const errors = host
    ? isIP(host)
      ? [fieldError.invalid(where.child("host"), host, "must be a DNS name, not an IP address")]
      : hostErrors(host, where.child("host"))
    : [];
  if (!http) return errors;
  const paths = where.child("http", "paths");
  if (!http.paths?.length) return [...errors, fieldError.required(paths)];
  return [...errors, ...http.paths.flatMap((path, i) => pathErrors(path, paths.index(i)))];
}

function validate({ spec = {} }: Ingress): FieldError[] {
  const { rules = [], defaultBackend, tls = [], ingressClassName } = spec;
  return [
    ...(rules.length === 0 && !defaultBackend
      ? [fieldError.invalid(at, spec.rules ?? null, "either `defaultBackend` or `rules` must be specified")]
      : []),
    ...rules.flatMap((rule, i) => ruleErrors(rule, at.child("rules").index(i))),
    ...(defaultBackend ? backendErrors(defaultBackend, at.child("defaultBackend")) : []),
    ...tls.flatMap(({ hosts = [], secretName }, i) => [
      ...hosts.flatMap((host, j) => hostErrors(host, at.child("tls").index(i).child("hosts").index(j))),
      ...(secretName
        ? messages(secretName, isDns1123Subdomain(secretName), at.child("tls").index(i).child("secretName"))
        : []),
    ]),
    ...(ingressClassName
      ? messages(ingressClassName, isDns1123Subdomain(ingressClassName), at.child("ingressClassName"))
      : []),
  ];
}

function hostsCell({ spec }: Ingress): string {
  const rules = spec?.rules ?? [];
  const hosts: string[] = [];
  let more = false;
  for (const { host } of rules) {
    if (hosts.length === 3) more = true;
    if (!more && host) hosts.push(host);
  }
  if (hosts.length === 0) return "*";
  return more ? `${hosts.join(",")} + ${rules.length - 3} more...` : hosts.join(",");
}

/** Strategy for Ingresses. @see pkg/registry/networking/ingress strategy.go */
export const ingressStrategy = defineStrategy<Ingress>({
  countsGeneration: true,
  prepareForCreate(ingress) {
    ingress.status = { loadBalancer: {} };
  },
  validate,
  columns: [
    nameColumn,
    column("Class", ({ spec }) => spec?.ingressClassName ?? "<none>"),
    column("Hosts", hostsCell),
    column("Address", ({ status }) =>
      (status?.loadBalancer?.ingress ?? [])
        .map(({ ip, hostname }) => ip || hostname || "")
        .filter(Boolean)
        .join(","),
    ),
    column("Ports", ({ spec }) => (spec?.tls?.length ? "80, 443" : "80")),
    ageColumn,
  ],
});
