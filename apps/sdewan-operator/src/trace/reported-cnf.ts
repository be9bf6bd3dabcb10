import { type DeepReadonly, isRecord, keyOf } from "@kubewright/apimachinery";
import type { Pod } from "@kubewright/client/kinds";
import type { CnfModule } from "../cnf/cnf-api.ts";
import { attachedNetworks } from "../cnf/networks.ts";
import { ipv4Of } from "../cnf/pod-state.ts";
import { interfacesIn } from "../effect/reported-effects.ts";
import type { CnfKind, RuleObject } from "../uci/cnf-kind.ts";
import type { UciObject } from "../uci/uci-object.ts";
import { markOf } from "./routing.ts";
import {
  destinationIn,
  type TracedCnf,
  type TracedInterface,
  type TracedObject,
  type TracedRoute,
  type TracedRouteRule,
} from "./traced-cnf.ts";

/** A resource, and the name of its object on a CNF. */
export interface ResourceOnCnf {
  readonly kind: CnfKind;
  readonly rule: DeepReadonly<RuleObject>;
  readonly name: string;
}

/** Maximum number of routes of a table, routing rules and tunnels of a CNF that are read. */
const maxEntries = 10_000;
const maxInterfaces = 1_000;
const maxAddresses = 32;
const podInterface = "eth0";

/**
 * Returns the known state of a CNF pod.
 *
 * @param held objects on the CNF, keyed by path, in order
 * @param resources the CNF's resources, older ones first
 * @param modules the CNF's report about its running system; empty if there is none
 */
export function reportedCnf(
  pod: DeepReadonly<Pod>,
  held: ReadonlyMap<string, readonly UciObject[]>,
  resources: readonly ResourceOnCnf[],
  modules: readonly CnfModule[],
): TracedCnf {
  const names = new Map<string, string>();
  for (const each of resources) {
    const id = `${each.kind.path} ${each.name}`;
    if (!names.has(id)) names.set(id, resourceText(each));
  }
  const objects = new Map(
    [...held].map(([path, all]): [string, readonly TracedObject[]] => [
      path,
      all.map((object) => ({ object, resource: names.get(`${path} ${String(object.name ?? "")}`) })),
    ]),
  );
  const statusOf = (module: string): unknown => modules.find(({ name }) => name === module)?.status;
  return {
    objects,
    interfaces: interfacesOf(pod, statusOf("interface")),
    routes: routesIn(statusOf("route")),
    routeRules: routeRulesIn(statusOf("rule")),
    wan: interfacesIn(modules),
    tunnels: tunnelsIn(statusOf("ipsec")),
  };
}

/** Returns a resource as text, with the composite that it belongs to. */
function resourceText({ kind, rule }: Pick<ResourceOnCnf, "kind" | "rule">): string {
  const owner = rule.metadata.ownerReferences?.find(({ controller }) => controller);
  const text = `${kind.kind.kind} ${keyOf(rule)}`;
  return owner ? `${text} of ${owner.kind} ${owner.name}` : text;
}

const recordsIn = (value: unknown): readonly Readonly<Record<string, unknown>>[] =>
  Array.isArray(value) ? value.slice(0, maxEntries).map((each: unknown) => (isRecord(each) ? each : {})) : [];

const textOf = (value: unknown): string => (typeof value === "string" ? value.trim() : "");

function interfacesOf(pod: DeepReadonly<Pod>, reported: unknown): readonly TracedInterface[] {
  const known = new Map<string, readonly number[]>();
  for (const { name, ip_address: addresses } of recordsIn(reported).slice(0, maxInterfaces))
    known.set(textOf(name), addressesIn(Array.isArray(addresses) ? addresses.slice(0, maxAddresses) : []));
  const add = (name: string, address: string | undefined): void => {
    if (!known.has(name)) known.set(name, addressesIn([address]));
  };
  add(podInterface, ipv4Of(pod));
  for (const { interface: name, ipAddress } of networksOf(pod)) if (name !== "") add(name, ipAddress);
  return [...known].map(([name, addresses]) => ({ name, addresses }));
}

const addressesIn = (texts: readonly unknown[]): readonly number[] =>
  texts.flatMap((text) => destinationIn(textOf(text).split("/")[0] ?? "")?.address ?? []);

function networksOf({ metadata }: DeepReadonly<Pod>) {
  try {
    return attachedNetworks(metadata.annotations);
  } catch {
    return []; // then no resource refers to a network either
  }
}

/** Returns the routes in the module `route`, except routes of local addresses. Undefined if the module is missing. */
function routesIn(status: unknown): readonly TracedRoute[] | undefined {
  if (typeof status !== "object" || status === null || Array.isArray(status)) return undefined;
  return Object.entries(status)
    .slice(0, maxEntries)
    .flatMap(([table, entry]: [string, unknown]) =>
      recordsIn(Object(entry).item).flatMap((item): TracedRoute[] => {
        const destination = destinationIn(textOf(item.destination));
        if (!destination) return [];
        const [gateway, device] = [textOf(item.gateway) || undefined, textOf(item.device) || undefined];
        return [{ table, destination, gateway, device, metric: Number(textOf(item.metric) || 0) }];
      }),
    );
}

/** Returns the rules in the module `rule`. Undefined if it is missing, or does not contain the tables. */
function routeRulesIn(status: unknown): readonly TracedRouteRule[] | undefined {
  if (!Array.isArray(status)) return undefined;
  const rules = recordsIn(status).map(
    ({ prio, src, dst, fwmark, table, not }): TracedRouteRule => ({
      prio: Number(prio),
      source: destinationIn(textOf(src)),
      destination: destinationIn(textOf(dst)),
      mark: markOf(textOf(fwmark)),
      not: not === "true",
      table: textOf(table) || undefined,
    }),
  );
  // The reference CNF reports rules without their tables.
  return rules.some(({ table }) => table === "main") ? rules : undefined;
}

function tunnelsIn(status: unknown): readonly string[] | undefined {
  const { details } = Object(status);
  if (!Array.isArray(details)) return undefined;
  return recordsIn(details).flatMap(({ connection }) => textOf(connection) || []);
}
