import type { OperatorFlags } from "../cli/operator-flags.ts";
import type { OperatorOptions } from "./operator-options.ts";
import { servingSettings } from "./serving.ts";

/** What the command line says of the operator, whatever cluster it is for. @throws {UserError} if flags do not fit together */
export function settingsOf(flags: OperatorFlags): OperatorOptions {
  const { leaderElectionNamespace, statusNamespace, cnfMaxAnswerBytes: maxAnswerBytes } = flags;
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
    ...(maxAnswerBytes ? { cnfTimeouts: { maxAnswerBytes } } : {}),
  };
}
