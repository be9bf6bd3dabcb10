import { isIP } from "node:net";
import * as tls from "node:tls"; // by name, an older Node would refuse the file before it says why
import { type Clock, systemClock } from "@kubewright/clock";
import { Agent, request } from "undici";
import { AnswerTooLargeError, OpenWrtNetworkError } from "./errors.ts";
import { tlsReasonOf } from "./tls-reason.ts";

/** Where a CNF is, and what requests to it may take at most. */
export interface TransportOptions {
  readonly url: URL;
  /** PEM bundle. Absent or empty: the authorities that Node and the system trust. */
  readonly ca?: string | undefined;
  readonly insecureSkipTlsVerify?: boolean | undefined;
  /** Where to connect in place of what the URL's host resolves to. */
  readonly address?: string | undefined;
  readonly connectTimeoutMs: number;
  /** Requests beyond so many wait. */
  readonly maxConnections: number;
  /** Of one answer's body. */
  readonly maxAnswerBytes: number;
  readonly clock?: Clock | undefined;
}

/** A request to a CNF, whole. */
export interface TransportRequest {
  readonly method: string;
  /** Below the base address. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  /** For all of it, to the last byte of the answer. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

/** What a CNF answered, whatever its status: refusals are answers too. */
export interface TransportResponse {
  readonly status: number;
  /** Empty where the CNF does not say. */
  readonly contentType: string;
  /** The `Set-Cookie` headers, each as it came. */
  readonly cookies: readonly string[];
  readonly body: string;
}

/** What carries requests to one CNF. A request ends by its own `timeoutMs` at the latest, with an `OpenWrtNetworkError`. */
export interface CnfTransport {
  /** @throws {OpenWrtNetworkError} if no answer came, or not in time */
  send(request: TransportRequest): Promise<TransportResponse>;
  /** Cuts what is open. */
  close(): Promise<void>;
}

/** Below which a CNF's paths are. */
export const baseOf = (url: URL): URL => new URL("/cgi-bin/luci/", url);

/** Of an answer that refuses, so much is read: enough to say why. */
const longestRefusalBytes = 64 * 1024;
const longestHeadersBytes = 16 * 1024;

/**
 * Carries requests to one CNF over a few connections that are kept. Follows no redirects, tries nothing twice. What a CNF can
 * make it do is bounded: headers and body in bytes, all of an answer in time, and every request goes to the path it was made
 * for.
 */
export class Transport implements CnfTransport {
  readonly #agent: Agent;
  readonly #base: URL;
  readonly #clock: Clock;
  readonly #hasBundle: boolean;
  readonly #maxAnswerBytes: number;

  constructor(options: TransportOptions) {
    this.#hasBundle = Boolean(options.ca);
    const { url, address, maxConnections, connectTimeoutMs } = options;
    this.#base = baseOf(url);
    this.#clock = options.clock ?? systemClock;
    this.#maxAnswerBytes = options.maxAnswerBytes;
    this.#agent = new Agent({
      connections: maxConnections,
      keepAliveTimeout: 10_000,
      headersTimeout: 0,
      bodyTimeout: 0,
      maxHeaderSize: longestHeadersBytes,
      connect: {
        timeout: connectTimeoutMs,
        ...(url.protocol === "https:" && tlsOptions(options)),
        ...(address !== undefined && { lookup: lookupOf(address) }),
      },
    });
  }

  /**
   * @param request `timeoutMs` is for all of it, to the last byte of the answer
   * @throws {OpenWrtNetworkError} if no answer came
   * @throws {UnexpectedAnswerError} if the answer is longer than it may be
   * @throws {TypeError} for a path that leads elsewhere than it says; nothing is sent
   * @throws the signal's reason, if it aborted
   */
  async send({ method, path, headers = {}, body, timeoutMs, signal }: TransportRequest): Promise<TransportResponse> {
    signal?.throwIfAborted();
    const url = this.#urlOf(path);
    const attempt = `${method} ${url}`;
    const timeout = new AbortController();
    const timer = this.#clock.after(timeoutMs, () => timeout.abort(), { unref: true });
    try {
      const answer = await request(url, {
        dispatcher: this.#agent,
        method,
        headers,
        ...(body !== undefined && { body }),
        signal: signal ? AbortSignal.any([signal, timeout.signal]) : timeout.signal,
      });
      const { "set-cookie": cookies = [], "content-type": contentType = "" } = answer.headers;
      const text = await textOf(answer.statusCode, answer.body, attempt, this.#maxAnswerBytes);
      return { status: answer.statusCode, contentType: String(contentType), cookies: [cookies].flat(), body: text };
    } catch (cause) {
      if (signal?.aborted) throw signal.reason;
      if (cause instanceof AnswerTooLargeError) throw cause;
      if (timeout.signal.aborted) {
        throw new OpenWrtNetworkError(attempt, `no answer within ${timeoutMs} ms`, { cause, isTimeout: true });
      }
      throw new OpenWrtNetworkError(attempt, tlsReasonOf(cause, this.#hasBundle) ?? reasonOf(cause), {
        cause,
        isTimeout: isConnectTimeout(cause),
      });
    } finally {
      timer.cancel();
    }
  }

  /** A URL goes by its own rules: `..`, `?` and the like in a path would make another request of it. */
  #urlOf(path: string): URL {
    const url = new URL(path, this.#base);
    if (url.origin !== this.#base.origin || url.pathname !== `${this.#base.pathname}${path}`)
      throw new TypeError(`a request for ${JSON.stringify(path)} would go to ${url}`);
    return url;
  }

  /** Cuts what is open. */
  close(): Promise<void> {
    return this.#agent.destroy();
  }
}

/** Reads a body as far as it may go. Leaving the loop ends the connection, and what was read before is let go. */
async function textOf(
  status: number,
  body: AsyncIterable<Buffer>,
  attempt: string,
  maxAnswerBytes: number,
): Promise<string> {
  const isRefusal = status >= 400;
  const limit = isRefusal ? Math.min(longestRefusalBytes, maxAnswerBytes) : maxAnswerBytes;
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of body) {
    length += chunk.length;
    if (length > limit && !isRefusal) throw new AnswerTooLargeError(status, attempt, limit);
    chunks.push(chunk);
    if (length > limit) break;
  }
  return Buffer.concat(chunks).subarray(0, limit).toString("utf8");
}

let usual: tls.SecureContext | undefined;

/** The authorities that Node and the system trust, read once: there are hundreds. */
function usualAuthorities(): tls.SecureContext {
  usual ??= tls.createSecureContext({ ca: [...tls.getCACertificates("default"), ...tls.getCACertificates("system")] });
  return usual;
}

function tlsOptions({ ca, insecureSkipTlsVerify }: TransportOptions): object {
  if (insecureSkipTlsVerify) return { rejectUnauthorized: false };
  return { secureContext: ca ? tls.createSecureContext({ ca }) : usualAuthorities() };
}

type LookupCallback = (
  error: Error | null,
  address: string | { address: string; family: number }[],
  family?: number,
) => void;

/** Answers every name with one address, so that the URL's host is still what TLS verifies. */
function lookupOf(address: string): (name: string, options: { all?: boolean }, callback: LookupCallback) => void {
  const family = isIP(address);
  return (_name, options, callback) => {
    if (options.all) callback(null, [{ address, family }]);
    else callback(null, address, family);
  };
}

function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  return cause.message || ("code" in cause ? String(cause.code) : cause.name);
}

function isConnectTimeout(cause: unknown): boolean {
  return cause instanceof Error && "code" in cause && cause.code === "UND_ERR_CONNECT_TIMEOUT";
}
