import { isStatusError } from "@kubewright/apimachinery";
import { Client } from "@kubewright/client";
import type { Clock } from "@kubewright/clock";
import { FirewallRule } from "../src/api/firewall/firewall-rules.ts";
import { oneLine } from "../src/cli/user-error.ts";
import { bucketLabel } from "../src/webhooks/bucket-grant.ts";
import type { Demo } from "./demo.ts";
import type { View } from "./view.ts";

/** The user that `users/` defines. */
const user = "jane";
const [hers, foreign] = ["app-intent", "k8s-service"];

const maxMs = 10_000;
const tickMs = 100;

/** Shows which objects the demo user may and may not write, as determined by dry-run requests. */
export async function showBuckets(
  { plane }: Pick<Demo, "plane">,
  kubeconfig: string,
  view: View,
  signal: AbortSignal,
  clock: Clock,
): Promise<void> {
  await using client = new Client({ connection: { ...plane.connection(), impersonate: { user } } });
  const create = async (bucket: string): Promise<string> => {
    const metadata = { name: "tried", namespace: "default", labels: { sdewanPurpose: "cnf1", [bucketLabel]: bucket } };
    try {
      await client.create(FirewallRule, { metadata, spec: { target: "DROP" } }, { dryRun: true, signal });
      return "allowed";
    } catch (error) {
      return isStatusError(error) ? `refused: ${error.status.message}` : `no response: ${oneLine(error)}`;
    }
  };
  // The webhook becomes ready a moment after the operator.
  const endMs = clock.monotonic() + maxMs;
  let result = await create(foreign);
  while (!result.startsWith("refused") && clock.monotonic() < endMs && !signal.aborted) {
    await clock.sleep(tickMs, signal);
    result = await create(foreign);
  }
  if (signal.aborted) return;
  view.print(`kubectl --kubeconfig ${kubeconfig} --as ${user} create ...`);
  view.print(`  a FirewallRule in the bucket ${hers}: ${await create(hers)}`);
  view.print(`  a FirewallRule in the bucket ${foreign}: ${result}`);
}
