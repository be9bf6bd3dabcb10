import { Manager, type ManagerOptions } from "kubewright";
import {
  addDeviceController,
  type DeviceControllerOptions,
} from "./controllers/device.ts";

/**
 * Options for leader election: one of the replicas leads. The leader releases
 * the lease when it stops, so that another replica can take over immediately.
 */
export const leaderElection = {
  id: "device-controller",
  namespace: "default",
  releaseOnCancel: true,
};

/**
 * Runs the program until the signal aborts. Without `options.connection`, it
 * uses the same cluster as kubectl.
 */
export async function main(
  options: ManagerOptions & DeviceControllerOptions,
  signal: AbortSignal,
): Promise<void> {
  const manager = new Manager({
    fieldOwner: "device-controller",
    leaderElection,
    ...options,
  });
  addDeviceController(manager, options);
  await manager.run(signal);
}
