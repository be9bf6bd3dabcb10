import { Cluster, Manager, type ManagerOptions } from "kubewright";
import { addCopyController } from "./controller.ts";

type ClusterConnection = ManagerOptions["connection"];

/** Runs in the hub; without a connection that is found as kubectl finds it. */
export async function main(
  { hub, member }: { readonly hub?: ClusterConnection; readonly member: ClusterConnection },
  signal: AbortSignal,
): Promise<void> {
  const manager = new Manager({ connection: hub, metrics: { bindAddress: "0" } });
  // The fence: where several of these run, the members too are written to by the one that leads only.
  const { fence, logger } = manager;
  addCopyController(manager, new Cluster({ connection: member, fieldOwner: "hub", fence, logger }));
  await manager.run(signal);
}
