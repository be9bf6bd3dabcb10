import { Manager, type ManagerOptions } from "kubewright";
import { add as addController } from "./controllers/cron-job.ts";
import { add as addWebhooks } from "./webhooks/cron-job.ts";
import { add as addConversion } from "./webhooks/cron-job-conversion.ts";

export function setup(manager: Manager): void {
  for (const add of [addController, addWebhooks, addConversion]) add(manager);
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
