/// <reference path="./undici-parts.d.ts" />
import { type ClientHttp2Session, type ClientHttp2Stream, constants } from "node:http2";
import type { LookupFunction } from "node:net";
import type { Clock } from "@kubewright/clock";
import type { Dispatcher } from "undici";
// All of undici (with caches, mocks and `fetch`) would be four times the code. Only its proxy support needs everything.
// The version is pinned.
import buildConnector from "undici/lib/core/connect.js";
import Agent from "undici/lib/dispatcher/agent.js";
import Pool from "undici/lib/dispatcher/pool.js";
import type { ConnectionSettings } from "../settings/connection-settings.ts";
import type { Identity } from "../settings/credentials.ts";
import { proxyOf } from "./proxy-of.ts";

interface DispatcherOptions {
  readonly clock: Clock;
  readonly connectTimeoutMs: number;
  readonly pingIntervalMs: number;
  readonly http2: boolean;
  /** Maximum number of connections, for pools in which each request uses its own. Default: no limit. */
  readonly maxConnections?: number;
  /** Resolves host names, except those of proxies. */
  readonly lookup?: LookupFunction;
  /** Ends connections that are being established, which destroying the pool does not do. */
  readonly closing: AbortSignal;
}

/** How long an idle connection is kept, unless the server specifies otherwise. */
const keepAliveMs = 60_000;

/** Creates the pool of connections to a cluster for one identity. */
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
    // A kube-apiserver allows 100 to 250 streams on one connection and announces the limit; beyond it, the pool opens another connection.
    h2Options: { pingInterval: options.pingIntervalMs, maxConcurrentStreams: 250 },
  };
  const uri = proxyOf(settings);
  if (uri !== undefined) {
    const { ProxyAgent } = await import("undici");
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
        if (options.pingIntervalMs > 0 && "alpnProtocol" in socket && socket.alpnProtocol === "h2")
          destroyWhenSilent(socket, options.clock, options.pingIntervalMs);
        done(null, socket);
      }),
  });
}

/** Makes the connections of a pool end streams that belong to no request. */
function heeding(pool: Pool): Pool {
  return pool.on("connect", (_origin, targets) => {
    const session = sessionOf(targets.at(-1) ?? {});
    if (session) endStrayStreams(session);
  });
}

/** Number of intervals without a byte, including ping responses, after which a peer is considered dead. */
const silentIntervals = 3;

/** The used part of a socket. */
interface WatchedSocket {
  readonly bytesRead: number;
  destroy(error: Error): unknown;
  once(event: "close", listener: () => void): unknown;
}

/**
 * undici sends pings but does not notice missing answers, so a connection that a firewall dropped would block its watches forever.
 * Intervals are counted instead of time: after a stall of this process, answers may have arrived that are not read yet.
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
 * the stream, treats the response as a stream that the server opened, and emits it as `stream` of the session. undici does not listen to
 * that event: the stream would stay open as long as its connection, and then end the process, because an error of the connection (also its
 * destruction) is emitted on each of its streams, and this one has no error listener.
 */
function endStrayStreams(session: ClientHttp2Session): void {
  session.on("stream", (stream: ClientHttp2Stream) => {
    stream.on("error", ignoreErrorsOfStrayStream);
    stream.close(constants.NGHTTP2_CANCEL);
    stream.destroy();
  });
}

/**
 * Returns the HTTP/2 session of an undici client, if there is one. undici does not expose it but stores it under a symbol; it is
 * recognised by its methods.
 */
function sessionOf(client: object): ClientHttp2Session | undefined {
  return Object.getOwnPropertySymbols(client)
    .map((symbol): unknown => Reflect.get(client, symbol))
    .find(isClientSession);
}

const isClientSession = (value: unknown): value is ClientHttp2Session =>
  typeof value === "object" && value !== null && "goaway" in value && "request" in value && "ping" in value;

/** No request is waiting for such a stream, so its errors are ignored. */
function ignoreErrorsOfStrayStream(): void {}
