import type { IncomingMessage, ServerResponse } from "node:http";
import { StatusError } from "@kubewright/apimachinery";
import type { UserInfo } from "../registry/strategy.ts";
import type { RequestInfo } from "./request-info.ts";
import { WarningRecorder } from "./warning-recorder.ts";

const maxBodyBytes = 3 * 1024 * 1024;

/** One request on its way through filters and handlers, with the answer it gets. */
export class ApiRequest {
  readonly incoming: IncomingMessage;
  readonly response: ServerResponse;
  readonly info: RequestInfo;
  readonly query: URLSearchParams;
  readonly receivedMs: number;
  readonly auditId: string;
  readonly warnings = new WarningRecorder();
  /** Aborts when the client goes, when the request's time is up, and when the server stops. */
  readonly signal: AbortSignal;
  /** Set by authentication. */
  user: UserInfo = { name: "", groups: [] };

  constructor(parts: {
    readonly incoming: IncomingMessage;
    readonly response: ServerResponse;
    readonly info: RequestInfo;
    readonly query: URLSearchParams;
    readonly receivedMs: number;
    readonly auditId: string;
    readonly signal: AbortSignal;
  }) {
    this.incoming = parts.incoming;
    this.response = parts.response;
    this.info = parts.info;
    this.query = parts.query;
    this.receivedMs = parts.receivedMs;
    this.auditId = parts.auditId;
    this.signal = parts.signal;
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

  /**
   * The whole body.
   *
   * @throws {StatusError} 413 beyond 3 MiB
   */
  async body(): Promise<Buffer> {
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
