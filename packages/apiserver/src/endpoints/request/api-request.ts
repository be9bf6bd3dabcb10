import type { Identity } from "../../authentication/authenticator.ts";
import type { RequestUser } from "../../authentication/user/user-info.ts";
import { cut, needsDrain, type RequestMessage, type ResponseMessage } from "../../http/messages.ts";
import { UnreadResponses } from "../../http/unread-responses.ts";
import { readBody } from "./read-body.ts";
import type { RequestInfo } from "./request-info.ts";
import { WarningRecorder } from "./warning-recorder.ts";

/** Abort reason of the signals of ended requests. It is shared, because creating one for each request would record a stack trace each time. */
const requestOver = new DOMException("the request is over", "AbortError");

/** A request and its response, which are passed through the filters and handlers. */
export class ApiRequest {
  readonly incoming: RequestMessage;
  readonly response: ResponseMessage;
  readonly info: RequestInfo;
  readonly query: URLSearchParams;
  /** Time at which the request arrived, in milliseconds since 1970. */
  readonly receivedMs: number;
  readonly auditId: string;
  readonly unread: UnreadResponses;
  /** Warnings that are sent in `Warning` headers of the response. */
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
    /** Limits the memory for unread responses of all of the server's requests. Default: a separate instance for this request. */
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

  /**
   * The user on whose behalf the request is executed: its sender, or the user whom the sender impersonates. Before the request is
   * authenticated, this is an empty user.
   */
  get user(): RequestUser {
    return this.#user;
  }

  /** The sender of the request, if `user` is impersonated. */
  get authenticated(): RequestUser | undefined {
    return this.#authenticated;
  }

  /**
   * Sets the sender of the request.
   *
   * @throws {Error} if the sender is already set
   */
  authenticatedAs({ user, warnings = [] }: Identity): void {
    if (this.#authenticated) throw new Error("the request is already authenticated");
    this.#authenticated = user;
    this.#user = user;
    for (const text of warnings) this.warnings.add(text);
  }

  /**
   * Sets the user on whose behalf the request is executed: the impersonated user, or the sender.
   *
   * @throws {Error} if the sender is not set yet, or this method was called before
   */
  actingAs(user: RequestUser): void {
    if (!this.#authenticated || this.#isActing)
      throw new Error("the acting user of a request can be set only once, after authentication");
    this.#isActing = true;
    this.#user = user;
  }

  /** Annotations for the audit log, which filters and admission plugins add. */
  get annotations(): ReadonlyMap<string, string> {
    return this.#annotations;
  }

  /** Adds an annotation for the audit log. If the key already has a value, that value is kept. */
  annotate(key: string, value: string): void {
    if (!this.#annotations.has(key)) this.#annotations.set(key, value);
  }

  /** Selects the data that {@link recordObject} and the response keep for the audit log. By default, they keep nothing. */
  keepForAudit(kept: KeptForAudit): void {
    this.#kept = kept;
  }

  /** True if the audit log needs the bodies of the request and the response. */
  get recordsObjects(): boolean {
    return this.#kept.objects;
  }

  /** Identity of the object in the request's body, if the audit log needs it. */
  get named(): AuditedObject {
    return this.#named;
  }

  /** Object in the request's body as it was received, if the audit log needs it. */
  get requestObject(): unknown {
    return this.#requestObject;
  }

  /** Must be called when the head of a stream has been sent. */
  responseStarted(): void {
    this.#onResponseStarted(this);
  }

  /** Additional headers for every response, which contain the request's flow control classification. */
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

  /** Bytes of a response that is sent in chunks; `undefined` for other responses. */
  get responseBytes(): number | undefined {
    return this.#responseBytes;
  }

  recordResponseBytes(bytes: number): void {
    this.#responseBytes = bytes;
  }

  /** Signal that aborts when the client disconnects or the server stops. It is created on demand, because most requests do not need it. */
  get signal(): AbortSignal {
    if (!this.#signal) {
      this.#gone = new AbortController();
      this.#signal = AbortSignal.any([this.#gone.signal, this.#stopping]);
      if (this.isOver) this.#gone.abort(requestOver);
    }
    return this.#signal;
  }

  /** True if the connection is closed or the response has been written. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Must be called when the response is closed. */
  close(): void {
    this.#isOver = true;
    this.#gone?.abort(requestOver);
  }

  /** Cuts off a stream in the middle, as a network failure would. */
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

  /** True if the request has no timeout, such as a watch. @see kubernetes cmd/kube-apiserver/app BuildGenericConfig LongRunningFunc */
  get isLongRunning(): boolean {
    const { isResourceRequest, subresource, verb } = this.info;
    return verb === "watch" || (isResourceRequest && (verb === "proxy" || streams.has(subresource)));
  }

  /** True if JSON in the response is indented: because the client requests it, or because the client is an interactive tool. */
  get pretty(): boolean {
    const asked = this.query.get("pretty");
    if (asked !== null) return asked === "1" || asked === "true";
    return /^(curl|Wget|Mozilla)\//.test(this.header("user-agent") ?? "");
  }

  /** Records the object in the body for the audit log, before the object is changed. */
  recordObject(object: unknown): void {
    if (this.#kept.names && this.info.verb !== "patch") this.#named = namesIn(object);
    if (this.#kept.objects) this.#requestObject = structuredClone(object);
  }

  /**
   * Returns the whole body of the request.
   *
   * @throws {StatusError} 413 if the body is larger than 3 MiB
   */
  body(): Promise<Buffer> {
    return readBody(this.incoming);
  }
}

/** Subresources whose responses never end. */
const streams: ReadonlySet<string> = new Set(["attach", "exec", "log", "portforward", "proxy"]);

/** Data about a request for the audit log. */
export interface KeptForAudit {
  /** True to keep the identity of the object in the request's body. */
  readonly names: boolean;
  /** True to keep the objects in the bodies of the request and the response. */
  readonly objects: boolean;
}

/** Name, UID and resource version of a request's object, as recorded in the audit log. */
export interface AuditedObject {
  readonly name?: string | undefined;
  readonly uid?: string | undefined;
  readonly resourceVersion?: string | undefined;
}

function namesIn(object: unknown): AuditedObject {
  const { name, uid, resourceVersion } = (object as { readonly metadata?: AuditedObject }).metadata ?? {};
  return { ...(name ? { name } : {}), ...(uid ? { uid } : {}), ...(resourceVersion ? { resourceVersion } : {}) };
}
