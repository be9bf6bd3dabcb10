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
import type { Connection } from "../connection/connection.ts";
import type { ConnectionRequest, ConnectionResponse, Query } from "../connection/connection-request.ts";
import type { StreamedResponse } from "../connection/exchange.ts";
import { checkItems, objectIn } from "../connection/object-in.ts";
import { statusErrorFrom } from "../connection/status-from-response.ts";
import type { Fence } from "../contract/fence.ts";
import type { Target } from "../contract/target.ts";
import { checkAddress, checkResource, isOneObject, type ResourceAddress, resourcePath } from "./resource-path.ts";
import { type FencedCall, throughFence } from "./through-fence.ts";
import { isTraced, noteWritten, requestAttributes, tracedCall } from "./traced-call.ts";
import { type WarningHandler, warningsOf } from "./warnings.ts";

/** One call on objects of a kind. */
export interface ObjectCall extends ResourceAddress {
  /** For messages: `get`, `update status of`. */
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
  /** The only namespace that calls may be about. */
  readonly namespace: string | undefined;
  /** What writes pass through. */
  readonly fence: Fence | undefined;
  /** When it aborts, no request is sent again. */
  readonly retryUntil: AbortSignal | undefined;
  readonly onRetry: ConnectionRequest["onRetry"];
}

/** Turns calls on objects into requests, and answers into objects and errors. What all faces of a client share. */
export class ObjectCalls {
  readonly #options: ObjectCallsOptions;

  constructor(options: ObjectCallsOptions) {
    this.#options = options;
  }

  /** The object that the server answered. */
  object<T>(call: ObjectCall): Promise<T> {
    return isTraced() ? tracedCall(call, (span) => this.#object<T>(call, span)) : this.#object(call, noSpan);
  }

  /** The answer of a successful call. */
  send(call: ObjectCall): Promise<ConnectionResponse> {
    return isTraced() ? tracedCall(call, (span) => this.#send(call, span)) : this.#send(call, noSpan);
  }

  /** A successful answer that is read as it arrives. */
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

  /** Where a kind is served; asks discovery only if the kind does not say so itself. */
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

/** Whether only the metadata of objects is to be answered. */
const isPartial = ({ kind, subResource }: ObjectCall): boolean => !subResource && isMetadataOnly(kind);

const partialObjects = (suffix: string): string =>
  `application/json;as=PartialObjectMetadata${suffix};g=meta.k8s.io;v=v1`;

/** Partial objects say to be of kind PartialObjectMetadata; here they are of the kind that they are part of. */
function asPartOf<T>(kind: Kind, answer: T): T {
  const type = { apiVersion: apiVersionOf(kind), kind: kind.kind };
  const { items } = answer as { items?: readonly object[] | null };
  return Array.isArray(items)
    ? { ...answer, items: items.map((item) => ({ ...item, ...type })) }
    : { ...answer, ...type };
}

/** Namespace and name of what a call is about. */
export function addressOf(target: Target): { readonly namespace: string | undefined; readonly name: string } {
  if (typeof target === "string" || !("metadata" in target)) return splitKey(target);
  return { namespace: target.metadata.namespace || undefined, name: target.metadata.name };
}

/** The object as it is sent: with the kind's type on it. Throws if it says to be of another. */
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

/** What a call attempts, without the object. */
const attempt = ({ verb, kind, subResource }: ObjectCall): string =>
  `${verb} ${kind.kind}${subResource ? `/${subResource}` : ""}`;

function described(call: ObjectCall): string {
  const { namespace, name } = call;
  const what = attempt(call);
  return name === undefined ? what : `${what} ${namespace ? `${namespace}/` : ""}${name}`;
}

/** What servers say, in a Status or a page, where no resource is served; an absent object is named. */
const unserved = "the server could not find the requested resource";

const unknownUser =
  "the server does not know who asks: the token, certificate or login is wrong or has expired (in a kubeconfig: users[].user)";

function refusal(call: ObjectCall, error: StatusError): Error {
  const { kind, subResource } = call;
  if (error.code === 401)
    return new StatusError({ ...error.status, message: `${described(call)}: ${error.message}: ${unknownUser}` });
  const isUnserved =
    !subResource && error.code === 404 && !error.status.details?.kind && error.message.includes(unserved);
  return isUnserved ? NoMatchError.ofKind(kind, { cause: error }) : error;
}
