import {
  apiVersionOf,
  isMetadataOnly,
  isStatusError,
  type Kind,
  type KubeObject,
  mappingOf,
  missingNamespace,
  NoMatchError,
  type RESTMapper,
  type RESTMapping,
  StatusError,
  splitKey,
  withIntegersOf,
} from "@kubewright/apimachinery";
import { noSpan, type Span } from "@kubewright/tracing";
import type { Connection, ConnectionRequest, ConnectionResponse, Query } from "../connection/connection.ts";
import type { StreamedResponse } from "../connection/exchange.ts";
import { checkItems, objectIn, statusErrorFrom } from "../connection/response.ts";
import type { Fence } from "../contract/fence.ts";
import type { Target } from "../contract/objects.ts";
import { checkAddress, checkResource, isOneObject, type ResourceAddress, resourcePath } from "./resource-path.ts";
import { type FencedCall, throughFence } from "./through-fence.ts";
import { isTraced, noteWritten, requestAttributes, tracedCall } from "./traced-call.ts";
import { type WarningHandler, warningsOf } from "./warnings.ts";

/** One call for objects of a kind. */
export interface ObjectCall extends ResourceAddress {
  /** Verb for messages: `get`, `update status of`. */
  readonly verb: string;
  readonly kind: Kind;
  readonly method?: ConnectionRequest["method"];
  readonly query?: Query | undefined;
  readonly body?: string | undefined;
  readonly contentType?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface ObjectCallsOptions {
  readonly connection: Connection;
  readonly mapper: RESTMapper;
  readonly onWarning: WarningHandler;
  /** The only namespace that calls may use. */
  readonly namespace: string | undefined;
  /** Fence that writes pass through. */
  readonly fence: Fence | undefined;
  /** Ends retries when it aborts. */
  readonly retryUntil: AbortSignal | undefined;
  readonly onRetry: ConnectionRequest["onRetry"];
}

/** Turns calls for objects into requests, and responses into objects and errors. Shared by all interfaces of a client. */
export class ObjectCalls {
  readonly #options: ObjectCallsOptions;

  constructor(options: ObjectCallsOptions) {
    this.#options = options;
  }

  /** Makes a call and returns the object in the response. */
  object<T>(call: ObjectCall): Promise<T> {
    return isTraced() ? tracedCall(call, (span) => this.#object<T>(call, span)) : this.#object(call, noSpan);
  }

  /** Makes a call and returns the response, if successful. */
  send(call: ObjectCall): Promise<ConnectionResponse> {
    return isTraced() ? tracedCall(call, (span) => this.#send(call, span)) : this.#send(call, noSpan);
  }

  /** Makes a call and returns the response, if successful, as a stream. */
  stream(call: ObjectCall): Promise<StreamedResponse> {
    return isTraced() ? tracedCall(call, (span) => this.#stream(call, span)) : this.#stream(call, noSpan);
  }

  async #object<T>(call: ObjectCall, span: Span): Promise<T> {
    const response = await this.#send(call, span);
    const answer = objectIn(response.body, described(call)) as T;
    if (call.verb === "list") checkItems((answer as { items?: unknown }).items, described(call));
    if (span !== noSpan) noteWritten(call, answer, span);
    return isPartial(call) ? asPartOf(call.kind, answer) : answer;
  }

  async #send(call: ObjectCall, span: Span): Promise<ConnectionResponse> {
    const { fence } = this.#options;
    if (!fence || (call.method ?? "GET") === "GET") return this.#sendNow(call, span);
    const what = (): string => described(call);
    return throughFence(fence, { what, signal: call.signal }, (fenced) => this.#sendNow(call, span, fenced));
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

  /** Returns the resource of a kind; uses discovery only if the kind does not declare it. */
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

/** Reports whether only the metadata of objects is requested. */
const isPartial = ({ kind, subResource }: ObjectCall): boolean => !subResource && isMetadataOnly(kind);

const partialObjects = (suffix: string): string =>
  `application/json;as=PartialObjectMetadata${suffix};g=meta.k8s.io;v=v1`;

/** Partial objects have the kind PartialObjectMetadata; here it is replaced by the kind of the whole object. */
function asPartOf<T>(kind: Kind, answer: T): T {
  const type = { apiVersion: apiVersionOf(kind), kind: kind.kind };
  const { items } = answer as { items?: readonly object[] | null };
  return Array.isArray(items)
    ? { ...answer, items: items.map((item) => ({ ...item, ...type })) }
    : { ...answer, ...type };
}

/** Returns namespace and name of a call's target. */
export function addressOf(target: Target): { readonly namespace: string | undefined; readonly name: string } {
  if (typeof target === "string" || !("metadata" in target)) return splitKey(target);
  return { namespace: target.metadata.namespace || undefined, name: target.metadata.name };
}

/** Returns the object as it is sent: with the type of the kind. @throws {Error} if the object has another type */
export function typed(verb: string, kind: Kind, object: object): KubeObject {
  if (isMetadataOnly(kind)) throw new Error(`cannot ${verb} ${kind.kind} using only metadata, did you mean to patch?`);
  const apiVersion = kind.group === "" ? kind.version : `${kind.group}/${kind.version}`;
  const said = object as Partial<KubeObject>;
  if ((said.kind ?? kind.kind) !== kind.kind || (said.apiVersion ?? apiVersion) !== apiVersion)
    throw new Error(
      `${verb} ${kind.kind}: the object is of ${said.apiVersion}, Kind=${said.kind}, not of ${apiVersion}, Kind=${kind.kind}`,
    );
  return withIntegersOf(object, { ...said, apiVersion, kind: kind.kind } as KubeObject);
}

/** Describes a call, without the object. */
const attempt = ({ verb, kind, subResource }: ObjectCall): string =>
  `${verb} ${kind.kind}${subResource ? `/${subResource}` : ""}`;

function described(call: ObjectCall): string {
  const { namespace, name } = call;
  const what = attempt(call);
  return name === undefined ? what : `${what} ${namespace ? `${namespace}/` : ""}${name}`;
}

/** Message of servers, in a Status or a page, if the resource is not served; for a missing object, the message contains its name. */
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
