/// <reference path="./undici-parts.d.ts" />
import { type ClientHttp2Session, type ClientHttp2Stream, constants } from "node:http2";
import { BlockList, isIP, type LookupFunction } from "node:net";
import process from "node:process";
import type { Clock } from "@kubewright/clock";
import type { Dispatcher } from "undici";
// All of undici (with caches, mocks and `fetch`) would be four times as much code. Only its proxy support needs all of it. The version is
// pinned.
import buildConnector from "undici/lib/core/connect.js";
import Agent from "undici/lib/dispatcher/agent.js";
import Pool from "undici/lib/dispatcher/pool.js";
import type { ConnectionSettings } from "../settings/connection-settings.ts";
import type { Identity } from "../settings/credentials.ts";

interface DispatcherOptions {
  readonly clock: Clock;
  readonly connectTimeoutMs: number;
  /** `false` disables pings. */
  readonly pingIntervalMs: number | false;
  readonly http2: boolean;
  /** Maximum number of connections, for pools in which each request uses its own connection. Default: no limit. */
  readonly maxConnections?: number;
  /** Resolves host names other than those of proxies. */
  readonly lookup?: LookupFunction;
  /** Signal that ends connections being established, which destroying the pool would not end. */
  readonly closing: AbortSignal;
}

/** Idle time after which a connection is closed, unless the server specifies otherwise. */
const keepAliveMs = 60_000;

/** Creates a connection pool for one cluster and one identity. */
export async function createDispatcher(
  settings: ConnectionSettings,
  identity: Identity,
  options: DispatcherOptions,
): Promise<Dispatcher> {
  const tls = {
    signal: options.closing,
    rejectUnauthorized: !settings.insecureSkipTlsVerify,
    ...(settings.caData ? { ca: settings.caData } : {}),
    ...(identity.certData ? { cert: identity.certData } : {}),
    ...(identity.keyData ? { key: identity.keyData } : {}),
    ...(settings.tlsServerName ? { servername: settings.tlsServerName } : {}),
  };
  const pool = {
    allowH2: options.http2,
    keepAliveTimeout: keepAliveMs,
    ...(options.maxConnections ? { connections: options.maxConnections } : {}),
    factory: (origin: string | URL, each: Pool.Options) => heeding(new Pool(origin, each)),
    // A kube-apiserver allows 100 to 250 streams per connection and announces the limit. Above the limit, the pool opens another
    // connection.
    h2Options: { pingInterval: options.pingIntervalMs || 0, maxConcurrentStreams: 250 },
  };
  const uri = proxyOf(settings);
  if (uri !== undefined) {
    const { ProxyAgent } = await import("undici"); // its module alone lacks what the main module adds to dispatchers
    return new ProxyAgent({ ...pool, uri, requestTls: tls, connectTimeout: options.connectTimeoutMs });
  }

  const connect = buildConnector({
    ...tls,
    allowH2: options.http2,
    preferH2: options.http2,
    timeout: options.connectTimeoutMs,
    keepAliveInitialDelay: 30_000,
    autoSelectFamily: true,
    ...(options.lookup ? { lookup: options.lookup } : {}),
  });
  return new Agent({
    ...pool,
    connect: (target, done) =>
      connect(target, (...outcome) => {
        const [error, socket] = outcome;
        if (error) return done(error, null);
        if (options.pingIntervalMs !== false && "alpnProtocol" in socket && socket.alpnProtocol === "h2")
          destroyWhenSilent(socket, options.clock, options.pingIntervalMs);
        done(null, socket);
      }),
  });
}

/** Makes a pool's connections end streams that belong to no request. */
function heeding(pool: Pool): Pool {
  return pool.on("connect", (_origin, targets) => {
    const session = sessionOf(targets.at(-1) ?? {});
    if (session) endStrayStreams(session);
  });
}

/** Number of intervals without a byte, including ping responses, after which a peer is considered dead. */
const silentIntervals = 3;

/** The socket members that are used here. */
interface WatchedSocket {
  readonly bytesRead: number;
  destroy(error: Error): unknown;
  once(event: "close", listener: () => void): unknown;
}

/**
 * Destroys a connection that no longer responds. undici sends pings but does not notice missing responses, so a
 * connection dropped by a firewall would block its watches forever. The function counts intervals instead of measuring
 * time, because after this process has stalled, responses may have arrived that have not been read yet.
 */
export function destroyWhenSilent(socket: WatchedSocket, clock: Clock, intervalMs: number): void {
  let seen = -1;
  let silent = 0;
  let timer = clock.after(intervalMs, check, { unref: true });
  socket.once("close", () => timer.cancel());
  function check(): void {
    silent = socket.bytesRead === seen ? silent + 1 : 0;
    seen = socket.bytesRead;
    if (silent >= silentIntervals) socket.destroy(new Error(`no response to pings for ${silent * intervalMs} ms`));
    else timer = clock.after(intervalMs, check, { unref: true });
  }
}

/**
 * Ends HTTP/2 streams that belong to no request. If a request is cancelled at the moment its response arrives, Node has already forgotten
 * the stream. Node then treats the response as a stream opened by the server and emits a `stream` event on the session, to which undici
 * does not listen. Such a stream would stay open as long as its connection. It would then end the process: when a connection fails or is
 * destroyed, the error is emitted on each of its streams, and this stream has no error listener.
 */
function endStrayStreams(session: ClientHttp2Session): void {
  session.on("stream", (stream: ClientHttp2Stream) => {
    stream.on("error", ignoreErrorsOfStrayStream);
    stream.close(constants.NGHTTP2_CANCEL);
    stream.destroy();
  });
}

/**
 * Returns the HTTP/2 session of an undici client, if any. undici does not expose the session but stores it under a symbol, so it is
 * recognized by its methods.
 */
function sessionOf(client: object): ClientHttp2Session | undefined {
  return Object.getOwnPropertySymbols(client)
    .map((symbol): unknown => Reflect.get(client, symbol))
    .find(isClientSession);
}

const isClientSession = (value: unknown): value is ClientHttp2Session =>
  typeof value === "object" && value !== null && "goaway" in value && "request" in value && "ping" in value;

/** Ignores errors, because no request is waiting for the stream. */
function ignoreErrorsOfStrayStream(): void {}

type Environment = Readonly<Record<string, string | undefined>>;

const schemes = new Set(["http:", "https:", "socks5:"]);
const loopback = new BlockList();
loopback.addSubnet("127.0.0.0", 8);
loopback.addAddress("::1", "ipv6");

/**
 * Returns the proxy for requests to the API server. The proxy in the settings takes precedence over `HTTPS_PROXY` (`HTTP_PROXY` for a
 * server without TLS; lower-case names also work). A proxy from the environment is not used if `NO_PROXY` excludes the server, or for
 * `localhost` and loopback addresses.
 *
 * @throws {Error} if the proxy is not an http, https or socks5 URL
 * @see Go's golang.org/x/net/http/httpproxy
 */
export function proxyOf(settings: ConnectionSettings, env: Environment = process.env): string | undefined {
  if (settings.proxyUrl) return checked(settings.proxyUrl, "proxyUrl");
  const server = new URL(settings.server);
  const name = server.protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY";
  const from = variable(env, name);
  if (!from || !isProxied(server, variable(env, "NO_PROXY")?.value ?? "")) return undefined;
  return checked(/^[a-z][a-z0-9+.-]*:\/\//i.test(from.value) ? from.value : `http://${from.value}`, from.name);
}

function variable(env: Environment, name: string): { readonly name: string; readonly value: string } | undefined {
  for (const one of [name, name.toLowerCase()]) {
    const value = env[one];
    if (value) return { name: one, value };
  }
  return undefined;
}

/** Validates a proxy URL. It may contain a password, which a message must not repeat. */
function checked(value: string, from: string): string {
  const plain = value.replace(/^socks5h:/i, "socks5:"); // the proxy resolves names in either case
  const url = URL.canParse(plain) ? new URL(plain) : undefined;
  if (url && schemes.has(url.protocol) && url.host !== "") return plain;
  const shown = value.replace(/^(.*:\/\/)?.*@/, "$1…@");
  throw new Error(
    `${from} "${shown}" is not a valid proxy URL; use http://host:port, https://host:port or socks5://host:port`,
  );
}

function isProxied(server: URL, noProxy: string): boolean {
  const host = server.hostname.replace(/^\[|\]$/g, "");
  const port = server.port || (server.protocol === "https:" ? "443" : "80");
  const family = familyOf(host);
  if (host === "localhost" || (family && loopback.check(host, family))) return false;
  const entries = noProxy.split(",").map((entry) => entry.trim().toLowerCase());
  return !entries.some((entry) => entry === "*" || excludes(entry, host, port));
}

/** Matches a `NO_PROXY` entry: an address, an address range, or a domain including its subdomains, each optionally with a port. */
function excludes(entry: string, host: string, port: string): boolean {
  const family = familyOf(host);
  const [, network = "", bits = ""] = /^(.+)\/(\d{1,3})$/.exec(entry) ?? [];
  const networkFamily = familyOf(network);
  if (networkFamily && Number(bits) <= (networkFamily === "ipv4" ? 32 : 128))
    return (
      family !== undefined && matches(host, family, (list) => list.addSubnet(network, Number(bits), networkFamily))
    );
  const [, bracketed, plain = "", wantedPort] = /^(?:\[(.*)\]|([^:]*))(?::(\d*))?$/.exec(entry) ?? [
    "",
    undefined,
    entry,
  ];
  const wanted = bracketed ?? plain;
  if (wanted === "" || (wantedPort && wantedPort !== port)) return false;
  const wantedFamily = familyOf(wanted);
  if (wantedFamily)
    return family !== undefined && matches(host, family, (list) => list.addAddress(wanted, wantedFamily));
  const domain = wanted.replace(/^\*?\./, "");
  return host.endsWith(`.${domain}`) || (domain === wanted && host === domain);
}

/** Reports whether a host address matches. An IPv4 address in IPv6 notation also matches. */
function matches(host: string, family: "ipv4" | "ipv6", add: (list: BlockList) => void): boolean {
  const list = new BlockList();
  add(list);
  return list.check(host, family);
}

function familyOf(text: string): "ipv4" | "ipv6" | undefined {
  const version = isIP(text);
  return version === 4 ? "ipv4" : version === 6 ? "ipv6" : undefined;
}
