import { NetworkFirewallRule } from "../api/firewall/firewall-rules.ts";
import type { Flow } from "./flow.ts";
import { protocolName } from "./flow.ts";
import { tunnelOf } from "./ipsec.ts";
import { markPacket, onInterfaces } from "./marks.ts";
import { endpoint, translateDestination, translateSource } from "./nat.ts";
import { type Destination, route } from "./routing.ts";
import { isIn, isOwnAddress, nameOfTraced, objectsAt, type TracedCnf, textIn } from "./traced-cnf.ts";
import { type TraceStep, Walk } from "./walk.ts";
import { type FilterAction, forwarded, received, sent } from "./zones.ts";

const networkRulesPath = "networkfirewall/v1/rules";

/** The final action of a CNF on the first packet of a connection. */
interface Verdict {
  /** `unroutable`: the CNF has no route, or mwan3 rejects the packet. */
  readonly action: "accepted" | "rejected" | "dropped" | "unroutable";
  /** `input`: the packet is addressed to the CNF itself. `output`: the packet comes from the CNF itself. */
  readonly path: "forward" | "input" | "output";
  /** False if the verdict depends on the conditions. */
  readonly isCertain: boolean;
  readonly incoming: string | undefined;
  /** Interface through which the packet leaves. Undefined if the packet does not leave, or if the interface is unknown. */
  readonly outgoing: string | undefined;
  /** Addresses and ports when the packet has passed the CNF, such as `10.1.2.3` or `203.0.113.9:443`. */
  readonly source: string;
  readonly destination: string;
  /** Tunnel that encrypts the packet, such as `IpsecSite default/hub conn_a`. */
  readonly tunnel: string | undefined;
}

/** The path of a flow through one of a CNF's pods. */
export interface Trace {
  readonly steps: readonly TraceStep[];
  readonly verdict: Verdict;
  /** Unknown facts on which the verdict depends. */
  readonly conditions: readonly string[];
  /** Parts of the CNF that are not known, and that may change the verdict. */
  readonly unknown: readonly string[];
}

const actions: Readonly<Record<FilterAction, Verdict["action"]>> = {
  ACCEPT: "accepted",
  REJECT: "rejected",
  DROP: "dropped",
};

/**
 * Follows the first packet of a connection through a CNF, in the order in which the kernel processes it: marks,
 * destination translation, routing, packet filter, source translation, IPsec. Uses only its arguments, and changes
 * nothing.
 */
export function traceOf(cnf: TracedCnf, flow: Flow): Trace {
  const walk = new Walk(cnf, flow);
  const { packet } = walk;
  const isOwn = flow.incoming === undefined && isOwnAddress(cnf, flow.from);
  if (!isOwn) packet.incoming ??= entryOf(walk);
  const verdict = (action: Verdict["action"], path: Verdict["path"], tunnel?: string): Trace => ({
    steps: walk.steps,
    verdict: {
      action,
      path,
      isCertain: walk.conditions.length === 0,
      incoming: packet.incoming,
      outgoing: action === "accepted" && path !== "input" ? packet.outgoing : undefined,
      source: endpoint(packet.source, packet.sourcePort),
      destination: endpoint(packet.destination, packet.destinationPort),
      tunnel,
    },
    conditions: walk.conditions,
    unknown: unknownAbout(cnf),
  });
  const choice = markPacket(walk, isOwn);
  if (!isOwn) translateDestination(walk);
  const destination: Destination = route(walk, choice);
  const path = isOwn ? "output" : destination.kind === "local" ? "input" : "forward";
  if (destination.kind === "unroutable") return verdict("unroutable", path);
  packet.outgoing = destination.kind === "forward" ? destination.device : isOwn ? "lo" : undefined;
  const action = filter(walk, path);
  if (action !== "ACCEPT" || path === "input" || destination.kind === "local") return verdict(actions[action], path);
  translateSource(walk);
  return verdict("accepted", path, tunnelOf(walk)?.name);
}

/** Returns the interface through which a packet from its source enters, according to the routes of the CNF. */
function entryOf(walk: Walk): string | undefined {
  const { cnf, packet } = walk;
  const routes = (cnf.routes ?? [])
    .filter(({ table, destination }) => table === "main" && isIn(destination, packet.source))
    .toSorted((a, b) => b.destination.bits - a.destination.bits);
  const device = routes[0]?.device;
  if (device !== undefined)
    walk.require(`the packet enters through ${device}, as the route to its source indicates (pass --in)`);
  return device;
}

function filter(walk: Walk, path: Verdict["path"]): FilterAction {
  if (walk.packet.outgoing === "lo") {
    walk.note("filter", "ACCEPT: the packet stays in the CNF");
    return "ACCEPT";
  }
  if (path === "output") return sent(walk);
  return byInterfaces(walk, path) ?? (path === "input" ? received(walk) : forwarded(walk));
}

/** Tries the rules on interfaces. The operator reloads the firewall after it has written one, so that they come before the zones. */
function byInterfaces(walk: Walk, path: "input" | "forward"): FilterAction | undefined {
  for (const rule of objectsAt(walk.cnf, networkRulesPath)) {
    const target = textIn(rule.object, "target");
    if (target !== "ACCEPT" && target !== "REJECT" && target !== "DROP") continue;
    if ((textIn(rule.object, "dest") === "") !== (path === "input")) continue;
    const name = nameOfTraced(rule, networkRulesPath);
    const object = onInterfaces(walk, rule.object);
    if (!object) {
      const anywhere = { ...rule.object, src: walk.packet.incoming ?? "any", dest: "" };
      if (walk.isPossible(NetworkFirewallRule, anywhere))
        walk.require(`${name} does not match (its interface is not known)`);
      continue;
    }
    if (!walk.matches(NetworkFirewallRule, object, name)) continue;
    walk.note("filter", `${target} by ${name}`, rule.resource);
    return target;
  }
  return undefined;
}

function unknownAbout(cnf: TracedCnf): readonly string[] {
  return [
    "other sections of the CNF's configuration, such as firewall defaults and chains from its image",
    ...(cnf.routes ? [] : ["the CNF's routes and routing rules that no resource describes"]),
    ...(cnf.wan ? [] : ["which interfaces are online for mwan3"]),
    ...(cnf.tunnels ? [] : ["which tunnels are up"]),
    "existing connections, link states, and what other hosts do with the packet",
    ...(hasReflection(cnf) ? ["NAT reflection of a FirewallDNAT from a zone with masq"] : []),
  ];
}

/** Reports whether the firewall adds rules for translated connections from inside, which a trace does not contain. */
function hasReflection(cnf: TracedCnf): boolean {
  const masqueraded = new Set(
    objectsAt(cnf, "firewall/v1/zones")
      .filter(({ object }) => textIn(object, "masq") === "1")
      .map(({ object }) => textIn(object, "name")),
  );
  return objectsAt(cnf, "firewall/v1/redirects").some(
    ({ object }) => textIn(object, "target") !== "SNAT" && masqueraded.has(textIn(object, "src")),
  );
}

/** Formats a flow, such as `10.1.2.3 to 203.0.113.9:443/tcp`. */
export const flowText = ({ from, sourcePort, to, port, protocol, incoming }: Flow): string =>
  `${endpoint(from, sourcePort)} to ${endpoint(to, port)}/${protocolName(protocol)}${incoming === undefined ? "" : ` in ${incoming}`}`;

/** Formats a verdict on one line, such as `accepted, out of net1, from 10.0.0.1 to 203.0.113.9:443`. */
export function verdictText({ verdict }: Pick<Trace, "verdict">): string {
  const { action, path, isCertain, outgoing, source, destination, tunnel } = verdict;
  const ways = { input: "for the CNF itself", output: "from the CNF itself", forward: "forwarded" } as const;
  const out = outgoing === undefined ? (path === "input" ? "" : ", interface not known") : `, out of ${outgoing}`;
  return [
    isCertain ? action : `probably ${action}`,
    `, ${ways[path]}`,
    action === "accepted" ? out : "",
    `, from ${source} to ${destination}`,
    tunnel === undefined ? "" : `, encrypted by ${tunnel}`,
  ].join("");
}
