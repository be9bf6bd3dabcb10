import type { Interfaces } from "../effect/reported-effects.ts";
import { type Network, networkIn } from "../uci/networks.ts";
import type { UciObject } from "../uci/uci-object.ts";

/** An object in a CNF's configuration. */
export interface TracedObject {
  readonly object: UciObject;
  /** The resource that describes the object, such as `FirewallRule default/web`. Undefined if no resource describes it. */
  readonly resource: string | undefined;
}

/** A network interface of a CNF, with its addresses. */
export interface TracedInterface {
  readonly name: string;
  readonly addresses: readonly number[];
}

/** A route in a routing table in a CNF's kernel. */
export interface TracedRoute {
  readonly table: string;
  /** Destination; all addresses for the default route. */
  readonly destination: Network;
  readonly gateway: string | undefined;
  readonly device: string | undefined;
  readonly metric: number;
}

/** A rule that chooses a routing table. */
export interface TracedRouteRule {
  readonly prio: number;
  readonly source: Network | undefined;
  readonly destination: Network | undefined;
  readonly mark: { readonly value: number; readonly mask: number } | undefined;
  readonly not: boolean;
  /** Table of routes. Undefined if the kernel does not use a table, for example because the rule rejects packets. */
  readonly table: string | undefined;
}

/** The known state of one of a CNF's pods. */
export interface TracedCnf {
  /** Objects in their order on the CNF, keyed by the path of their collection. */
  readonly objects: ReadonlyMap<string, readonly TracedObject[]>;
  /** Interfaces. `eth0` is the pod network's interface. */
  readonly interfaces: readonly TracedInterface[];
  /** Routes of the running CNF. Undefined if they are unknown; only the routes of resources are then known. */
  readonly routes: readonly TracedRoute[] | undefined;
  /** Routing rules of the running CNF, ordered by priority. Undefined if unknown. */
  readonly routeRules: readonly TracedRouteRule[] | undefined;
  /** States of the interfaces of mwan3. Undefined if unknown. */
  readonly wan: Interfaces | undefined;
  /** Selectors of the tunnels that are up, such as `10.1.0.0/16 === 10.2.0.0/16`. Undefined if unknown. */
  readonly tunnels: readonly string[] | undefined;
}

/** Returns the objects in a collection. */
export const objectsAt = ({ objects }: TracedCnf, path: string): readonly TracedObject[] => objects.get(path) ?? [];

export const isOwnAddress = ({ interfaces }: TracedCnf, address: number): boolean =>
  address >>> 24 === 127 || interfaces.some(({ addresses }) => addresses.includes(address));

/** Returns an object's name: its resource or, without a resource, its place in the configuration. */
export const nameOfTraced = ({ resource, object }: TracedObject, path: string): string =>
  resource ?? `${path}/${String(object.name ?? "")} (no resource)`;

/** Returns an object's text field, or an empty string if it is absent. */
export const textIn = (object: UciObject, field: string): string => {
  const value = object[field];
  return typeof value === "string" ? value.trim() : "";
};

/** Returns a map from each name to the first object with that name, in the order of the objects. */
export function byName(objects: readonly TracedObject[]): ReadonlyMap<string, TracedObject> {
  const named = new Map<string, TracedObject>();
  for (const each of objects) {
    const name = textIn(each.object, "name");
    if (!named.has(name)) named.set(name, each);
  }
  return named;
}

/** Returns the texts in a list field. A single text is treated as a list with one item. */
export const listIn = (object: UciObject, field: string): readonly string[] =>
  [object[field] ?? []].flat().flatMap((each) => (typeof each === "string" && each.trim() !== "" ? [each.trim()] : []));

/** Parses a network or `default`. Returns undefined if the text is neither. */
export function destinationIn(text: string): Network | undefined {
  if (text === "default" || text === "all") return { address: 0, bits: 0 };
  const network = networkIn(text);
  return typeof network === "object" ? network : undefined;
}

/** Reports whether an address is in a network. */
export const isIn = (network: Network, address: number): boolean =>
  network.bits === 0 || (address & (-1 << (32 - network.bits))) >>> 0 === network.address;

/**
 * Returns the interface to which an object's field refers. The field contains a name, `#default`, `#source`, or `#`
 * followed by an address. Returns an empty string for an empty field, or undefined if the interface is unknown.
 *
 * @param source the new source address, for `#source`
 */
export function interfaceOfAlias(cnf: TracedCnf, alias: string, source = ""): string | undefined {
  if (!alias.startsWith("#")) return alias;
  if (alias === "#default")
    return cnf.routes?.find(({ table, destination }) => table === "main" && destination.bits === 0)?.device;
  const address = destinationIn(alias === "#source" ? source : alias.slice(1));
  return address && cnf.interfaces.find(({ addresses }) => addresses.includes(address.address))?.name;
}
