import {
  apiVersionOf,
  checkNamespace,
  checkObjectKey,
  type FieldSelector,
  groupKindKey,
  isMetadataOnly,
  isPathSegmentName,
  isStatusError,
  type Kind,
  mappingOf,
  missingNamespace,
  NoMatchError,
  type ParsedLabelSelector,
  type RESTMapper,
  type RESTMapping,
  StatusError,
} from "@kubewright/apimachinery";
import { type Attributes, noSpan, RecentSpans, type Span, type SpanContext, Tracer } from "@kubewright/tracing";
import type { Connection, ConnectionRequest, ConnectionResponse } from "../connection/connection.ts";
import type { StreamedResponse } from "../connection/exchange.ts";
import { checkItems, objectIn, statusErrorFrom } from "../connection/response.ts";
import type { FieldSelectorInput, LabelSelectorInput, ListOptions } from "../contract/reader.ts";

/** Address of a collection, or of one of its objects. */
interface ResourceAddress {
  readonly namespace?: string | undefined;
  /** Name of the object; absent for a collection. If the property is present with the value `undefined`, the call fails. */
  readonly name?: string;
  /** Name of a subresource, possibly with several parts, such as `proxy/metrics`. */
  readonly subResource?: string | undefined;
}

/** A call that reads or writes objects of one kind. */
export interface ObjectCall extends ResourceAddress {
  /** Verb for messages, such as `get` or `update status of`. */
  readonly verb: string;
  readonly kind: Kind;
  readonly method?: ConnectionRequest["method"] | undefined;
  readonly query?: ConnectionRequest["query"];
  readonly body?: string | undefined;
  readonly contentType?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Sends a write only if its conditions are met; see `Fence`. */
export type WriteGate = <T>(write: (fenced: FencedCall) => Promise<T>) => Promise<T>;

/** The conditions under which a write is sent. */
export interface FencedCall {
  /** Aborts when the caller or the fence cancels the write. */
  readonly signal: AbortSignal;
  /** Must be called right before each attempt. Throws if the attempt is not allowed. */
  readonly beforeSending: () => void;
}

export interface ObjectCallsOptions {
  readonly connection: Connection;
  readonly mapper: RESTMapper;
  readonly onWarning: WarningHandler;
  /** The only namespace that calls may use. */
  readonly namespace: string | undefined;
  /** Signal that stops retries. */
  readonly retryUntil: AbortSignal | undefined;
  readonly onRetry: ConnectionRequest["onRetry"];
}

/** Converts calls to requests, and responses to objects and errors. Shared by all parts of a client. */
export class ObjectCalls {
  readonly #options: ObjectCallsOptions;

  constructor(options: ObjectCallsOptions) {
    this.#options = options;
  }

  /** Makes a call and returns the object in the response. @param gate gate for a write */
  object<T>(call: ObjectCall, gate?: WriteGate): Promise<T> {
    return tracer.isOn
      ? tracedCall(call, (span) => this.#object<T>(call, span, gate))
      : this.#object(call, noSpan, gate);
  }

  /** Makes a call and returns the successful response. @param gate gate for a write */
  send(call: ObjectCall, gate?: WriteGate): Promise<ConnectionResponse> {
    return tracer.isOn ? tracedCall(call, (span) => this.#send(call, span, gate)) : this.#send(call, noSpan, gate);
  }

  /** Makes a call and returns the successful response as a stream. */
  stream(call: ObjectCall): Promise<StreamedResponse> {
    return tracer.isOn ? tracedCall(call, (span) => this.#stream(call, span)) : this.#stream(call, noSpan);
  }

  async #object<T>(call: ObjectCall, span: Span, gate: WriteGate | undefined): Promise<T> {
    const response = await this.#send(call, span, gate);
    const answer = objectIn(response.body, described(call)) as T;
    if (call.verb === "list") checkItems((answer as { items?: unknown }).items, described(call));
    if (span !== noSpan) noteWritten(call, answer, span);
    return isPartial(call) ? asPartOf(call.kind, answer) : answer;
  }

  async #send(call: ObjectCall, span: Span, gate: WriteGate | undefined): Promise<ConnectionResponse> {
    return gate ? gate((fenced) => this.#sendNow(call, span, fenced)) : this.#sendNow(call, span);
  }

  async #sendNow(call: ObjectCall, span: Span, fenced?: FencedCall): Promise<ConnectionResponse> {
    const request = await this.#request(call, span, fenced);
    const response = await this.#options.connection.request(request);
    if (span !== noSpan) span.set({ "http.response.status_code": response.status });
    for (const warning of warningsOf(response.headers)) this.#options.onWarning(warning);
    if (response.status >= 400) throw refusal(call, statusErrorFrom(response, request));
    return response;
  }

  async #stream(call: ObjectCall, span: Span): Promise<StreamedResponse> {
    const request = await this.#request(call, span);
    try {
      const response = await this.#options.connection.stream(request);
      if (span !== noSpan) span.set({ "http.response.status_code": response.status });
      return response;
    } catch (error) {
      if (!isStatusError(error)) throw error;
      span.set({ "http.response.status_code": error.code });
      throw refusal(call, error);
    }
  }

  /** Returns a kind's resource. Uses discovery unless the kind declares its plural and scope. */
  async mapping(kind: Kind): Promise<Pick<RESTMapping, "gvk" | "gvr" | "scope">> {
    return kind.plural !== undefined && kind.scope !== undefined
      ? mappingOf(kind)
      : this.#options.mapper.mappingFor(kind);
  }

  async #request(call: ObjectCall, span: Span, fenced?: FencedCall): Promise<ConnectionRequest> {
    checkAddress(attempt(call), { ...call, namespace: call.namespace || this.#options.namespace });
    const mapping = await this.mapping(call.kind);
    checkResource(attempt(call), mapping);
    const namespace = mapping.scope === "Namespaced" ? this.#namespaceOf(call) : undefined;
    const path = resourcePath(mapping, { ...call, namespace });
    if (span !== noSpan) {
      span.set(requestAttributes(this.#options.connection.settings.server, path));
      if (namespace) span.set({ "k8s.namespace.name": namespace });
    }
    return {
      method: call.method ?? "GET",
      path,
      query: call.query,
      body: call.body,
      headers: headersOf(call),
      signal: fenced?.signal ?? call.signal,
      retryUntil: this.#options.retryUntil,
      onRetry: this.#options.onRetry,
      what: described(call),
      beforeSending: fenced?.beforeSending,
    };
  }

  #namespaceOf(call: ObjectCall): string | undefined {
    const { namespace: own } = this.#options;
    const namespace = call.namespace || own;
    if (own && namespace !== own)
      throw new Error(
        `${described(call)}: the namespace "${namespace}" does not match the namespace "${own}" of this client`,
      );
    const needsNamespace = isOneObject(call) || call.method === "POST" || call.method === "DELETE";
    if (!namespace && needsNamespace) throw missingNamespace(described(call));
    return namespace;
  }
}

function headersOf(call: ObjectCall): Record<string, string> | undefined {
  const { verb, body, contentType = "application/json" } = call;
  const wanted = isPartial(call) ? { accept: partialObjects(verb === "list" ? "List" : "") } : undefined;
  return body === undefined ? wanted : { ...wanted, "content-type": contentType };
}

/** Reports whether a call requests only the metadata of objects. */
const isPartial = ({ kind, subResource }: ObjectCall): boolean => !subResource && isMetadataOnly(kind);

const partialObjects = (suffix: string): string =>
  `application/json;as=PartialObjectMetadata${suffix};g=meta.k8s.io;v=v1`;

/** Replaces the kind PartialObjectMetadata of partial objects with the kind of the whole object. */
function asPartOf<T>(kind: Kind, answer: T): T {
  const type = { apiVersion: apiVersionOf(kind), kind: kind.kind };
  const { items } = answer as { items?: readonly object[] | null };
  return Array.isArray(items)
    ? { ...answer, items: items.map((item) => ({ ...item, ...type })) }
    : { ...answer, ...type };
}

/** Describes a call without naming its object. */
const attempt = ({ verb, kind, subResource }: ObjectCall): string =>
  `${verb} ${kind.kind}${subResource ? `/${subResource}` : ""}`;

/** Describes a call and names its object. */
export function described(call: ObjectCall): string {
  const { namespace, name } = call;
  const what = attempt(call);
  return name === undefined ? what : `${what} ${namespace ? `${namespace}/` : ""}${name}`;
}

/**
 * Message of a server that does not serve the resource, in a Status or as plain text. If the resource is served and only the object does
 * not exist, the message contains the object's name instead.
 */
const unserved = "the server could not find the requested resource";

const unknownUser =
  "the server rejected the credentials: the token, certificate or login is wrong or has expired (in a kubeconfig: users[].user)";

function refusal(call: ObjectCall, error: StatusError): Error {
  const { kind, subResource } = call;
  if (error.code === 401)
    return new StatusError({ ...error.status, message: `${described(call)}: ${error.message}: ${unknownUser}` });
  const isUnserved =
    !subResource && error.code === 404 && !error.status.details?.kind && error.message.includes(unserved);
  return isUnserved ? NoMatchError.ofKind(kind, { cause: error }) : error;
}

/** Reports whether an address refers to a single object. */
const isOneObject = (address: ResourceAddress): boolean => "name" in address;

/**
 * Validates the path elements that callers provide.
 *
 * @param what the attempted call, for example `delete ConfigMap`
 * @throws {Error} if a name could redirect the request to a different path
 */
function checkAddress(what: string, address: ResourceAddress): void {
  if (isOneObject(address)) checkObjectKey(what, address);
  else checkNamespace(what, address.namespace);
  const { subResource } = address;
  if (subResource !== undefined && !subResource.split("/").every(isSegment))
    throw new Error(
      `${what}: subresource: ${JSON.stringify(subResource)} is not a valid name; use a name such as "scale"`,
    );
}

/** Validates a kind's resource. @throws {Error} if group, version or plural could redirect the request to a different path */
function checkResource(what: string, { gvr }: Pick<RESTMapping, "gvr">): void {
  const { group, version, resource } = gvr;
  for (const [field, value] of Object.entries({ group: group || "core", version, plural: resource }))
    if (!isSegment(value))
      throw new Error(`${what}: ${field} of the kind: ${JSON.stringify(value)} is not a valid name; correct the kind`);
}

const isSegment = (text: string): boolean => text !== "" && isPathSegmentName(text).length === 0;

/** Returns the path of a collection, an object or a subresource. The address must already be validated. */
function resourcePath({ gvr }: Pick<RESTMapping, "gvr">, address: ResourceAddress): string {
  const base = gvr.group === "" ? `/api/${gvr.version}` : `/apis/${gvr.group}/${gvr.version}`;
  const inNamespace = address.namespace ? `/namespaces/${encodeURIComponent(address.namespace)}` : "";
  const name = address.name === undefined ? "" : `/${encodeURIComponent(address.name)}`;
  const subResource = address.subResource === undefined ? "" : `/${encodedParts(address.subResource)}`;
  return `${base}${inNamespace}/${gvr.resource}${name}${subResource}`;
}

const encodedParts = (path: string): string => path.split("/").map(encodeURIComponent).join("/");

/** Returns the query parameters of a list request. */
export function listQuery(options: ListOptions): NonNullable<ConnectionRequest["query"]> {
  return {
    labelSelector: labelSelectorText(options.labels),
    fieldSelector: fieldSelectorText(options.fields),
    limit: options.limit,
    continue: options.continue,
    // A continue token already contains a resource version. The server rejects requests that contain both.
    resourceVersion: options.continue ? undefined : options.resourceVersion,
    resourceVersionMatch: options.continue ? undefined : options.resourceVersionMatch,
    shardSelector: options.shardSelector,
  };
}

/** Unsatisfiable selector that represents {@link ParsedLabelSelector.nothing}, whose own text would select everything. */
const unsatisfiable = "nothing,!nothing";

/** Returns the selector as the query parameter `labelSelector`; `undefined` selects everything. */
function labelSelectorText(input: LabelSelectorInput | undefined): string | undefined {
  if (input === undefined || input === "") return undefined;
  if (typeof input === "string") return input;
  if (!isSelector(input)) return equalities(input) || undefined;
  if (input.isEmpty) return undefined;
  return input.toString() || unsatisfiable;
}

/** Returns the selector as the query parameter `fieldSelector`; `undefined` selects everything. */
function fieldSelectorText(input: FieldSelectorInput | undefined): string | undefined {
  if (input === undefined) return undefined;
  if (typeof input === "string" || isSelector(input)) return input.toString() || undefined;
  return equalities(input, escapeFieldValue) || undefined;
}

const isSelector = <S extends ParsedLabelSelector | FieldSelector>(
  input: S | Readonly<Record<string, string>>,
): input is S => "matches" in input && typeof input.matches === "function";

const equalities = (wanted: Readonly<Record<string, string>>, encode = (value: string): string => value): string =>
  Object.entries(wanted)
    .map(([name, value]) => `${name}=${encode(value)}`)
    .join(",");

/** @see apimachinery fields EscapeValue */
const escapeFieldValue = (value: string): string => value.replace(/[\\,=]/g, "\\$&");

/**
 * Handles one warning from the API server, such as a warning about an unknown field or a deprecated API. @see client-go rest.WarningHandler
 */
export type WarningHandler = (warning: string) => void;

const warning = /\b299 \S+ "((?:[^"\\]|\\.)*)"/g;

/** Returns the texts of a response's Warning headers. @see apimachinery util/net ParseWarningHeaders */
export function warningsOf(headers: StreamedResponse["headers"]): string[] {
  const header = headers.warning;
  if (header === undefined) return [];
  const lines = typeof header === "string" ? [header] : header;
  return lines.flatMap((line) => [...line.matchAll(warning)].map((match) => (match[1] ?? "").replace(/\\(.)/g, "$1")));
}

/** Maximum number of remembered warnings. The limit prevents a memory leak if all warnings differ. */
const remembered = 1_000;

/** Returns a handler that passes each distinct warning on only once. */
export function onceEach(handler: WarningHandler): WarningHandler {
  const seen = new Set<string>();
  return (text) => {
    if (seen.has(text)) return;
    if (seen.size >= remembered) seen.clear();
    seen.add(text);
    handler(text);
  };
}

const tracer = new Tracer("@kubewright/client");

/** Kinds for which OpenTelemetry defines an attribute that contains an object's name. */
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

/**
 * Traces a call as a span, such as `client get Deployment`. The span ends when the response has arrived or, for a stream, when the stream
 * begins.
 */
async function tracedCall<T>(call: ObjectCall, work: (span: Span) => Promise<T>): Promise<T> {
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
 * Returns the span attributes for a request's target. Omits the query, because selectors and continue tokens are long and may be
 * confidential.
 */
function requestAttributes(server: string, path: string): Attributes {
  const { protocol, hostname, port, origin, pathname } = new URL(server);
  return {
    "server.address": hostname,
    "server.port": Number(port) || (protocol === "https:" ? 443 : 80),
    "url.full": `${origin}${pathname.replace(/(?<!\/)\/+$/, "")}${path}`,
  };
}

function nameAttribute({ kind }: Kind, name: string | undefined): Attributes {
  return name !== undefined && conventional.has(kind)
    ? { [`k8s.${shortened[kind] ?? kind.toLowerCase()}.name`]: name }
    : {};
}

/** Recent writes, which the program's own watches will report. New writes replace the oldest ones. */
const writes = new RecentSpans(4_096);

/** Records the span that wrote an object. */
function noteWritten({ method = "GET", kind }: ObjectCall, answer: unknown, span: Span): void {
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
 * Returns the span of the call with which this process wrote the given version of an object, so that other spans can
 * link to it. This is useful because watches often report a program's own writes. Returns `undefined` if another
 * process wrote the version, if the write is too old, or if tracing is off.
 *
 * @param groupKind result of `groupKindKey`, such as `Deployment.apps`
 */
export function spanOfWrite(groupKind: string, key: string, resourceVersion: string): SpanContext | undefined {
  return writes.get(written(groupKind, key, resourceVersion));
}

const written = (groupKind: string, key: string, version: string): string => `${groupKind}\0${key}\0${version}`;
