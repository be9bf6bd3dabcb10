import { Manager, type ManagerOptions } from "kubewright";
import { conversion } from "kubewright/webhooks";
import { CronJob } from "./api/cron-job.ts";
import { addCronJobController } from "./controllers/cron-job.ts";

export function setup(manager: Manager): void {
  addCronJobController(manager);
  manager.webhooks.add(conversion(CronJob));
}

/** Without `options.connection` the cluster is found as kubectl finds it; `options.webhooks` says where certificates are. */
export async function main(options: ManagerOptions, signal: AbortSignal): Promise<void> {
  const manager = new Manager(options);
  setup(manager);
  await manager.run(signal);
}
