import { readFileSync } from "node:fs";
import type { Manager, ManagerOptions } from "@kubewright/manager";
import { operatorFlags } from "./cli/operator-flags.ts";
import { showConsole } from "./operator/console.ts";
import { consoleSettings } from "./operator/console-settings.ts";
import { managerOptions } from "./operator/manager-options.ts";
import { setupOperator } from "./operator/operator.ts";
import { settingsOf } from "./operator/settings-of-flags.ts";

/**
 * Entry point for `kubewright generate`, which prints the manifests in `config/` based on this file. Uses the flags of the Deployment.
 * The program itself starts in `main.ts`.
 */
const { deployment }: { readonly deployment: { readonly args: readonly string[] } } = JSON.parse(
  readFileSync(new URL("../kubewright.json", import.meta.url), "utf8"),
);
const flags = operatorFlags(deployment.args);
const settings = settingsOf(flags);

export const options: ManagerOptions = managerOptions(settings);

/**
 * Adds all controllers immediately. They need not wait until their kinds are served, because this program only
 * generates manifests and watches nothing.
 */
export function setup(manager: Manager): void {
  const { operatorView, work } = setupOperator(manager, settings);
  const shown = consoleSettings(flags, settings.metricsTls);
  if (shown) showConsole(manager, operatorView, shown);
  work();
}
