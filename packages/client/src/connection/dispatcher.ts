/// <reference path="./undici-parts.d.ts" />
import type { LookupFunction } from "node:net";
import type { Clock } from "@kubewright/clock";
import type { Dispatcher } from "undici";
// The whole of undici is four times the code: caches, mocks, `fetch`. Its version is pinned. Only its proxies need the whole.
import buildConnector from "undici/lib/core/connect.js";
import Agent from "undici/lib/dispatcher/agent.js";
import Pool from "undici/lib/dispatcher/pool.js";
import type { ConnectionSettings } from "../settings/connection-settings.ts";
import type { Identity } from "../settings/credential-source.ts";
import { destroyWhenSilent } from "./destroy-when-silent.ts";
import { proxyOf } from "./proxy-of.ts";
import { endStrayStreams, sessionOf } from "./stray-streams.ts";

export interface DispatcherOptions {
  readonly clock: Clock;
  readonly connectTimeoutMs: number;
  readonly pingIntervalMs: number;
  readonly http2: boolean;
  /** Where each request takes a connection of its own: so many at a time. Default: no limit. */
  readonly maxConnections?: number;
  /** Finds the addresses of names; not those of proxies. */
  readonly lookup?: LookupFunction;
  /** Ends connections that are still being made, which destroying the pool does not. */
  readonly closing: AbortSignal;
}

/** An idle connection is kept for so long, or as long as the server says. */
const keepAliveMs = 60_000;

/** The one pool of connections to a cluster, as one identity. */
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
    // A kube-apiserver allows 100 to 250 streams on one connection and says so; beyond that the pool opens another.
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

/** A pool whose connections end streams that nobody asked for. */
function heeding(pool: Pool): Pool {
  return pool.on("connect", (_origin, targets) => {
    const session = sessionOf(targets.at(-1) ?? {});
    if (session) endStrayStreams(session);
  });
}
