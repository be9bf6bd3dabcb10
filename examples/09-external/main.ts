import { Manager, type ManagerOptions } from "kubewright";
import { addDeviceController, type DeviceControllerOptions } from "./controllers/device.ts";

/** Of any number of these one leads; it gives the lease back at its end, so that another need not wait. */
export const leaderElection = { id: "device-controller", namespace: "default", releaseOnCancel: true };

/** Without `options.connection` the cluster is found as kubectl finds it. */
export async function main(options: ManagerOptions & DeviceControllerOptions, signal: AbortSignal): Promise<void> {
  const manager = new Manager({ fieldOwner: "device-controller", leaderElection, ...options });
  addDeviceController(manager, options);
  await manager.run(signal);
}
