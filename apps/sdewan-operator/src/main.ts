#!/usr/bin/env node
import { sealObjectPrototype } from "@kubewright/apimachinery";
import { Connection, isKubeConfigError } from "@kubewright/client";
import { createLogger } from "@kubewright/log";
import { signalContext } from "@kubewright/manager";
import { CommanderError } from "commander";
import { operatorFlags } from "./cli/operator-flags.ts";
import { oneLine } from "./cli/user-error.ts";
import { runOperator } from "./operator.ts";

async function main(): Promise<void> {
  sealObjectPrototype();
  const flags = operatorFlags(process.argv.slice(2));
  const logger = createLogger({ level: flags.logLevel });
  const connection = flags.kubeconfig
    ? Connection.fromKubeConfig(flags.kubeconfig, { logger })
    : Connection.fromDefault({ logger });
  await runOperator(
    {
      connection,
      logger,
      metricsBindAddress: flags.metricsBindAddress,
      healthProbeBindAddress: flags.healthProbeBindAddress,
      leaderElect: flags.leaderElect,
      ...(flags.leaderElectionNamespace ? { leaderElectionNamespace: flags.leaderElectionNamespace } : {}),
      checkIntervalMs: flags.checkInterval * 1_000,
      cnf: { scheme: flags.cnfScheme, port: flags.cnfPort },
    },
    signalContext(),
  ).finally(() => connection.close());
}

/** What the user can put right ends with 2, anything else with 1. */
function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  const code = systemCodeOf(error);
  return isKubeConfigError(error) || code === "EADDRINUSE" || code === "EACCES" ? 2 : 1;
}

/** The system's code, such as EADDRINUSE, of an error or of what it was caused by. */
function systemCodeOf(error: unknown): unknown {
  if (!(error instanceof Error)) return undefined;
  return "code" in error ? error.code : systemCodeOf(error.cause);
}

try {
  await main();
} catch (error) {
  // Commander has told the user already.
  if (!(error instanceof CommanderError)) process.stderr.write(`sdewan-operator: ${oneLine(error)}\n`);
  process.exitCode = exitCodeOf(error);
}
