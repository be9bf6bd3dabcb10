import { Manager, type ManagerOptions } from "kubewright";
import { addAppController } from "./controller.ts";
import { appWebhooks, podWebhook } from "./webhooks.ts";

export function setup(manager: Manager): void {
  addAppController(manager);
  manager.webhooks.add(appWebhooks, podWebhook);
}

/** Without `options.connection` the cluster is found as kubectl finds it; `options.webhooks` says where certificates are. */
export async function main(options: ManagerOptions, signal: AbortSignal): Promise<void> {
  const manager = new Manager({ fieldOwner: "app-controller", ...options });
  setup(manager);
  await manager.run(signal);
}
