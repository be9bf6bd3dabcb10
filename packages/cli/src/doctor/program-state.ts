import { Deployment, Lease } from "@kubewright/client/kinds";
import type { Examined } from "./finding.ts";
import { pages } from "./pages.ts";

/**
 * Describes where the program runs, according to its Deployments or its leader's Lease. Returns undefined if it does
 * not run.
 */
export async function programState(examined: Examined): Promise<string | undefined> {
  const { program, clock } = examined;
  const labels = { "app.kubernetes.io/name": program.name };
  for await (const { metadata, status } of pages(examined, Deployment, { labels }))
    if (status?.availableReplicas) return `deployment ${metadata.namespace}/${metadata.name} is available`;
  const id = program.leaderElection?.id;
  if (id === undefined) return undefined;
  for await (const { metadata, spec } of pages(examined, Lease, { fields: { "metadata.name": id } })) {
    const { holderIdentity, renewTime, leaseDurationSeconds = 15 } = spec ?? {};
    const ageMs = clock.now() - Date.parse(renewTime ?? "");
    if (holderIdentity && ageMs < 2_000 * leaseDurationSeconds)
      return `${holderIdentity} holds the Lease ${metadata.namespace}/${id}`;
  }
  return undefined;
}
