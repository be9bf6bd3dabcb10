import type { Panel } from "@kubewright/console";
import { cnfs } from "./cnfs.ts";
import type { OperatorSight } from "./sight.ts";
import { tunnels } from "./tunnels.ts";
import { ways } from "./ways.ts";

/**
 * What a console shows of the operator: its CNFs, sites and tunnels, and the way of each resource to the CNF. Made of what the operator
 * knows at that moment, when somebody looks, and of nothing else; no CNF is asked.
 *
 * ```ts
 * for (const panel of operatorPanels(sight)) view.panel(panel);
 * ```
 */
export const operatorPanels = (sight: OperatorSight): readonly Panel[] => [cnfs(sight), tunnels(sight), ways(sight)];
