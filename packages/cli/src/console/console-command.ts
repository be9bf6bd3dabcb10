import { resolve } from "node:path";
import { forbidden } from "@kubewright/apimachinery";
import type { Client } from "@kubewright/client";
import { untilAborted } from "@kubewright/clock";
import type { Command } from "commander";
import { withClient } from "../cluster/connect.ts";
import type { CommandContext } from "../command/context.ts";
import { withExample } from "../command/context.ts";
import { CommandError, UsageError } from "../command/errors.ts";
import { kubectlOnPath } from "../process/kubectl-on-path.ts";
import { findProject } from "../project/project.ts";
import { checkConsole } from "./check-console.ts";
import { type ConsoleTarget, findConsole, targetNameOf } from "./console-target.ts";
import { PortForward } from "./port-forward.ts";
import { type ViewerToken, viewerToken } from "./viewer-token.ts";

interface ConsoleFlags {
  readonly namespace?: string;
  readonly port: string;
  readonly account?: string;
  readonly context?: string;
  readonly kubeconfig?: string;
}

export function addConsoleCommand(program: Command, context: CommandContext): void {
  const command = program
    .command("console")
    .description("open a program's console through kubectl port-forward")
    .argument("[target]", "deploy/NAME or a pod (default: this project's deployment)")
    .option("-n, --namespace <name>", "the target's namespace (default: from the project or kubeconfig)")
    .option("--port <port>", "port on 127.0.0.1; 0 picks a free one", "0")
    .option("--account <name>", "service account to sign in as (default: NAME-console-viewer)")
    .option("--context <name>", "kubeconfig context (default: the current context)")
    .option("--kubeconfig <file>", "kubeconfig file (default: the one kubectl uses)")
    .action((target: string | undefined, flags: ConsoleFlags) =>
      context.run((signal) => run(context, target, flags, signal)),
    );
  withExample(command, "npx kubewright console deploy/shop-controller-manager -n shop-system");
}

async function run(
  context: CommandContext,
  target: string | undefined,
  flags: ConsoleFlags,
  signal: AbortSignal,
): Promise<number> {
  const { io, cwd } = context;
  const wanted = wantedTarget(target, flags, cwd);
  const localPort = portOf(flags.port);
  const kubectl = kubectlOnPath(io.env.PATH ?? "");
  if (!kubectl)
    throw new CommandError(
      "kubectl, which forwards the port, is not in PATH; install it: https://kubernetes.io/docs/tasks/tools/",
    );
  const { found, viewer } = await withClient(context, flags, async (client) => {
    const namespace = wanted.namespace ?? client.connection.settings.namespace ?? "default";
    return findAndEnter(client, { ...wanted, namespace, account: flags.account }, signal);
  }).catch((error: unknown) => {
    if (signal.aborted) return { found: undefined, viewer: undefined };
    throw error;
  });
  if (!found) return 0;
  await using forward = new PortForward({
    kubectl,
    args: forwardArgs(found, localPort, flags, cwd),
    env: io.env,
    cwd,
    signal,
  });
  try {
    const origin = `${found.scheme}://127.0.0.1:${await reached(forward, found)}`;
    await letIn(origin, found, viewer, forward, signal);
    io.out(`console ${origin}/#b=${viewer.token}\n`);
    io.out(
      `  of ${found.name} in ${found.namespace}, as ${viewer.user} until ${viewer.expires}; press Ctrl-C to close it\n`,
    );
    await Promise.race([untilAborted(signal), forward.ended]);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  return 0;
}

async function findAndEnter(
  client: Client,
  wanted: { readonly target: string; readonly namespace: string; readonly account: string | undefined },
  signal: AbortSignal,
): Promise<{ readonly found: ConsoleTarget; readonly viewer: ViewerToken }> {
  const { target, namespace, account } = wanted;
  const found = await findConsole(client, targetNameOf(target), namespace, signal);
  return { found, viewer: await viewerToken(client, { target: found, account, signal }) };
}

/**
 * Returns the target on the command line; by default, the project's deployment.
 *
 * @throws {UsageError} if the target is invalid, or missing outside a project
 */
function wantedTarget(
  target: string | undefined,
  { namespace }: ConsoleFlags,
  cwd: string,
): { readonly target: string; readonly namespace?: string | undefined } {
  if (target !== undefined) {
    targetNameOf(target);
    return { target, namespace };
  }
  const { name, deployment } = projectIn(cwd);
  return {
    target: `deploy/${name}-controller-manager`,
    namespace: namespace ?? deployment?.namespace ?? `${name}-system`,
  };
}

function projectIn(cwd: string) {
  try {
    return findProject(cwd);
  } catch (cause) {
    throw new UsageError("TARGET is required outside a project; pass a deployment, such as deploy/shop -n shop", {
      cause,
    });
  }
}

const forwardArgs = (
  { name, namespace, port }: ConsoleTarget,
  localPort: number,
  { context, kubeconfig }: ConsoleFlags,
  cwd: string,
): string[] => [
  name,
  `${localPort === 0 ? "" : localPort}:${port}`,
  ...["--namespace", namespace, "--address", "127.0.0.1"],
  ...(context === undefined ? [] : ["--context", context]),
  ...(kubeconfig === undefined ? [] : ["--kubeconfig", resolve(cwd, kubeconfig)]),
];

/**
 * Waits for the port forward, and returns the local port.
 *
 * @throws {CommandError} with kubectl's message; if forbidden, the exit code is 3
 */
async function reached(forward: PortForward, { name, namespace }: ConsoleTarget): Promise<number> {
  try {
    return await forward.port();
  } catch (error) {
    if (!(error instanceof CommandError) || !/forbidden/i.test(error.message)) throw error;
    throw new CommandError(
      [error.message, `  this requires permission to create pods/portforward in the namespace ${namespace}`],
      {
        cause: forbidden({ group: "", resource: "pods/portforward" }, name, "port-forward"),
      },
    );
  }
}

/** Checks that the console admits the viewer. @throws {CommandError} if the console does not respond or refuses this viewer */
async function letIn(
  origin: string,
  { name, port }: ConsoleTarget,
  { token, user }: ViewerToken,
  forward: PortForward,
  signal: AbortSignal,
): Promise<void> {
  const status = await Promise.race([checkConsole({ origin, token, signal }), forward.ended.then(() => 200)]).catch(
    (error: unknown) => {
      signal.throwIfAborted();
      throw new CommandError(`${name}, port ${port}: ${error instanceof Error ? error.message : String(error)}`, {
        cause: error,
      });
    },
  );
  if (status === 200) return;
  const remedy =
    status === 401
      ? "the program is not allowed to review tokens; apply config/rbac/console_auth_role.yaml"
      : "bind config/rbac/console_reader_role.yaml to the account";
  throw new CommandError(`${name}: the console responded to ${user} with ${status}; ${remedy}`, {
    cause: forbidden({ group: "", resource: "/debug/kubewright" }, name, String(status)),
  });
}

/** Parses the port in a flag. @throws {UsageError} if the text is not a port number */
function portOf(text: string): number {
  if (!/^[0-9]{1,5}$/.test(text) || Number(text) > 65_535)
    throw new UsageError(`--port ${JSON.stringify(text)} is not a number from 0 to 65535`);
  return Number(text);
}
