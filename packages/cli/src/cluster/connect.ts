import { resolve } from "node:path";
import { Client, Connection } from "@kubewright/client";
import { silentLogger } from "@kubewright/log";
import type { ClusterFlags, CommandContext } from "../command/context.ts";
import { onOneLine } from "../command/printable.ts";

/**
 * Creates a client for the cluster that the flags select. Prints its warnings to standard error.
 *
 * @throws {KubeConfigError} if the kubeconfig cannot be used
 */
function connect({ io, cwd }: CommandContext, { context, kubeconfig }: ClusterFlags): Client {
  const connection = Connection.fromDefault({
    context,
    kubeconfig: kubeconfig === undefined ? undefined : resolve(cwd, kubeconfig),
    env: io.env,
    logger: silentLogger,
  });
  const onWarning = (warning: string): void => io.err(`Warning: ${onOneLine(warning)}\n`);
  return new Client({ connection, fieldOwner: "kubewright", onWarning });
}

/** Calls `use` with a client for the cluster selected by the flags, and closes the client's connection afterwards. */
export async function withClient<T>(
  context: CommandContext,
  flags: ClusterFlags,
  use: (client: Client) => Promise<T>,
): Promise<T> {
  const client = connect(context, flags);
  try {
    return await use(client);
  } finally {
    await client.close();
    await client.connection.close();
  }
}
