import { groupKindKey, type Kind } from "@kubewright/apimachinery";
import { type Attributes, RecentSpans, type Span, type SpanContext, Tracer } from "@kubewright/tracing";
import type { ResourceAddress } from "./resource-path.ts";

/** The part of a call that a span describes. */
interface ToldCall extends ResourceAddress {
  readonly verb: string;
  readonly kind: Kind;
  readonly method?: string | undefined;
}

const tracer = new Tracer("@kubewright/client");

/** Kinds for whose names OpenTelemetry has a convention. */
const conventional = new Set([
  "CronJob",
  "DaemonSet",
  "Deployment",
  "HorizontalPodAutoscaler",
  "Job",
  "Namespace",
  "Node",
  "Pod",
  "ReplicaSet",
  "ReplicationController",
  "ResourceQuota",
  "StatefulSet",
]);
const shortened: Readonly<Record<string, string>> = { HorizontalPodAutoscaler: "hpa" };

/** Reports whether calls are traced. */
export const isTraced = (): boolean => tracer.isOn;

/** Traces a call as a span, `client get Deployment`. The span ends when the response has arrived; for a stream, when it begins. */
export async function tracedCall<T>(call: ToldCall, work: (span: Span) => Promise<T>): Promise<T> {
  const { verb, kind, namespace, name, subResource, method = "GET" } = call;
  const attributes: Attributes = {
    "http.request.method": method,
    "k8s.namespace.name": namespace || undefined,
    ...nameAttribute(kind, name),
    "kubewright.client.verb": verb,
    "kubewright.object.group": kind.group,
    "kubewright.object.kind": kind.kind,
    "kubewright.object.name": name,
    "kubewright.object.subresource": subResource,
  };
  const what = `client ${verb} ${kind.kind}${subResource ? `/${subResource}` : ""}`;
  return tracer.within(what, { kind: "client", attributes }, work);
}

/**
 * Returns the attributes of a request's target. The query is left out: selectors and continue tokens are long, and may be confidential.
 */
export function requestAttributes(server: string, path: string): Attributes {
  const { protocol, hostname, port, origin, pathname } = new URL(server);
  return {
    "server.address": hostname,
    "server.port": Number(port) || (protocol === "https:" ? 443 : 80),
    "url.full": `${origin}${pathname.replace(/\/+$/, "")}${path}`,
  };
}

function nameAttribute({ kind }: Kind, name: string | undefined): Attributes {
  return name !== undefined && conventional.has(kind)
    ? { [`k8s.${shortened[kind] ?? kind.toLowerCase()}.name`]: name }
    : {};
}

/** Writes that the program's own watches will report, until newer ones replace them. */
const writes = new RecentSpans(4_096);

/** Records the span that wrote an object. */
export function noteWritten({ method = "GET", kind }: ToldCall, answer: unknown, span: Span): void {
  const { context } = span;
  if (method === "GET" || !context || typeof answer !== "object" || answer === null || !("metadata" in answer)) return;
  const metadata: { readonly namespace?: unknown; readonly name?: unknown; readonly resourceVersion?: unknown } | null =
    typeof answer.metadata === "object" ? answer.metadata : null;
  const { namespace, name, resourceVersion } = metadata ?? {};
  if (typeof name !== "string" || typeof resourceVersion !== "string") return;
  const key = typeof namespace === "string" && namespace !== "" ? `${namespace}/${name}` : name;
  writes.note(written(groupKindKey(kind), key, resourceVersion), context);
}

/**
 * Returns the span of the call with which this process wrote an object in a version, for links: watches often report a program's own
 * writes. Returns `undefined` for writes of others, for old writes, and if tracing is off.
 *
 * @param groupKind as returned by `groupKindKey`: `Deployment.apps`
 */
export function spanOfWrite(groupKind: string, key: string, resourceVersion: string): SpanContext | undefined {
  return writes.get(written(groupKind, key, resourceVersion));
}

const written = (groupKind: string, key: string, version: string): string => `${groupKind}\0${key}\0${version}`;
