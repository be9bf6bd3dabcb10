#!/usr/bin/env node
import "kubewright/node-version";

import { existsSync, readFileSync } from "node:fs";
import { sealObjectPrototype } from "@kubewright/apimachinery";
import { Connection, isKubeConfigError } from "@kubewright/client";
import { systemClock } from "@kubewright/clock";
import { createLogger } from "@kubewright/log";
import { signalContext } from "@kubewright/manager";
import { CommanderError } from "commander";
import { inspect } from "./cli/inspect.ts";
import { type InspectFlags, inspectFlags, isInspectCommand } from "./cli/inspect-flags.ts";
import { type OperatorFlags, operatorFlags } from "./cli/operator-flags.ts";
import { oneLine, UserError } from "./cli/user-error.ts";
import { type ConsoleSettings, consoleSettings } from "./operator/console-settings.ts";
import { runOperator } from "./operator/operator.ts";
import type { OperatorOptions } from "./operator/operator-options.ts";
import { settingsOf } from "./operator/settings-of-flags.ts";

const lingerMs = 1_000;

async function main(): Promise<void> {
  sealObjectPrototype();
  const [word, ...rest] = process.argv.slice(2);
  if (isInspectCommand(word)) return look(inspectFlags(word, rest));
  const flags = operatorFlags(process.argv.slice(2));
  if (flags.leaderElect && !flags.leaderElectionNamespace && !existsSync(ownNamespace))
    throw new UserError("--leader-elect wants --leader-election-namespace where the operator runs in no pod");
  const settings = settingsOf(flags);
  const shown = consoleSettings(flags, settings.metricsTls);
  const logger = createLogger({ level: flags.logLevel });
  const connection = flags.kubeconfig
    ? Connection.fromKubeConfig(flags.kubeconfig, { logger })
    : Connection.fromDefault({ logger });
  await runOperator(
    {
      connection,
      logger,
      ...settings,
      ...statusNamespaceOf(flags),
      ...(shown ? await withConsole(shown) : {}),
    },
    signalContext(),
  ).finally(() => connection.close());
}

/** Shows one CNF; its exit code says how that is. */
async function look(flags: InspectFlags): Promise<void> {
  const out = (text: string): void => void process.stdout.write(text);
  const err = (text: string): void => void process.stderr.write(`sdewan-operator: ${text}\n`);
  try {
    process.exitCode = await inspect(flags, { out, err });
  } catch (error) {
    if (error instanceof UserError || isKubeConfigError(error)) throw error;
    err(oneLine(error));
    process.exitCode = 3;
  }
}

/** In a pod, a file with the namespace that the pod is in. */
const ownNamespace = "/var/run/secrets/kubernetes.io/serviceaccount/namespace";

const podNamespace = (): string | undefined =>
  existsSync(ownNamespace) ? readFileSync(ownNamespace, "utf8").trim() : undefined;

/** By default that of this pod, if it runs in one. */
function statusNamespaceOf({ statusNamespace }: OperatorFlags): { readonly statusNamespace?: string } {
  const own = podNamespace();
  return !statusNamespace && own ? { statusNamespace: own } : {};
}

/** Who has no console has nothing of it in memory. */
async function withConsole(settings: ConsoleSettings): Promise<Pick<OperatorOptions, "prepare">> {
  const { showConsole } = await import("./operator/console.ts");
  const namespace = podNamespace();
  return {
    prepare: (manager, sight) => showConsole(manager, sight, { ...settings, ...(namespace ? { namespace } : {}) }),
  };
}

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
