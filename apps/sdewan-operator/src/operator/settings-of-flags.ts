import type { OperatorFlags } from "../cli/operator-flags.ts";
import type { OperatorOptions } from "./operator-options.ts";
import { servingSettings } from "./serving.ts";

/**
 * Returns the operator's settings from the command line, except those for the cluster connection.
 *
 * @throws {UserError} if flags contradict each other
 */
export function settingsOf(flags: OperatorFlags): OperatorOptions {
  const { leaderElectionNamespace, statusNamespace, cnfMaxResponseBytes: maxResponseBytes } = flags;
  return {
    metricsBindAddress: flags.metricsBindAddress,
    ...servingSettings(flags),
    healthProbeBindAddress: flags.healthProbeBindAddress,
    leaderElect: flags.leaderElect,
    ...(leaderElectionNamespace ? { leaderElectionNamespace } : {}),
    ...(statusNamespace ? { statusNamespace } : {}),
    checkIntervalMs: flags.checkInterval * 1_000,
    cnf: { scheme: flags.cnfScheme, port: flags.cnfPort },
    cnfNamespaces: flags.cnfNamespaces,
    drift: flags.drift,
    confirmChangesMs: flags.confirmChanges,
    soakMs: flags.soak,
    ...(maxResponseBytes ? { cnfTimeouts: { maxResponseBytes } } : {}),
  };
}
