import {
  asReconciler,
  controllerManagedBy,
  ignoreNotFound,
  keyOf,
  type Manager,
} from "kubewright";
import { Playbook } from "./playbook.ts";

/** Adds a controller that deletes finished Playbooks. */
export function addPlaybookController(manager: Manager): void {
  const reconcile = asReconciler(
    Playbook,
    async (playbook, { client, log }) => {
      const { progress = 0 } = playbook.status ?? {};
      if (progress < 100) return log.debug({ progress }, "not done");
      await client.delete(Playbook, keyOf(playbook)).catch(ignoreNotFound);
      log.info("done, deleted");
    },
  );
  controllerManagedBy(manager).for(Playbook).complete(reconcile);
}
