/// <reference path="./undici-parts.d.ts" />
// The whole of undici is four times the code: caches, mocks, `fetch`. Its version is pinned. Only its proxies need the whole.

import type { LookupFunction } from "node:net";
import type { Clock } from "@kubewright/clock";
import type { Dispatcher } from "undici";
import buildConnector from "undici/lib/core/connect.js";
import Agent from "undici/lib/dispatcher/agent.js";
import Pool from "undici/lib/dispatcher/pool.js";
import type { ConnectionSettings } from "../settings/connection-settings.ts";
import type { Identity } from "../settings/credentials.ts";
import { destroyWhenSilent } from "./destroy-when-silent.ts";
import { proxyOf } from "./proxy-of.ts";
import { endStrayStreams, sessionOf } from "./stray-streams.ts";

export interface DispatcherOptions {
  readonly clock: Clock;
  readonly connectTimeoutMs: number;
  readonly pingIntervalMs: number;
  readonly http2: boolean;
  /** Maximum number of connections if each request takes its own. Default: no limit. */
  readonly maxConnections?: number;
  /** Resolves host names, except those of proxies. */
  readonly lookup?: LookupFunction;
  /** Ends connections that are being established, which destroying the pool does not do. */
  readonly closing: AbortSignal;
}

/** Time for which an idle connection is kept, unless the server sets another. */
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
