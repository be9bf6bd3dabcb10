#!/usr/bin/env node
import "kubewright/node-version";

import { existsSync, readFileSync } from "node:fs";
import { sealObjectPrototype } from "@kubewright/apimachinery";
import { Connection, isKubeConfigError } from "@kubewright/client";
import { systemClock } from "@kubewright/clock";
import { createLogger } from "@kubewright/log";
import { signalContext } from "@kubewright/manager";
import { CommanderError } from "commander";
import { type InspectExit, type InspectOutput, inspect } from "./cli/inspect.ts";
import { inspectFlags, isInspectCommand } from "./cli/inspect-flags.ts";
import { type OperatorFlags, operatorFlags } from "./cli/operator-flags.ts";
import { plan, planFlags } from "./cli/plan-command.ts";
import { oneLine, UserError } from "./cli/user-error.ts";
import { type ConsoleSettings, consoleSettings } from "./operator/console-settings.ts";
import { runOperator } from "./operator/operator.ts";
import type { OperatorOptions } from "./operator/operator-options.ts";
import { settingsOf } from "./operator/settings-of-flags.ts";

const lingerMs = 1_000;

async function main(): Promise<void> {
  sealObjectPrototype();
  const [word, ...rest] = process.argv.slice(2);
  if (isInspectCommand(word)) {
    const flags = inspectFlags(word, rest);
    return look((output) => inspect(flags, output));
  }
  if (word === "plan") {
    const flags = planFlags(rest);
    return look((output) => plan(flags, output));
  }
  const flags = operatorFlags(process.argv.slice(2));
  if (flags.leaderElect && !flags.leaderElectionNamespace && !existsSync(ownNamespace))
    throw new UserError("--leader-elect requires --leader-election-namespace outside a pod");
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

/** Runs a command that only reads. Its exit code depends on the state of the CNFs. */
async function look(command: (output: InspectOutput) => Promise<InspectExit>): Promise<void> {
  const out = (text: string): void => void process.stdout.write(text);
  const err = (text: string): void => void process.stderr.write(`sdewan-operator: ${text}\n`);
  try {
    process.exitCode = await command({ out, err });
  } catch (error) {
    if (error instanceof UserError || isKubeConfigError(error)) throw error;
    err(oneLine(error));
    process.exitCode = 3;
  }
}

/** File that contains the namespace of the pod, if the program runs in one. */
const ownNamespace = "/var/run/secrets/kubernetes.io/serviceaccount/namespace";

const podNamespace = (): string | undefined =>
  existsSync(ownNamespace) ? readFileSync(ownNamespace, "utf8").trim() : undefined;

/** Returns the flag, or the namespace of this pod if it runs in one. */
function statusNamespaceOf({ statusNamespace }: OperatorFlags): { readonly statusNamespace?: string } {
  const own = podNamespace();
  return !statusNamespace && own ? { statusNamespace: own } : {};
}

/** Loads the console only if it is enabled, to save memory. */
async function withConsole(settings: ConsoleSettings): Promise<Pick<OperatorOptions, "prepare">> {
  const { showConsole } = await import("./operator/console.ts");
  const namespace = podNamespace();
  return {
    prepare: (manager, operatorView) =>
      showConsole(manager, operatorView, { ...settings, ...(namespace ? { namespace } : {}) }),
  };
}

/** Error codes of an address that cannot be used for listening. */
const addressCodes: ReadonlySet<unknown> = new Set(["EADDRINUSE", "EADDRNOTAVAIL", "EACCES", "ENOTFOUND", "EAI_AGAIN"]);

/** Returns the exit code: 0 after a stop signal, 2 for errors that the user can fix, otherwise 1. */
function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  const isTheirs = error instanceof UserError || isKubeConfigError(error) || addressCodes.has(listenCodeOf(error));
  return isTheirs ? 2 : 1;
}

/**
 * Returns the system's error code if an address cannot be used for listening, or undefined for an unreachable cluster.
 */
function listenCodeOf(error: unknown): unknown {
  if (!(error instanceof Error)) return undefined;
  return /failed to listen/.test(error.message) ? systemCodeOf(error) : undefined;
}

/** Returns the system's code, such as EADDRINUSE, of an error or its causes. */
function systemCodeOf(error: unknown): unknown {
  if (!(error instanceof Error)) return undefined;
  return "code" in error ? error.code : systemCodeOf(error.cause);
}

try {
  await main();
} catch (error) {
  // Commander has already printed the message.
  if (!(error instanceof CommanderError)) process.stderr.write(`sdewan-operator: ${oneLine(error)}\n`);
  process.exitCode = exitCodeOf(error);
}
// Exit even if handles remain open after the operator has stopped.
systemClock.after(lingerMs, () => process.exit(), { unref: true });
