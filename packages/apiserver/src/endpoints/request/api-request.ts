import { StatusError } from "@kubewright/apimachinery";
import type { UserInfo } from "../../authentication/user/user-info.ts";
import { cut, needsDrain, type RequestMessage, type ResponseMessage } from "../../http/messages.ts";
import { UntakenAnswers } from "../../http/untaken-answers.ts";
import type { RequestInfo } from "./request-info.ts";
import { WarningRecorder } from "./warning-recorder.ts";

const maxBodyBytes = 3 * 1024 * 1024;

/** One request on its way through filters and handlers, with the answer it gets. */
export class ApiRequest {
  readonly incoming: RequestMessage;
  readonly response: ResponseMessage;
  readonly info: RequestInfo;
  readonly query: URLSearchParams;
  readonly receivedMs: number;
  readonly auditId: string;
  readonly untaken: UntakenAnswers;
  readonly warnings = new WarningRecorder();
  readonly #stopping: AbortSignal;
  #gone: AbortController | undefined;
  #signal: AbortSignal | undefined;
  #isOver = false;
  /** Set by authentication. */
  user: UserInfo = { name: "", groups: [] };
  /** Who sent the request, where `user` is who they act for. */
  authenticated: UserInfo | undefined;
  /** What filters and admission note for the audit log. */
  readonly annotations = new Map<string, string>();
  /** Whether the audit log wants to know what object the body names. */
  isAudited = false;
  /** What the body's object says of itself, where that is so. */
  named: NamedObject = {};
  /** Whether the audit log wants `requestObject`. */
  recordsObjects = false;
  /** The object of the body as it was read, where the audit log wants it. */
  requestObject: unknown;
  /** To be called when the head of a stream went out. */
  responseStarted: () => void = () => {};
  /** Go out with every answer, beside those that each has. */
  flowHeaders: Readonly<Record<string, string>> | undefined;
  /** The body of the answer; `undefined` for a stream. */
  answer: string | Buffer | undefined;
  /** The size of an answer that went out in pieces. */
  answerBytes: number | undefined;

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
  }) {
    this.incoming = parts.incoming;
    this.response = parts.response;
    this.info = parts.info;
    this.query = parts.query;
    this.receivedMs = parts.receivedMs;
    this.auditId = parts.auditId;
    this.#stopping = parts.stopping;
    this.untaken = parts.untaken ?? new UntakenAnswers();
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

  get isLongRunning(): boolean {
    return this.info.verb === "watch";
  }

  /** Whether JSON is to be indented: on request, and for people's tools. */
  get pretty(): boolean {
    const asked = this.query.get("pretty");
    if (asked !== null) return asked === "1" || asked === "true";
    return /^(curl|Wget|Mozilla)\//.test(this.header("user-agent") ?? "");
  }

  /** Keeps what the body held, before anything changes it. */
  recordObject(object: unknown): void {
    if (this.isAudited && this.info.verb !== "patch") this.named = namesIn(object);
    if (this.recordsObjects) this.requestObject = structuredClone(object);
  }

  /**
   * The whole body.
   *
   * @throws {StatusError} 413 beyond 3 MiB
   */
  async body(): Promise<Buffer> {
    await undefined; // a body that came along with the head is read right after it
    const early = bodyThatCame(this.incoming);
    if (early) return early;
    const chunks: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of this.incoming) {
      chunks.push(chunk as Buffer);
      bytes += (chunk as Buffer).length;
      if (bytes > maxBodyBytes) throw tooLarge();
    }
    return chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);
  }
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

const tooLarge = (): StatusError =>
  new StatusError({
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message: `Request entity too large: limit is ${maxBodyBytes}`,
    reason: "RequestEntityTooLarge",
    code: 413,
  });

/** The body, where it has come along with the head, as small ones of HTTP/1.1 do: most need not be waited for. */
function bodyThatCame(incoming: RequestMessage): Buffer | undefined {
  const { headers, readableLength, stream } = incoming;
  if (stream || !readableLength || headers["content-length"] !== String(readableLength)) return undefined;
  if (readableLength > maxBodyBytes) return undefined;
  const body = incoming.read?.();
  incoming.resume?.(); // to its end, which the connection waits for
  return body instanceof Buffer ? body : undefined;
}
