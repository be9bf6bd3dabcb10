import { Manager, type ManagerOptions } from "kubewright";
import { addPlaybookController } from "./controller.ts";
import { playbookWebhooks } from "./webhooks.ts";

export function setup(manager: Manager): void {
  addPlaybookController(manager);
  manager.webhooks.add(playbookWebhooks);
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
  const manager = new Manager(options);
  setup(manager);
  await manager.run(signal);
}
