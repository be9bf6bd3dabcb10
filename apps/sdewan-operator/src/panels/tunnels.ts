import type { Panel, PanelContent, PanelQuestion, PanelText } from "@kubewright/console";
import { tunnelsPanel, urgencyOf, waysPanel } from "./cell.ts";
import { podCell, reachableOf } from "./cnf-state.ts";
import { type KnownTunnel, knownTunnels, tunnelKinds } from "./known-tunnels.ts";
import { listable, noteOf, type OperatorSight } from "./sight.ts";
import type { Site } from "./sites.ts";
import { tunnelMap } from "./tunnel-map.ts";

/** Returns a panel of the connections between CNFs and to external peers, with the time of each connection's last change. */
export function tunnels(sight: OperatorSight): Panel {
  return {
    id: tunnelsPanel,
    title: "Sites and tunnels",
    columns: [
      { id: "from", title: "From" },
      { id: "to", title: "To" },
      { id: "state", title: "State" },
      { id: "connection", title: "Connection" },
      { id: "networks", title: "Networks" },
      { id: "pod", title: "Pod" },
    ],
    rows: (question) => content(sight, question),
  };
}

async function content(sight: OperatorSight, question: PanelQuestion): Promise<PanelContent> {
  const { shown, leftOut } = await listable(tunnelKinds, question);
  const sorted = (await knownTunnels(sight, shown)).toSorted((a, b) => urgencyOf(a.state) - urgencyOf(b.state));
  const picture = tunnelMap(sorted, (site) => siteState(sight, site));
  return { ...noteOf(sight, leftOut), picture, rows: sorted.map(rowOf) };
}

const rowOf = ({ from, to, state, resource, connection, pod }: KnownTunnel) => ({
  from: from.title,
  to: to.title,
  state,
  connection: {
    text: `${resource.name} ${connection?.name ?? ""}`.trim(),
    to: { panel: waysPanel, row: resource.id },
  },
  networks: connection ? networksOf(connection) : "",
  pod: pod ? podCell(pod) : "none",
});

/** Returns the reachability of a CNF's pods. Undefined for an external peer. */
function siteState(sight: OperatorSight, { pods }: Site): PanelText | undefined {
  const states = pods.map((pod) => reachableOf(sight, pod));
  const [worst] = states.toSorted((a, b) => urgencyOf(a) - urgencyOf(b));
  if (!worst || states.length === 1) return worst;
  const alike = states.filter(({ text }) => text === worst.text).length;
  return { ...worst, text: `${alike} of ${states.length} ${worst.text}` };
}

const networksOf = ({ localSubnet, remoteSubnet }: NonNullable<KnownTunnel["connection"]>): string =>
  localSubnet || remoteSubnet ? `${localSubnet || "dynamic"} to ${remoteSubnet || "dynamic"}` : "";
