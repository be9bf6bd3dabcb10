import { keyOf } from "@kubewright/apimachinery";
import type { PanelEdge, PanelNode, PanelPicture, PanelText } from "@kubewright/console";
import { cnfsPanel, tunnelsPanel, urgencyOf, waysPanel } from "./cell.ts";
import type { KnownTunnel } from "./known-tunnels.ts";
import type { Site } from "./sites.ts";

/**
 * Returns a map that shows endpoints as boxes, and all tunnels between two endpoints as one line. The line's tone is
 * that of the tunnel in the worst state.
 */
export function tunnelMap(
  tunnels: readonly KnownTunnel[],
  stateOf: (site: Site) => PanelText | undefined,
): PanelPicture {
  const nodes = new Map<string, PanelNode>();
  const edges = new Map<string, KnownTunnel[]>();
  for (const tunnel of tunnels) {
    const { from, to } = tunnel;
    for (const site of [from, to]) if (!nodes.has(site.id)) nodes.set(site.id, nodeOf(site, stateOf(site)));
    const id = JSON.stringify([from.id, to.id]);
    edges.set(id, [...(edges.get(id) ?? []), tunnel]);
  }
  return { nodes: [...nodes.values()], edges: [...edges.values()].map(edgeOf) };
}

function nodeOf({ id, title, note, pods, isOutside }: Site, state: PanelText | undefined): PanelNode {
  const [pod, ...others] = pods;
  const row = pod && others.length === 0 ? { row: keyOf(pod) } : {};
  return {
    id,
    title,
    note,
    shape: isOutside ? "outside" : "inside",
    ...(state ? { state } : {}),
    ...(pod ? { to: { panel: cnfsPanel, ...row } } : {}),
  };
}

function edgeOf(tunnels: readonly KnownTunnel[]): PanelEdge {
  const [worst] = tunnels.toSorted((a, b) => urgencyOf(a.state) - urgencyOf(b.state));
  const [first] = tunnels;
  if (!worst || !first) return { from: "", to: "", state: { text: "" } };
  const alike = tunnels.filter(({ state }) => state.text === worst.state.text);
  const times = alike.flatMap(({ state }) => state.sinceMs ?? []);
  const resources = new Set(tunnels.map(({ resource }) => resource.id));
  return {
    from: first.from.id,
    to: first.to.id,
    state: {
      ...worst.state,
      text:
        alike.length === tunnels.length ? worst.state.text : `${alike.length} of ${tunnels.length} ${worst.state.text}`,
      ...(times.length > 0 ? { sinceMs: Math.max(...times) } : {}),
      to: resources.size === 1 ? { panel: waysPanel, row: first.resource.id } : { panel: tunnelsPanel },
    },
  };
}
