import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { RunningPlane } from "./commands.ts";
import { runProgram } from "./run-program.ts";

/** One word for each node: `True` if it is Ready, after its taints. */
const states = 'jsonpath={range .items[*]}{.spec.taints}{.status.conditions[?(@.type=="Ready")].status}{" "}{end}';

/**
 * Waits until pods can be scheduled.
 *
 * @param kubectl its folder
 * @throws {Error} if that takes more than a minute
 */
export async function readyNodes(kubectl: string, { kubeconfig, enter = [] }: RunningPlane): Promise<void> {
  for (let tries = 0; tries < 120; tries++) {
    const args = [...enter, join(kubectl, "kubectl"), `--kubeconfig=${kubeconfig}`, "get", "nodes", "--output", states];
    const { output } = await runProgram(args[0] ?? "", args.slice(1), { folder: kubectl, timeoutMs: 10_000 });
    const nodes = output.split(" ").filter((word) => word !== "");
    if (nodes.length > 0 && nodes.every((state) => state === "True")) return;
    await sleep(500);
  }
  throw new Error("no node became ready");
}
