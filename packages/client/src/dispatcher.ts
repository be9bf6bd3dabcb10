import type { Socket } from "node:net";
import type { Clock } from "@kubewright/clock";
import { Agent, buildConnector, type Dispatcher, ProxyAgent } from "undici";
import type { ConnectionSettings } from "./connection-settings.ts";
import type { Identity } from "./credentials.ts";

export interface DispatcherOptions {
  readonly clock: Clock;
  readonly connectTimeoutMs: number;
  readonly pingIntervalMs: number;
  readonly http2: boolean;
}

/** An idle connection is kept for so long, or as long as the server says. */
const keepAliveMs = 60_000;
/** A silent peer is given up after this many intervals without a byte, pings and their answers included. */
const silentIntervals = 3;

/** The one pool of connections to a cluster, as one identity. */
export async function createDispatcher(
  settings: ConnectionSettings,
  identity: Identity,
  options: DispatcherOptions,
): Promise<Dispatcher> {
  const tls = {
    rejectUnauthorized: !settings.insecureSkipTlsVerify,
    ...(settings.caData ? { ca: settings.caData } : {}),
    ...(identity.certData ? { cert: identity.certData } : {}),
    ...(identity.keyData ? { key: identity.keyData } : {}),
    ...(settings.tlsServerName ? { servername: settings.tlsServerName } : {}),
  };
  const pool = {
    allowH2: options.http2,
    keepAliveTimeout: keepAliveMs,
    // A kube-apiserver allows 100 to 250 streams on one connection and says so; beyond that the pool opens another.
    h2Options: { pingInterval: options.pingIntervalMs, maxConcurrentStreams: 250 },
  };
  if (settings.proxyUrl) return new ProxyAgent({ ...pool, uri: settings.proxyUrl, requestTls: tls });

  const connect = buildConnector({
    ...tls,
    allowH2: options.http2,
    preferH2: options.http2,
    timeout: options.connectTimeoutMs,
    keepAliveInitialDelay: 30_000,
    autoSelectFamily: true,
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

/**
 * undici sends pings but never misses their answers, so a connection that a firewall forgot would hang its watches for ever.
 * Intervals are counted, not time: after a stall of this process the answers are still to be read, and nothing is wrong.
 */
function destroyWhenSilent(socket: Socket, clock: Clock, intervalMs: number): void {
  let seen = -1;
  let silent = 0;
  let timer = clock.after(intervalMs, check, { unref: true });
  socket.once("close", () => timer.cancel());
  function check(): void {
    silent = socket.bytesRead === seen ? silent + 1 : 0;
    seen = socket.bytesRead;
    if (silent >= silentIntervals) socket.destroy(new Error(`no answer to pings for ${silent * intervalMs} ms`));
    else timer = clock.after(intervalMs, check, { unref: true });
  }
}
