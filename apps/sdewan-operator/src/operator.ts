import { readFileSync } from "node:fs";
import type { Manager, ManagerOptions } from "@kubewright/manager";
import { operatorFlags } from "./cli/operator-flags.ts";
import { managerOptions } from "./operator/manager-options.ts";
import { setupOperator } from "./operator/operator.ts";
import { settingsOf } from "./operator/settings-of-flags.ts";

/**
 * The operator as `kubewright generate` reads it, to print `config/` from: called as its Deployment calls it. `main.ts` runs it.
 */
const { deployment }: { readonly deployment: { readonly args: readonly string[] } } = JSON.parse(
  readFileSync(new URL("../kubewright.json", import.meta.url), "utf8"),
);
const settings = settingsOf(operatorFlags(deployment.args));

export const options: ManagerOptions = managerOptions(settings);

/** All controllers at once: nothing is watched here, so none waits for its kind to be served. */
export function setup(manager: Manager): void {
  setupOperator(manager, settings).work();
}
