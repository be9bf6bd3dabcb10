import { isIPv4 } from "node:net";
import { systemClock } from "@kubewright/clock";
import { silentLogger } from "@kubewright/log";
import type { ManagerOptions } from "@kubewright/manager";
import { webhookName } from "../webhooks/webhooks.ts";
import { watchErrorLog } from "./definitions.ts";
import type { OperatorOptions } from "./operator-options.ts";
import { ServedCache } from "./served-cache.ts";
import { webhookOptions } from "./webhook-server.ts";

/** Maximum duration of a shutdown, in milliseconds. The pod's grace period is longer. */
export const shutdownMs = 10_000;

/** Returns the options for the operator's manager. */
export function managerOptions(options: OperatorOptions): ManagerOptions {
  const { connection, leaderElect, leaderElectionNamespace: namespace, metricsBindAddress = ":8080" } = options;
  const { logger = silentLogger, clock = systemClock } = options;
  const lease = { id: "controller-leader-election-helper", releaseOnCancel: true };
  return {
    name: webhookName,
    ...webhookOptions(options.webhooks),
    ...(connection ? { connection } : {}),
    ...(leaderElect ? { leaderElection: { ...lease, ...(namespace ? { namespace } : {}) } } : {}),
    metrics: {
      bindAddress: metricsBindAddress,
      authenticate: !isLoopback(metricsBindAddress),
      ...(options.metricsTls ? { tls: options.metricsTls } : {}),
    },
    health: { bindAddress: options.healthProbeBindAddress ?? "0" },
    cacheOptions: { onError: watchErrorLog(logger) },
    newCache: (cacheOptions) => new ServedCache(cacheOptions),
    gracefulShutdownTimeoutMs: shutdownMs,
    fieldOwner: "sdewan-operator",
    logger,
    clock,
  };
}

/** Reports whether only this machine can reach an address. */
export function isLoopback(address: string): boolean {
  const host = address.slice(0, address.lastIndexOf(":")).replace(/^\[|\]$/g, "");
  return host === "localhost" || host === "::1" || (isIPv4(host) && host.startsWith("127."));
}
