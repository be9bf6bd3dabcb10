import { byKey, keyOf } from "@kubewright/apimachinery";
import type { PanelText } from "@kubewright/console";
import { IpsecHost, IpsecSite } from "../api/ipsec/ipsec-remotes.ts";
import { State } from "../api/status.ts";
import { cnfPods } from "../cnf/cnf-pods.ts";
import { connectionsOf, type IpsecConnection } from "../reporting/ipsec-connections.ts";
import type { TunnelState } from "../reporting/tunnel-log.ts";
import { since } from "./cell.ts";
import { type CnfPod, reachableOf } from "./cnf-state.ts";
import type { OperatorView } from "./operator-view.ts";
import { purposeOf } from "./rule-list.ts";
import { type Remote, type Site, Sites } from "./sites.ts";

/** An IPsec connection requested by a resource, on one pod. */
export interface KnownTunnel {
  /** The endpoint that initiates the connection. */
  readonly from: Site;
  readonly to: Site;
  readonly state: PanelText;
  /** The resource, such as `IpsecHost edge-a/ipsechost`, and the panel row that shows it. */
  readonly resource: { readonly name: string; readonly id: string };
  readonly connection: IpsecConnection | undefined;
  /** The CNF pod. Undefined if no pod is running. */
  readonly pod: CnfPod | undefined;
}

/** The kinds of resources that request tunnels. */
export const tunnelKinds = [IpsecHost, IpsecSite] as const;

/** Returns all tunnels requested by resources of these kinds, with the state last reported by the CNFs. */
export async function knownTunnels(
  operatorView: OperatorView,
  kinds: ReadonlySet<(typeof tunnelKinds)[number]> = new Set(tunnelKinds),
): Promise<readonly KnownTunnel[]> {
  const { reader, scope } = operatorView;
  const pods = await cnfPods(reader);
  const [hosts, others] = await Promise.all([
    kinds.has(IpsecHost) ? reader.list(IpsecHost) : [],
    kinds.has(IpsecSite) ? reader.list(IpsecSite) : [],
  ]);
  const remotes: readonly (readonly [kind: string, remote: Remote])[] = [
    ...hosts.toSorted(byKey).map((host) => [IpsecHost.kind, host] as const),
    ...others.toSorted(byKey).map((site) => [IpsecSite.kind, site] as const),
  ];
  const sites = new Sites(
    pods,
    remotes.map(([, remote]) => remote),
    scope,
  );
  return remotes.flatMap(([kind, remote]): KnownTunnel[] => {
    const name = keyOf(remote);
    const resource = { name: `${kind} ${name}`, id: `${kind}/${name}` };
    const tunnelTo = (site: Site) => ({ ...endsOf(site, sites.peerOf(remote, site)), resource });
    const own = sites.ofRemote(remote);
    if (own.length === 0)
      return [{ ...tunnelTo(sites.missing(remote)), state: withoutCnf(remote), connection: undefined, pod: undefined }];
    return own.flatMap((site) =>
      site.pods.flatMap((pod) =>
        connectionsOf(remote.spec).map((connection) => ({
          ...tunnelTo(site),
          state: ofPeer(operatorView, sites.peerOf(remote, site), stateOf(operatorView, remote, pod, connection)),
          connection,
          pod,
        })),
      ),
    );
  });
}

/**
 * Returns both endpoints of a tunnel, the initiator first. If the peer is arbitrary, the peer initiates the connection;
 * otherwise, the resource's CNF does.
 */
const endsOf = (own: Site, peer: Site): Pick<KnownTunnel, "from" | "to"> =>
  peer.isAnybody ? { from: peer, to: own } : { from: own, to: peer };

const withoutCnf = (remote: Remote): PanelText => ({
  text: `no CNF has the purpose ${purposeOf(remote) || "(none)"}`,
  tone: "warning",
});

const texts: Readonly<Record<TunnelState["state"], PanelText>> = {
  up: { text: "up", tone: "good" },
  down: { text: "down", tone: "bad" },
  unclear: { text: "may be down", tone: "warning" },
  waits: { text: "waiting", tone: "neutral" },
};

/** A CNF reports a tunnel as up until it notices that the peer is gone. If the peer is a CNF that does not respond, the tunnel is dead. */
function ofPeer(operatorView: OperatorView, { title, pods }: Site, state: PanelText): PanelText {
  if (state.tone !== "good" || pods.length === 0) return state;
  const isDead = pods.every((pod) => reachableOf(operatorView, pod).tone === "bad");
  return isDead ? { ...state, text: `reported up, but ${title} is unreachable`, tone: "bad" } : state;
}

function stateOf(operatorView: OperatorView, remote: Remote, pod: CnfPod, { name }: IpsecConnection): PanelText {
  const reachable = reachableOf(operatorView, pod);
  if (reachable.tone === "bad")
    return { text: "unknown: CNF unreachable", tone: "warning", ...since(reachable.sinceMs) };
  const known = operatorView.tunnels.find(pod.metadata.uid ?? "", remote.metadata.uid ?? "", name);
  if (remote.status?.state !== State.inSync) return { text: "not in force yet", tone: "warning" };
  if (!known) return { text: "no report yet", tone: "neutral" };
  return { ...texts[known.state], sinceMs: known.sinceMs };
}
