import type { Logger } from "@kubewright/log";
import { noSpan, type Span } from "@kubewright/tracing";
import { OpenWrtError, UnexpectedResponseError } from "./errors.ts";
import { parseFirstJson } from "./first-json.ts";
import { maskSecrets, secretsOf } from "./secrets.ts";
import type { Session } from "./session.ts";
import { isTraced, tracedCall } from "./traced-call.ts";
import type { CnfTransport, TransportResponse } from "./transport.ts";

/** Options for every call to the REST API. */
export interface CnfCallOptions {
  /** Signal that stops waiting for a response. The CNF still finishes an action that it has started. */
  readonly signal?: AbortSignal | undefined;
}

export interface Call extends CnfCallOptions {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** Path relative to the base address, such as `sdewan/mwan3/v1/policies`. */
  readonly path: string;
  /** Body of the request, which is sent as JSON. */
  readonly body?: object | undefined;
  readonly timeoutMs?: number | undefined;
}

/** Maximum length of the part of a response that is searched for secrets. Errors contain the beginning of that part. */
const longestShown = 64 * 1024;

/** Calls the REST API: logs in, renews the login, and checks the content of responses. */
export class Api {
  readonly #transport: CnfTransport;
  readonly #base: URL;
  readonly #session: Session;
  readonly #logger: Logger;
  readonly #timeoutMs: number;
  readonly #password: string;

  constructor(parts: {
    readonly transport: CnfTransport;
    /** Base address to which all paths are relative. */
    readonly base: URL;
    readonly session: Session;
    readonly logger: Logger;
    readonly timeoutMs: number;
    /** Password for the CNF. It is removed from all errors. */
    readonly password: string;
  }) {
    this.#transport = parts.transport;
    this.#base = parts.base;
    this.#session = parts.session;
    this.#logger = parts.logger;
    this.#timeoutMs = parts.timeoutMs;
    this.#password = parts.password;
  }

  /**
   * Sends a request, and returns the first JSON document in the response. Returns undefined if the body is empty.
   *
   * @throws {OpenWrtError} if the CNF rejects the request; if the token has expired, the login is first renewed once
   * @throws {UnexpectedResponseError} for a redirect, an HTML page, or anything else that is not JSON
   * @throws {OpenWrtNetworkError} if no response arrived
   */
  async call(call: Call): Promise<unknown> {
    if (!isTraced()) return this.#call(call, noSpan);
    return tracedCall(call, this.#base, (span) => this.#call(call, span));
  }

  /** Returns the beginning of a response, without credentials. */
  masked(answer: string): string {
    return maskSecrets(answer.slice(0, longestShown), [this.#password, this.#session.current ?? ""]);
  }

  async #call(call: Call, span: Span): Promise<unknown> {
    const { answer, token } = await this.#authorized(call);
    const { status, contentType } = answer;
    if (span !== noSpan) span.set({ "http.response.status_code": status });
    // A successful response is not shown, so it need not be masked. Masking would be expensive, because the response may be long and
    // contain thousands of keys.
    const shown = (): string =>
      maskSecrets(answer.body.slice(0, longestShown), [this.#password, token, ...secretsOf(call.body)]);
    this.#logger.debug({ method: call.method, path: call.path, status }, "CNF answered");
    if (status >= 400) throw new OpenWrtError(status, shown());
    if (status >= 300 || contentType.startsWith("text/html") || /^\s*</.test(answer.body)) {
      throw new UnexpectedResponseError(status, shown());
    }
    if (!/\S/.test(answer.body)) return undefined;
    try {
      return parseFirstJson(answer.body);
    } catch (error) {
      if (error instanceof RangeError) throw new UnexpectedResponseError(status, `the response ${error.message}`);
      throw new UnexpectedResponseError(status, shown());
    }
  }

  async #authorized(call: Call): Promise<{ readonly answer: TransportResponse; readonly token: string }> {
    const token = await this.#session.token(call.signal);
    const answer = await this.#send(call, token);
    if (answer.status !== 403) return { answer, token };
    this.#session.forget(token);
    const renewed = await this.#session.token(call.signal);
    return { answer: await this.#send(call, renewed), token: renewed };
  }

  #send({ method, path, body, signal, timeoutMs = this.#timeoutMs }: Call, token: string): Promise<TransportResponse> {
    const headers = { cookie: `sysauth=${token}`, ...(body && { "content-type": "application/json" }) };
    return this.#transport.send({ method, path, headers, body: body && JSON.stringify(body), timeoutMs, signal });
  }
}
