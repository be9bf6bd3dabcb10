import {
  Client,
  Connection,
  type ConnectionSettings,
  createLogger,
  InformerFactory,
  type Logger,
} from "kubewright";
import {
  IngressController,
  type IngressControllerOptions,
} from "./controller.ts";

/**
 * Runs the program until the signal aborts. Without a connection, it uses the
 * same cluster as kubectl.
 */
export async function main(
  connection: Connection | ConnectionSettings | undefined,
  signal: AbortSignal,
  logger: Logger = createLogger(),
  options: Pick<IngressControllerOptions, "rateLimiter"> = {},
): Promise<void> {
  await using client = new Client({
    connection: connection ?? Connection.fromDefault(),
    fieldOwner: "ingress-manager",
  });
  const informers = new InformerFactory(client, { logger });
  const controller = new IngressController({
    client,
    informers,
    logger,
    ...options,
  });
  await informers.start(signal);
  await controller.run(5, signal);
  await informers.stopped();
}
