import { addConsole } from "@kubewright/console";
import type { Manager } from "@kubewright/manager";
import { operatorPanels } from "../panels/operator-panels.ts";
import type { OperatorView } from "../panels/operator-view.ts";
import type { ConsoleSettings } from "./console-settings.ts";

/**
 * Adds a web console that shows the operator's state.
 *
 * @param settings `namespace`: the operator's namespace, for its permissions there. Default `default`
 */
export function showConsole(
  manager: Manager,
  operatorView: OperatorView,
  settings: ConsoleSettings & { readonly namespace?: string },
): void {
  const shown = addConsole(manager, settings);
  for (const panel of operatorPanels(operatorView)) shown.panel(panel);
}
