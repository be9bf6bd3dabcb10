import { Connection, isKubeConfigError } from "@kubewright/client";
import { createLogger } from "@kubewright/log";
import { LeaseNamespaceError } from "./leader-election.ts";
import { Manager } from "./manager.ts";
import { FlagError, flagUsage, managerFlags } from "./manager-flags.ts";
import type { ManagerOptions } from "./manager-options.ts";
import { signalContext } from "./signals.ts";

/** Time for routers to learn that a pod is ending. */
const podLingerMs = 10_000;

/**
 * Runs a program; usually the only call in its `main.ts`. Parses flags, creates a manager that logs JSON lines, calls
 * `setup` to add controllers and other parts to the manager, and runs the manager until SIGINT or SIGTERM.
 *
 * - Unless the options disable it, permissions are checked first (`preflight`), and the Lease is released at the end
 *   (`leaderElection.releaseOnCancel`).
 * - In a pod, webhooks are served for another 10 s after the signal (`webhooks.lingerMs`).
 * - Invalid flags are reported in one line, with exit code 2. A missing or invalid kubeconfig, or an address that is
 *   already in use, is reported with exit code 1.
 *
 * @throws the errors thrown by `setup` and `Manager.run`, except those about unavailable addresses and unreadable
 * kubeconfigs
 */
export async function run(
  setup: (manager: Manager) => void | Promise<void>,
  options: ManagerOptions = {},
): Promise<void> {
  const flags = flagsOf(options);
  if (!flags) return;
  const { kubeconfig, context, logLevel } = flags;
  const logger = options.logger ?? createLogger(logLevel === undefined ? {} : { level: logLevel });
  await using connection = Connection.fromDefault({ kubeconfig, context, lazy: true, logger });
  const { options: given } = flags;
  const preflight = given.preflight ?? true;
  // The process exits once the manager has ended, so the next leader need not wait.
  const leaderElection = given.leaderElection && { releaseOnCancel: true, ...given.leaderElection };
  const lingerMs = given.webhooks?.lingerMs ?? (process.env.KUBERNETES_SERVICE_HOST ? podLingerMs : 0);
  const manager = new Manager({
    ...given,
    webhooks: { ...given.webhooks, lingerMs },
    preflight,
    leaderElection,
    connection: given.connection ?? connection,
    logger,
  });
  await setup(manager);
  try {
    await manager.run(signalContext());
  } catch (error) {
    const hasNoNamespace = error instanceof LeaseNamespaceError;
    const message = isKubeConfigError(error)
      ? error.message
      : hasNoNamespace
        ? noNamespace(leaderElection ? "--leader-elect" : "--shards")
        : addressProblem(error);
    if (message === undefined) throw error;
    process.stderr.write(`${message}\n`);
    process.exitCode = hasNoNamespace ? 2 : 1;
  }
}

const noNamespace = (flag: string): string =>
  `${flag}: the Lease has no namespace, because this process is not in a pod; set --leader-election-namespace NAME`;

/**
 * Returns the message for an address that the program cannot listen on. The user who starts the program can fix it, so a stack trace would
 * not help.
 */
function addressProblem(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const { cause } = error;
  return cause instanceof Error && "syscall" in cause && cause.syscall === "listen" ? error.message : undefined;
}

function flagsOf(options: ManagerOptions) {
  try {
    const flags = managerFlags(options);
    if (!flags.help) return flags;
    process.stdout.write(`Usage: ${options.name ?? "node src/main.ts"} [flags]\n\n${flagUsage}\n`);
  } catch (error) {
    if (!(error instanceof FlagError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 2;
  }
  return undefined;
}
