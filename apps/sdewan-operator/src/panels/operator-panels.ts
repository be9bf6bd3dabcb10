import type { Panel } from "@kubewright/console";
import { cnfs } from "./cnfs.ts";
import { flows } from "./flows.ts";
import type { OperatorView } from "./operator-view.ts";
import { plans } from "./plans.ts";
import { tunnels } from "./tunnels.ts";
import { ways } from "./ways.ts";

/**
 * Returns the operator's console panels: CNFs, sites and tunnels, the path of each resource to the CNF, the rules that
 * a connection passes, and plans for changes. The content is created on request from the operator's current state. Only
 * plans query CNFs.
 *
 * ```ts
 * for (const panel of operatorPanels(operatorView)) view.panel(panel);
 * ```
 */
export const operatorPanels = (operatorView: OperatorView): readonly Panel[] => [
  cnfs(operatorView),
  tunnels(operatorView),
  ways(operatorView),
  flows(operatorView),
  plans(operatorView),
];
