import { isIP } from "node:net";
import * as tls from "node:tls"; // not a named import, because an older Node would reject that before the version check
import { type Clock, systemClock } from "@kubewright/clock";
import request from "undici/lib/api/api-request.js";
import buildConnector from "undici/lib/core/connect.js";
import Agent from "undici/lib/dispatcher/agent.js";
import { OpenWrtNetworkError, ResponseTooLargeError } from "./errors.ts";
import { tlsReasonOf } from "./tls-reason.ts";

/** Options for a {@link Transport}: the CNF's address, and limits for requests to the CNF. */
export interface TransportOptions {
  readonly url: URL;
  /** Certificates of trusted authorities, in PEM format. If absent or empty, the authorities that Node and the system trust are used. */
  readonly ca?: string | undefined;
  readonly insecureSkipTlsVerify?: boolean | undefined;
  /** Address to connect to. Default: the address that the URL's host resolves to. */
  readonly address?: string | undefined;
  readonly connectTimeoutMs: number;
  /** Maximum number of connections. Further requests wait for a free one. */
  readonly maxConnections: number;
  /** Maximum length of a response body, in bytes. */
  readonly maxResponseBytes: number;
  readonly clock?: Clock | undefined;
}

/** A complete request to a CNF. */
export interface TransportRequest {
  readonly method: string;
  /** Path relative to the base address. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: string | undefined;
  /** Timeout for the whole request, up to the last byte of the response. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

/** A response from a CNF, with any status, including error statuses. */
export interface TransportResponse {
  readonly status: number;
  /** Value of the `Content-Type` header; empty if the CNF does not send it. */
  readonly contentType: string;
  /** Values of the `Set-Cookie` headers, unchanged. */
  readonly cookies: readonly string[];
  readonly body: string;
}

/**
 * Sends requests to one CNF. If no response arrives within a request's `timeoutMs`, the call rejects with an
 * `OpenWrtNetworkError`.
 */
export interface CnfTransport {
  /** Sends a request and returns the response. @throws {OpenWrtNetworkError} if no response arrived in time */
  send(request: TransportRequest): Promise<TransportResponse>;
  /** Closes all connections. */
  close(): Promise<void>;
}

/** Returns the base URL to which a CNF's paths are relative. */
export const baseOf = (url: URL): URL => new URL("/cgi-bin/luci/", url);

/** Maximum number of bytes that are read of an error response. This is enough for its reason. */
const longestRefusalBytes = 64 * 1024;
const longestHeadersBytes = 16 * 1024;

/**
 * Sends requests to one CNF over a few persistent connections. Limits the size of headers and bodies, and the duration
 * of responses. Sends every request to exactly the given path, follows no redirects, and never retries.
 */
export class Transport implements CnfTransport {
  readonly #agent: Agent;
  readonly #base: URL;
  readonly #clock: Clock;
  readonly #hasBundle: boolean;
  readonly #maxResponseBytes: number;

  constructor(options: TransportOptions) {
    this.#hasBundle = Boolean(options.ca);
    const { url, address, maxConnections, connectTimeoutMs } = options;
    this.#base = baseOf(url);
    this.#clock = options.clock ?? systemClock;
    this.#maxResponseBytes = options.maxResponseBytes;
    const connect = buildConnector({
      timeout: connectTimeoutMs,
      ...(url.protocol === "https:" && tlsOptions(options)),
      ...(address !== undefined && { lookup: lookupOf(address) }),
    });
    this.#agent = new Agent({
      connections: maxConnections,
      keepAliveTimeout: 10_000,
      headersTimeout: 0,
      bodyTimeout: 0,
      maxHeaderSize: longestHeadersBytes,
      connect: (target, done) => describePeerSafely(connect(target, done)),
    });
  }

  /**
   * Sends a request and returns the response.
   *
   * @param request its `timeoutMs` covers the whole request, up to the last byte of the response
   * @throws {OpenWrtNetworkError} if no response arrived
   * @throws {UnexpectedResponseError} if the response is too long
   * @throws {TypeError} if the path would lead to a different URL; in this case, nothing is sent @throws the signal's reason if the signal
   * aborts
   */
  async send({ method, path, headers = {}, body, timeoutMs, signal }: TransportRequest): Promise<TransportResponse> {
    signal?.throwIfAborted();
    const url = this.#urlOf(path);
    const attempt = `${method} ${url}`;
    const timeout = new AbortController();
    const timer = this.#clock.after(timeoutMs, () => timeout.abort(), { unref: true });
    try {
      const answer = await request.call(this.#agent, {
        origin: url.origin,
        path: `${url.pathname}${url.search}`,
        method,
        headers,
        ...(body !== undefined && { body }),
        signal: signal ? AbortSignal.any([signal, timeout.signal]) : timeout.signal,
      });
      const { "set-cookie": cookies = [], "content-type": contentType = "" } = answer.headers;
      const text = await textOf(answer.statusCode, answer.body, attempt, this.#maxResponseBytes);
      return { status: answer.statusCode, contentType: String(contentType), cookies: [cookies].flat(), body: text };
    } catch (cause) {
      if (signal?.aborted) throw signal.reason;
      if (cause instanceof ResponseTooLargeError) throw cause;
      if (timeout.signal.aborted) {
        throw new OpenWrtNetworkError(attempt, `no response within ${timeoutMs} ms`, { cause, isTimeout: true });
      }
      throw new OpenWrtNetworkError(attempt, tlsReasonOf(cause, this.#hasBundle) ?? reasonOf(cause), {
        cause,
        isTimeout: isConnectTimeout(cause),
      });
    } finally {
      timer.cancel();
    }
  }

  /**
   * Returns the URL for a path. Rejects paths that contain `..`, `?` and the like: URL parsing would interpret these and thereby change the
   * request.
   */
  #urlOf(path: string): URL {
    const url = new URL(path, this.#base);
    if (url.origin !== this.#base.origin || url.pathname !== `${this.#base.pathname}${path}`)
      throw new TypeError(`a request for ${JSON.stringify(path)} would be sent to ${url}`);
    return url;
  }

  /** Closes all connections. */
  close(): Promise<void> {
    return this.#agent.destroy();
  }
}

/** Reads a body up to a limit. If the body is longer, leaving the loop closes the connection and drops the data that was read. */
async function textOf(
  status: number,
  body: AsyncIterable<Buffer>,
  attempt: string,
  maxResponseBytes: number,
): Promise<string> {
  const isRefusal = status >= 400;
  const limit = isRefusal ? Math.min(longestRefusalBytes, maxResponseBytes) : maxResponseBytes;
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of body) {
    length += chunk.length;
    if (length > limit && !isRefusal) throw new ResponseTooLargeError(status, attempt, limit);
    chunks.push(chunk);
    if (length > limit) break;
  }
  return Buffer.concat(chunks).subarray(0, limit).toString("utf8");
}

let usual: tls.SecureContext | undefined;

/** Returns the authorities that Node and the system trust. They are parsed only once, because there are hundreds of them. */
function usualAuthorities(): tls.SecureContext {
  usual ??= tls.createSecureContext({ ca: [...tls.getCACertificates("default"), ...tls.getCACertificates("system")] });
  return usual;
}

function tlsOptions({ ca, insecureSkipTlsVerify }: TransportOptions): object {
  if (insecureSkipTlsVerify) return { rejectUnauthorized: false };
  return { secureContext: ca ? tls.createSecureContext({ ca }) : usualAuthorities() };
}

/**
 * Lets the client survive any certificate that a CNF sends. Before Node compares the host name, it describes all
 * certificates that the server sends. If one of the keys is on a curve without a NIST name, such as `brainpoolP256r1`,
 * Node 24.21 ends the process with a segmentation fault. This function replaces the description with the parts that the
 * comparison needs.
 */
function describePeerSafely(socket: unknown): void {
  if (!(socket instanceof tls.TLSSocket)) return;
  const value = (): object => {
    const shown = socket.getPeerX509Certificate();
    const commonName = /^CN=(.*)$/m.exec(shown?.subject ?? "")?.[1];
    return {
      subject: commonName === undefined ? {} : { CN: commonName },
      ...(shown?.subjectAltName === undefined ? {} : { subjectaltname: shown.subjectAltName }),
    };
  };
  Object.defineProperty(socket, "getPeerCertificate", { value });
}

type LookupCallback = (
  error: Error | null,
  address: string | { address: string; family: number }[],
  family?: number,
) => void;

/** Returns a lookup function that resolves every name to one address, so that TLS still verifies the host in the URL. */
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
