import { Cluster, Manager, type ManagerOptions } from "kubewright";
import { addCopyController } from "./controller.ts";

type ClusterConnection = ManagerOptions["connection"];

/**
 * Runs the program until the signal aborts. It runs in the hub. Without a
 * connection, the hub is the cluster that kubectl uses.
 */
export async function main(
  {
    hub,
    member,
  }: { readonly hub?: ClusterConnection; readonly member: ClusterConnection },
  signal: AbortSignal,
): Promise<void> {
  const manager = new Manager({
    connection: hub,
    metrics: { bindAddress: "0" },
  });
  // With the fence, only the leading replica writes, also to members.
  const { fence, logger } = manager;
  addCopyController(
    manager,
    new Cluster({ connection: member, fieldOwner: "hub", fence, logger }),
  );
  await manager.run(signal);
}
