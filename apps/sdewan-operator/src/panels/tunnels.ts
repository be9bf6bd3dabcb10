import type { Panel, PanelAttention, PanelContent, PanelQuestion, PanelText } from "@kubewright/console";
import { tunnelsPanel, urgencyOf, waysPanel } from "./cell.ts";
import { podCell, reachableOf } from "./cnf-state.ts";
import { type KnownTunnel, knownTunnels, tunnelKinds } from "./known-tunnels.ts";
import { listable, noteOf, type OperatorView } from "./operator-view.ts";
import type { Site } from "./sites.ts";
import { tunnelMap } from "./tunnel-map.ts";

/**
 * Returns a panel with the connections between CNFs and to external peers, including the time of each connection's last
 * change.
 */
export function tunnels(operatorView: OperatorView): Panel {
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
    rows: (question) => content(operatorView, question),
    attention: (question) => attention(operatorView, question),
  };
}

async function content(operatorView: OperatorView, question: PanelQuestion): Promise<PanelContent> {
  const { shown, omitted } = await listable(tunnelKinds, question);
  const sorted = (await knownTunnels(operatorView, shown)).toSorted((a, b) => urgencyOf(a.state) - urgencyOf(b.state));
  const picture = tunnelMap(sorted, (site) => siteState(operatorView, site));
  return { ...noteOf(operatorView, omitted), picture, rows: sorted.map(rowOf) };
}

/** Returns the tunnels that are down or may be down, and those without a CNF. */
async function attention(
  operatorView: OperatorView,
  question: Omit<PanelQuestion, "search">,
): Promise<readonly PanelAttention[]> {
  const { shown } = await listable(tunnelKinds, question);
  const all = await knownTunnels(operatorView, shown);
  return all.flatMap(({ from, to, state: { tone, text }, resource }) => {
    if (tone !== "bad" && tone !== "warning") return [];
    const row = { panel: waysPanel, row: resource.id };
    return [{ tone, text: `Tunnel ${from.title} to ${to.title} (${resource.name}): ${text}`, to: row }];
  });
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
function siteState(operatorView: OperatorView, { pods }: Site): PanelText | undefined {
  const states = pods.map((pod) => reachableOf(operatorView, pod));
  const [worst] = states.toSorted((a, b) => urgencyOf(a) - urgencyOf(b));
  if (!worst || states.length === 1) return worst;
  const alike = states.filter(({ text }) => text === worst.text).length;
  return { ...worst, text: `${alike} of ${states.length} ${worst.text}` };
}

const networksOf = ({ localSubnet, remoteSubnet }: NonNullable<KnownTunnel["connection"]>): string =>
  localSubnet || remoteSubnet ? `${localSubnet || "dynamic"} to ${remoteSubnet || "dynamic"}` : "";
