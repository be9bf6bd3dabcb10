import { Manager, type ManagerOptions } from "kubewright";
import { addDeviceController, type DeviceControllerOptions } from "./controllers/device.ts";

/** One of the replicas leads. It releases the lease when it stops, so that another one need not wait. */
export const leaderElection = { id: "device-controller", namespace: "default", releaseOnCancel: true };

/** Without `options.connection`, uses the same cluster as kubectl. */
export async function main(options: ManagerOptions & DeviceControllerOptions, signal: AbortSignal): Promise<void> {
  const manager = new Manager({ fieldOwner: "device-controller", leaderElection, ...options });
  addDeviceController(manager, options);
  await manager.run(signal);
}
