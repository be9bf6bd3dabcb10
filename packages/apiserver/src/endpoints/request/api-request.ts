import type { Identity } from "../../authentication/authenticator.ts";
import type { RequestUser } from "../../authentication/user/user-info.ts";
import { cut, needsDrain, type RequestMessage, type ResponseMessage } from "../../http/messages.ts";
import { UnreadResponses } from "../../http/unread-responses.ts";
import { readBody } from "./read-body.ts";
import type { RequestInfo } from "./request-info.ts";
import { WarningRecorder } from "./warning-recorder.ts";

/** A request that passes through the filters and handlers, with its response. */
export class ApiRequest {
  readonly incoming: RequestMessage;
  readonly response: ResponseMessage;
  readonly info: RequestInfo;
  readonly query: URLSearchParams;
  /** Time of arrival: milliseconds since 1970. */
  readonly receivedMs: number;
  readonly auditId: string;
  readonly unread: UnreadResponses;
  /** Warnings that are sent with the response as `Warning` headers. */
  readonly warnings = new WarningRecorder();
  readonly #stopping: AbortSignal;
  #gone: AbortController | undefined;
  #signal: AbortSignal | undefined;
  #isOver = false;
  #user: RequestUser = { name: "", groups: [] };
  #authenticated: RequestUser | undefined;
  #isActing = false;
  readonly #annotations = new Map<string, string>();
  #kept: KeptForAudit = { names: false, objects: false };
  #named: AuditedObject = {};
  #requestObject: unknown;
  readonly #onResponseStarted: (request: ApiRequest) => void;
  #flowHeaders: Readonly<Record<string, string>> | undefined;
  #responseBody: string | Buffer | undefined;
  #responseBytes: number | undefined;

  constructor(parts: {
    readonly incoming: RequestMessage;
    readonly response: ResponseMessage;
    readonly info: RequestInfo;
    readonly query: URLSearchParams;
    readonly receivedMs: number;
    readonly auditId: string;
    /** Aborts when the server stops. */
    readonly stopping: AbortSignal;
    /** Shared by all of the server's requests. Default: used only for this request. */
    readonly unread?: UnreadResponses;
    /** Called when a stream's head has been sent. */
    readonly onResponseStarted?: ((request: ApiRequest) => void) | undefined;
  }) {
    this.incoming = parts.incoming;
    this.response = parts.response;
    this.info = parts.info;
    this.query = parts.query;
    this.receivedMs = parts.receivedMs;
    this.auditId = parts.auditId;
    this.#stopping = parts.stopping;
    this.unread = parts.unread ?? new UnreadResponses();
    this.#onResponseStarted = parts.onResponseStarted ?? (() => {});
  }

  /** User of the request. An empty user until the request is authenticated, then the sender or the impersonated user. */
  get user(): RequestUser {
    return this.#user;
  }

  /** The sender of the request, if `user` is impersonated. */
  get authenticated(): RequestUser | undefined {
    return this.#authenticated;
  }

  /**
   * Sets the sender.
   *
   * @throws {Error} if it is already set
   */
  authenticatedAs({ user, warnings = [] }: Identity): void {
    if (this.#authenticated) throw new Error("the request is already authenticated");
    this.#authenticated = user;
    this.#user = user;
    for (const text of warnings) this.warnings.add(text);
  }

  /**
   * Sets the impersonated user, or the sender itself.
   *
   * @throws {Error} if the sender is unknown, or this was called before
   */
  actingAs(user: RequestUser): void {
    if (!this.#authenticated || this.#isActing)
      throw new Error("the acting user of a request is set once, after its authentication");
    this.#isActing = true;
    this.#user = user;
  }

  /** Annotations that filters and admission add for the audit log. */
  get annotations(): ReadonlyMap<string, string> {
    return this.#annotations;
  }

  /** Adds an audit annotation. A key keeps its first value. */
  annotate(key: string, value: string): void {
    if (!this.#annotations.has(key)) this.#annotations.set(key, value);
  }

  /** Selects the data that {@link recordObject} and the response keep for the audit log. Default: nothing. */
  keepForAudit(kept: KeptForAudit): void {
    this.#kept = kept;
  }

  /** True if the audit log needs bodies. */
  get recordsObjects(): boolean {
    return this.#kept.objects;
  }

  /** Identity of the body's object, if the audit log needs it. */
  get named(): AuditedObject {
    return this.#named;
  }

  /** Object of the body as received, if the audit log needs it. */
  get requestObject(): unknown {
    return this.#requestObject;
  }

  /** Records that a stream's head has been sent. */
  responseStarted(): void {
    this.#onResponseStarted(this);
  }

  /** Additional headers for every response, which contain the request's classification. */
  get flowHeaders(): Readonly<Record<string, string>> | undefined {
    return this.#flowHeaders;
  }

  classifiedBy(headers: Readonly<Record<string, string>> | undefined): void {
    this.#flowHeaders = headers;
  }

  /** Body of the response; `undefined` for a stream. */
  get responseBody(): string | Buffer | undefined {
    return this.#responseBody;
  }

  recordResponse(body: string | Buffer): void {
    this.#responseBody = body;
  }

  /** Size of a response sent in chunks. */
  get responseBytes(): number | undefined {
    return this.#responseBytes;
  }

  recordResponseBytes(bytes: number): void {
    this.#responseBytes = bytes;
  }

  /** Aborts when the client disconnects or the server stops. Created on demand, because most requests never need it. */
  get signal(): AbortSignal {
    if (!this.#signal) {
      this.#gone = new AbortController();
      this.#signal = AbortSignal.any([this.#gone.signal, this.#stopping]);
      if (this.isOver) this.#gone.abort();
    }
    return this.#signal;
  }

  /** True if the connection is closed or the response has been written. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Call it when the response is closed. */
  close(): void {
    this.#isOver = true;
    this.#gone?.abort();
  }

  /** Ends a stream in the middle, like a network failure. */
  cut(): void {
    cut(this.response);
  }

  /** Waits until the client has received the written data or has disconnected. */
  async drained(): Promise<void> {
    const { response } = this;
    if (!needsDrain(response) || this.#isOver) return;
    await new Promise<void>((resolve) => {
      const done = (): void => {
        response.off("drain", done);
        response.off("close", done);
        resolve();
      };
      response.on("drain", done);
      response.on("close", done);
    });
  }

  get method(): string {
    return this.incoming.method ?? "GET";
  }

  /** Returns the value of a header that occurs at most once. */
  header(name: string): string | undefined {
    const value = this.incoming.headers[name];
    return Array.isArray(value) ? value.join(", ") : value;
  }

  /** True for requests without a timeout, such as watches. @see kubernetes cmd/kube-apiserver/app BuildGenericConfig LongRunningFunc */
  get isLongRunning(): boolean {
    const { isResourceRequest, subresource, verb } = this.info;
    return verb === "watch" || (isResourceRequest && (verb === "proxy" || streams.has(subresource)));
  }

  /** True if JSON is indented: on request, and for interactive tools. */
  get pretty(): boolean {
    const asked = this.query.get("pretty");
    if (asked !== null) return asked === "1" || asked === "true";
    return /^(curl|Wget|Mozilla)\//.test(this.header("user-agent") ?? "");
  }

  /** Keeps the body's contents before they are changed. */
  recordObject(object: unknown): void {
    if (this.#kept.names && this.info.verb !== "patch") this.#named = namesIn(object);
    if (this.#kept.objects) this.#requestObject = structuredClone(object);
  }

  /**
   * Returns the whole body.
   *
   * @throws {StatusError} 413 for more than 3 MiB
   */
  body(): Promise<Buffer> {
    return readBody(this.incoming);
  }
}

/** Subresources whose responses never end. */
const streams: ReadonlySet<string> = new Set(["attach", "exec", "log", "portforward", "proxy"]);

/** Data about a request that the audit log needs. */
export interface KeptForAudit {
  /** Identity of the body's object. */
  readonly names: boolean;
  /** Objects in the body and the response. */
  readonly objects: boolean;
}

/** Name, UID and resource version of a request's object, as the audit log records them. */
export interface AuditedObject {
  readonly name?: string | undefined;
  readonly uid?: string | undefined;
  readonly resourceVersion?: string | undefined;
}

function namesIn(object: unknown): AuditedObject {
  const { name, uid, resourceVersion } = (object as { readonly metadata?: AuditedObject }).metadata ?? {};
  return { ...(name ? { name } : {}), ...(uid ? { uid } : {}), ...(resourceVersion ? { resourceVersion } : {}) };
}
