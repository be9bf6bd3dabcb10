#!/usr/bin/env node
import "kubewright/node-version";

import { existsSync } from "node:fs";
import { sealObjectPrototype } from "@kubewright/apimachinery";
import { Connection, isKubeConfigError } from "@kubewright/client";
import { systemClock } from "@kubewright/clock";
import { createLogger } from "@kubewright/log";
import { signalContext } from "@kubewright/manager";
import { CommanderError } from "commander";
import { operatorFlags } from "./cli/operator-flags.ts";
import { oneLine, UserError } from "./cli/user-error.ts";
import { runOperator } from "./operator/operator.ts";

const lingerMs = 1_000;

async function main(): Promise<void> {
  sealObjectPrototype();
  const flags = operatorFlags(process.argv.slice(2));
  if (flags.leaderElect && !flags.leaderElectionNamespace && !existsSync(ownNamespace))
    throw new UserError("--leader-elect wants --leader-election-namespace where the operator runs in no pod");
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
      cnfNamespaces: flags.cnfNamespaces,
      ...(flags.cnfMaxAnswerBytes ? { cnfTimeouts: { maxAnswerBytes: flags.cnfMaxAnswerBytes } } : {}),
    },
    signalContext(),
  ).finally(() => connection.close());
}

/** In a pod, a file with the namespace that the pod is in. */
const ownNamespace = "/var/run/secrets/kubernetes.io/serviceaccount/namespace";

/** Codes of an address that cannot be listened on. */
const addressCodes: ReadonlySet<unknown> = new Set(["EADDRINUSE", "EADDRNOTAVAIL", "EACCES", "ENOTFOUND", "EAI_AGAIN"]);

/** Being told to stop ends with 0, what the user can put right with 2, anything else with 1. */
function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  const isTheirs = error instanceof UserError || isKubeConfigError(error) || addressCodes.has(listenCodeOf(error));
  return isTheirs ? 2 : 1;
}

/** The system's code of why an address could not be listened on or found; not of a cluster that cannot be reached. */
function listenCodeOf(error: unknown): unknown {
  if (!(error instanceof Error)) return undefined;
  return /failed to listen/.test(error.message) ? systemCodeOf(error) : undefined;
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
// Whatever is still open after all was told to end does not keep the process.
systemClock.after(lingerMs, () => process.exit(), { unref: true });
