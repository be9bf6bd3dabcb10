import { Manager, type ManagerOptions } from "kubewright";
import { addPipelineController } from "./controller.ts";

/**
 * Runs the program until the signal aborts. Without `options.connection`, it
 * uses the same cluster as kubectl.
 */
export async function main(
  options: ManagerOptions,
  signal: AbortSignal,
): Promise<void> {
  const manager = new Manager({
    fieldOwner: "pipeline-controller",
    ...options,
  });
  addPipelineController(manager);
  await manager.run(signal);
}
