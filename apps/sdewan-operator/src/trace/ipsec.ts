import type { UciObject } from "../uci/uci-object.ts";
import {
  destinationIn,
  isIn,
  isOwnAddress,
  nameOfTraced,
  objectsAt,
  type TracedCnf,
  type TracedObject,
  textIn,
} from "./traced-cnf.ts";
import type { Match, Walk } from "./walk.ts";

const remotesPath = "ipsec/v1/remotes";
const tunnelInterface = /^vti_/;

/** A tunnel through which a packet is sent. */
export interface Tunnel {
  /** Name of the remote and its connection, such as `IpsecSite default/hub conn_a`. */
  readonly name: string;
  readonly resource: string | undefined;
}

/** Finds the tunnel that encrypts a packet leaving the CNF, after the packet's source has been translated. */
export function tunnelOf(walk: Walk): Tunnel | undefined {
  for (const remote of objectsAt(walk.cnf, remotesPath))
    for (const connection of connectionsOf(remote.object)) {
      const name = `${nameOfTraced(remote, remotesPath)} ${textIn(connection, "name")}`;
      const match = isVti(remote.object) ? throughInterface(walk) : selected(walk, remote, connection);
      if (!walk.isCertain(match, `${name} does not take the packet (${reasonFor(remote.object)})`)) continue;
      walk.note("IPsec", `${name} encrypts the packet`, remote.resource);
      noteState(walk, name, connection);
      return { name, resource: remote.resource };
    }
  return undefined;
}

const isVti = (remote: UciObject): boolean => textIn(remote, "type") === "VTI-based";

const reasonFor = (remote: UciObject): string =>
  isVti(remote) ? "the interface of the tunnel is not known" : "an address of the tunnel is assigned when it comes up";

const isRecord = (value: unknown): value is UciObject => typeof value === "object" && value !== null;

const connectionsOf = ({ connections }: UciObject): readonly UciObject[] =>
  Array.isArray(connections) ? connections.flatMap((each: unknown) => (isRecord(each) ? [each] : [])) : [];

/** A tunnel of this type takes the packets that are routed to its interface. */
function throughInterface({ packet }: Walk): Match {
  if (packet.outgoing === undefined) return "maybe";
  return tunnelInterface.test(packet.outgoing) ? "maybe" : "no";
}

/** Compares the addresses of a packet with the addresses of a connection. */
function selected({ packet, cnf }: Walk, { object: remote }: TracedObject, connection: UciObject): Match {
  const isTransport = textIn(connection, "conn_type") === "transport";
  const own = isTransport ? "" : textIn(connection, "local_nat") || textIn(connection, "local_subnet");
  const local =
    own === ""
      ? assigned(textIn(connection, "local_sourceip"), packet.source, isOwnAddress(cnf, packet.source))
      : inAny(own, packet.source);
  if (local === "no") return "no";
  const peer = isTransport ? "" : textIn(connection, "remote_subnet");
  const gateway = destinationIn(textIn(remote, "gateway"));
  const other =
    peer === ""
      ? assigned(
          textIn(connection, "remote_sourceip"),
          packet.destination,
          gateway !== undefined && isIn(gateway, packet.destination),
        )
      : inAny(peer, packet.destination);
  if (other === "no") return "no";
  return local === "yes" && other === "yes" ? "yes" : "maybe";
}

/** Compares an address with a comma-separated list of networks. Words such as `%dynamic` may mean any address. */
function inAny(text: string, address: number): Match {
  const parts = text.split(",").map((part) => part.trim().replace(/\[.*\]$/, ""));
  const networks = parts.flatMap((part) => destinationIn(part) ?? []);
  if (networks.some((network) => isIn(network, address))) return "yes";
  return networks.length === parts.length ? "no" : "maybe";
}

/** Compares an address with one that is assigned when the tunnel comes up, or, if none is, with the end of the tunnel itself. */
function assigned(text: string, address: number, isEnd: boolean): Match {
  if (text === "") return isEnd ? "yes" : "no";
  const [first, last] = text.split("-").map((part) => destinationIn(part.trim()));
  if (!first) return "maybe";
  const isInside = last ? address >= first.address && address <= last.address : isIn(first, address);
  if (!isInside) return "no";
  return first.bits === 32 && !last ? "yes" : "maybe";
}

/** States whether a tunnel is up, as far as the CNF reports it. Without its tunnel, a packet is not encrypted, or waits. */
function noteState(walk: Walk, name: string, connection: UciObject): void {
  if (isReportedUp(walk.cnf, walk.packet)) {
    walk.note("IPsec", "the CNF reports a tunnel between these addresses");
    return;
  }
  const mode = textIn(connection, "mode");
  const otherwise = mode === "route" ? "it waits until the tunnel is up" : "the CNF sends it without encryption";
  walk.require(`the tunnel ${name} is up; otherwise, ${otherwise}`);
}

function isReportedUp({ tunnels = [] }: TracedCnf, { source, destination }: Walk["packet"]): boolean {
  return tunnels.some((text) => {
    const [left = "", right = ""] = text.split("===").map((part) => part.trim().replaceAll(/\s+/g, ","));
    return inAny(left, source) === "yes" && inAny(right, destination) === "yes";
  });
}
