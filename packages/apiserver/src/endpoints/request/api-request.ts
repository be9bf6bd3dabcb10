import type { Identity } from "../../authentication/authenticator.ts";
import type { UserInfo } from "../../authentication/user/user-info.ts";
import { cut, needsDrain, type RequestMessage, type ResponseMessage } from "../../http/messages.ts";
import { UntakenAnswers } from "../../http/untaken-answers.ts";
import { readBody } from "./read-body.ts";
import type { RequestInfo } from "./request-info.ts";
import { WarningRecorder } from "./warning-recorder.ts";

/** One request on its way through filters and handlers, with the answer it gets. */
export class ApiRequest {
  readonly incoming: RequestMessage;
  readonly response: ResponseMessage;
  readonly info: RequestInfo;
  readonly query: URLSearchParams;
  /** When it came: milliseconds since 1970. */
  readonly receivedMs: number;
  readonly auditId: string;
  readonly untaken: UntakenAnswers;
  /** Sent with the answer as `Warning` headers. */
  readonly warnings = new WarningRecorder();
  readonly #stopping: AbortSignal;
  #gone: AbortController | undefined;
  #signal: AbortSignal | undefined;
  #isOver = false;
  #user: UserInfo = { name: "", groups: [] };
  #authenticated: UserInfo | undefined;
  #isActing = false;
  readonly #annotations = new Map<string, string>();
  #kept: KeptForAudit = { names: false, objects: false };
  #named: NamedObject = {};
  #requestObject: unknown;
  readonly #onResponseStarted: (request: ApiRequest) => void;
  #flowHeaders: Readonly<Record<string, string>> | undefined;
  #answer: string | Buffer | undefined;
  #answerBytes: number | undefined;

  constructor(parts: {
    readonly incoming: RequestMessage;
    readonly response: ResponseMessage;
    readonly info: RequestInfo;
    readonly query: URLSearchParams;
    readonly receivedMs: number;
    readonly auditId: string;
    /** Aborts when the server stops. */
    readonly stopping: AbortSignal;
    /** Of all requests of the server. Default: of this one alone. */
    readonly untaken?: UntakenAnswers;
    /** Told when the head of a stream went out. */
    readonly onResponseStarted?: ((request: ApiRequest) => void) | undefined;
  }) {
    this.incoming = parts.incoming;
    this.response = parts.response;
    this.info = parts.info;
    this.query = parts.query;
    this.receivedMs = parts.receivedMs;
    this.auditId = parts.auditId;
    this.#stopping = parts.stopping;
    this.untaken = parts.untaken ?? new UntakenAnswers();
    this.#onResponseStarted = parts.onResponseStarted ?? (() => {});
  }

  /** Who it is for: nobody by name until the request is authenticated, then its sender, or whom that one acts for. */
  get user(): UserInfo {
    return this.#user;
  }

  /** Who sent the request, where `user` is who they act for. */
  get authenticated(): UserInfo | undefined {
    return this.#authenticated;
  }

  /**
   * The sender is known.
   *
   * @throws {Error} where it was known before
   */
  authenticatedAs({ user, warnings = [] }: Identity): void {
    if (this.#authenticated) throw new Error("the request is authenticated already");
    this.#authenticated = user;
    this.#user = user;
    for (const text of warnings) this.warnings.add(text);
  }

  /**
   * The sender may act for somebody, and does; or acts for themselves.
   *
   * @throws {Error} where nobody knows who sent the request, or who they act for was said before
   */
  actingAs(user: UserInfo): void {
    if (!this.#authenticated || this.#isActing) throw new Error("who a request acts for is said once, by who sent it");
    this.#isActing = true;
    this.#user = user;
  }

  /** What filters and admission note for the audit log. */
  get annotations(): ReadonlyMap<string, string> {
    return this.#annotations;
  }

  /** Notes something for the audit log. What was noted first stays. */
  annotate(key: string, value: string): void {
    if (!this.#annotations.has(key)) this.#annotations.set(key, value);
  }

  /** Says what {@link recordObject} and the answer are kept of for the audit log. Default: nothing. */
  keepForAudit(kept: KeptForAudit): void {
    this.#kept = kept;
  }

  /** Whether the audit log wants bodies. */
  get recordsObjects(): boolean {
    return this.#kept.objects;
  }

  /** What the body's object says of itself, where the audit log wants that. */
  get named(): NamedObject {
    return this.#named;
  }

  /** The object of the body as it was read, where the audit log wants it. */
  get requestObject(): unknown {
    return this.#requestObject;
  }

  /** The head of a stream went out. */
  responseStarted(): void {
    this.#onResponseStarted(this);
  }

  /** Headers that go out with every answer, beside those that each has: how the request was classified. */
  get flowHeaders(): Readonly<Record<string, string>> | undefined {
    return this.#flowHeaders;
  }

  classifiedBy(headers: Readonly<Record<string, string>> | undefined): void {
    this.#flowHeaders = headers;
  }

  /** The body of the answer; `undefined` for a stream. */
  get answer(): string | Buffer | undefined {
    return this.#answer;
  }

  answeredWith(body: string | Buffer): void {
    this.#answer = body;
  }

  /** The size of an answer that went out in pieces. */
  get answerBytes(): number | undefined {
    return this.#answerBytes;
  }

  answeredInPieces(bytes: number): void {
    this.#answerBytes = bytes;
  }

  /** Aborts when the client goes and when the server stops. Made when somebody asks, which most requests never do. */
  get signal(): AbortSignal {
    if (!this.#signal) {
      this.#gone = new AbortController();
      this.#signal = AbortSignal.any([this.#gone.signal, this.#stopping]);
      if (this.isOver) this.#gone.abort();
    }
    return this.#signal;
  }

  /** The connection is closed, or the answer written. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** To be called when the response is closed. */
  close(): void {
    this.#isOver = true;
    this.#gone?.abort();
  }

  /** Ends a stream in the middle, as a failing network would. */
  cut(): void {
    cut(this.response);
  }

  /** Waits until the client has taken what was written, or went. */
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

  /** The value of a header that is given at most once. */
  header(name: string): string | undefined {
    const value = this.incoming.headers[name];
    return Array.isArray(value) ? value.join(", ") : value;
  }

  /** @see kubernetes cmd/kube-apiserver/app BuildGenericConfig LongRunningFunc */
  get isLongRunning(): boolean {
    const { isResourceRequest, subresource, verb } = this.info;
    return verb === "watch" || (isResourceRequest && (verb === "proxy" || streams.has(subresource)));
  }

  /** Whether JSON is to be indented: on request, and for people's tools. */
  get pretty(): boolean {
    const asked = this.query.get("pretty");
    if (asked !== null) return asked === "1" || asked === "true";
    return /^(curl|Wget|Mozilla)\//.test(this.header("user-agent") ?? "");
  }

  /** Keeps what the body held, before anything changes it. */
  recordObject(object: unknown): void {
    if (this.#kept.names && this.info.verb !== "patch") this.#named = namesIn(object);
    if (this.#kept.objects) this.#requestObject = structuredClone(object);
  }

  /**
   * The whole body.
   *
   * @throws {StatusError} 413 beyond 3 MiB
   */
  body(): Promise<Buffer> {
    return readBody(this.incoming);
  }
}

/** Subresources whose answers have no end of their own. */
const streams: ReadonlySet<string> = new Set(["attach", "exec", "log", "portforward", "proxy"]);

/** What the audit log wants of a request. */
export interface KeptForAudit {
  /** What object the body names. */
  readonly names: boolean;
  /** The objects of body and answer. */
  readonly objects: boolean;
}

export interface NamedObject {
  readonly name?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
}

function namesIn(object: unknown): NamedObject {
  const { name, uid, resourceVersion } = (object as { readonly metadata?: NamedObject }).metadata ?? {};
  return { ...(name ? { name } : {}), ...(uid ? { uid } : {}), ...(resourceVersion ? { resourceVersion } : {}) };
}
