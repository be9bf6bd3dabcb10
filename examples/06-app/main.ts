import { Manager, type ManagerOptions } from "kubewright";
import { addAppController } from "./controller.ts";
import { appWebhooks, podWebhook } from "./webhooks.ts";

export function setup(manager: Manager): void {
  addAppController(manager);
  manager.webhooks.add(appWebhooks, podWebhook);
}

/**
 * Runs the program until the signal aborts. Without `options.connection`, it
 * uses the same cluster as kubectl. `options.webhooks` specifies the
 * certificates.
 */
export async function main(
  options: ManagerOptions,
  signal: AbortSignal,
): Promise<void> {
  const manager = new Manager({ fieldOwner: "app-controller", ...options });
  setup(manager);
  await manager.run(signal);
}
