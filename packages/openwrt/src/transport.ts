import { isIP } from "node:net";
import { createSecureContext, getCACertificates, type SecureContext } from "node:tls";
import { type Clock, systemClock } from "@kubewright/clock";
import { Agent, request } from "undici";
import { OpenWrtNetworkError } from "./errors.ts";
import { tlsReasonOf } from "./tls-reason.ts";

export interface TransportOptions {
  readonly url: URL;
  /** PEM bundle. Absent or empty: the authorities that Node and the system trust. */
  readonly ca?: string | undefined;
  readonly insecureSkipTlsVerify?: boolean | undefined;
  /** Where to connect in place of what the URL's host resolves to. */
  readonly address?: string | undefined;
  readonly connectTimeoutMs: number;
  readonly maxConnections: number;
  readonly clock?: Clock | undefined;
}

export interface TransportRequest {
  readonly method: string;
  /** Below the base address. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

export interface TransportResponse {
  readonly status: number;
  readonly contentType: string;
  readonly cookies: readonly string[];
  readonly body: string;
}

/** Carries requests to one CNF over a few connections that are kept. Follows no redirects, tries nothing twice. */
export class Transport {
  readonly #agent: Agent;
  readonly #base: URL;
  readonly #clock: Clock;
  readonly #hasBundle: boolean;

  constructor(options: TransportOptions) {
    this.#hasBundle = Boolean(options.ca);
    const { url, address, maxConnections, connectTimeoutMs } = options;
    this.#base = new URL("/cgi-bin/luci/", url);
    this.#clock = options.clock ?? systemClock;
    this.#agent = new Agent({
      connections: maxConnections,
      keepAliveTimeout: 10_000,
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: {
        timeout: connectTimeoutMs,
        ...(url.protocol === "https:" && tlsOptions(options)),
        ...(address !== undefined && { lookup: lookupOf(address) }),
      },
    });
  }

  /**
   * @throws {OpenWrtNetworkError} if no answer came
   * @throws the signal's reason, if it aborted
   */
  async send({ method, path, headers = {}, body, timeoutMs, signal }: TransportRequest): Promise<TransportResponse> {
    signal?.throwIfAborted();
    const attempt = `${method} ${new URL(path, this.#base)}`;
    const timeout = new AbortController();
    const timer = this.#clock.after(timeoutMs, () => timeout.abort(), { unref: true });
    try {
      const answer = await request(new URL(path, this.#base), {
        dispatcher: this.#agent,
        method,
        headers,
        ...(body !== undefined && { body }),
        signal: signal ? AbortSignal.any([signal, timeout.signal]) : timeout.signal,
      });
      const { "set-cookie": cookies = [], "content-type": contentType = "" } = answer.headers;
      const text = await answer.body.text();
      return { status: answer.statusCode, contentType: String(contentType), cookies: [cookies].flat(), body: text };
    } catch (cause) {
      if (signal?.aborted) throw signal.reason;
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

  /** Cuts what is open. */
  close(): Promise<void> {
    return this.#agent.destroy();
  }
}

let usual: SecureContext | undefined;

/** The authorities that Node and the system trust, read once: there are hundreds. */
function usualAuthorities(): SecureContext {
  usual ??= createSecureContext({ ca: [...getCACertificates("default"), ...getCACertificates("system")] });
  return usual;
}

function tlsOptions({ ca, insecureSkipTlsVerify }: TransportOptions): object {
  if (insecureSkipTlsVerify) return { rejectUnauthorized: false };
  return { secureContext: ca ? createSecureContext({ ca }) : usualAuthorities() };
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
