import {
  Client,
  Connection,
  type ConnectionSettings,
  createLogger,
  EventBroadcaster,
  type Logger,
} from "kubewright";
import { informers } from "./clientset.ts";
import { NetworkController } from "./controller.ts";

/**
 * Runs the program until the signal aborts. Without a connection, it uses the
 * same cluster as kubectl.
 */
export async function main(
  connection: Connection | ConnectionSettings | undefined,
  signal: AbortSignal,
  logger: Logger = createLogger(),
): Promise<void> {
  await using client = new Client({
    connection: connection ?? Connection.fromDefault(),
  });
  const factory = informers(client, { resyncMs: 30_000, logger });
  const broadcaster = new EventBroadcaster({ sink: client, logger });
  const recorder = broadcaster.recorder("network-controller");
  const controller = new NetworkController({
    networks: factory.samplecrd.v1.networks,
    recorder,
    logger,
  });
  await Promise.all([factory.run(signal), controller.run(2, signal)]);
  await broadcaster.stop();
}
