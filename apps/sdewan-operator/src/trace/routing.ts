import { markIn } from "../effect/field-values.ts";
import { dotted } from "./flow.ts";
import { isOfMwan3, type WanChoice } from "./marks.ts";
import {
  destinationIn,
  interfaceOfAlias,
  isIn,
  isOwnAddress,
  nameOfTraced,
  objectsAt,
  type TracedCnf,
  type TracedRoute,
  type TracedRouteRule,
  textIn,
} from "./traced-cnf.ts";
import type { Walk } from "./walk.ts";

const routesPath = "route/v1/routes";
const routeRulesPath = "rule/v1/rules";
const applicationsPath = "application/v1/applications";

/** Table of the routes with `table: cnf`. */
const cnfTable = "40";
/**
 * Offsets of the priorities of mwan3's rules: rules for the table of an interface, for marked packets, and for packets
 * without a route.
 */
const [wanEntryPrio, wanMarkPrio, wanRejectPrio] = [1_000, 2_000, 3_000];
/** Number of priorities that mwan3 uses: one for each interface, and for `blackhole` and `unreachable`. */
const wanPrios = 62;
const mainPrio = 32_766;

/** The destination chosen for a packet by routing. */
export type Destination =
  | { readonly kind: "local" }
  | { readonly kind: "forward"; readonly device: string | undefined }
  | { readonly kind: "unroutable" };

interface NamedRouteRule extends TracedRouteRule {
  readonly name: string | undefined;
  readonly resource: string | undefined;
}

/** Chooses the interface through which a packet leaves the CNF. */
export function route(walk: Walk, choice: WanChoice): Destination {
  const { packet, cnf } = walk;
  if (isOwnAddress(cnf, packet.destination)) {
    walk.note("routing", `${dotted(packet.destination)} is an address of the CNF`);
    return { kind: "local" };
  }
  const rules = rulesOf(cnf);
  const unmatched = new Set<string>();
  let wanPrio = 0;
  for (const rule of rules) {
    for (const prio of [wanEntryPrio, wanMarkPrio, wanRejectPrio]) {
      if (wanPrio >= prio || rule.prio <= prio) continue;
      wanPrio = prio;
      const found = byWan(walk, choice, prio);
      if (found) return found;
    }
    if (isOfWan(rule) || rule.table === "local" || !selects(walk, rule)) continue;
    const { table, name, resource } = rule;
    if (table === undefined) {
      walk.require(`the routing rule with the priority ${rule.prio} does not match (its action is not known)`);
      continue;
    }
    const found = unmatched.has(table) ? undefined : lookUp(walk, table);
    if (!found) unmatched.add(table);
    const rival = found && rule.prio === 0 && rules.find((each) => each.prio > 0 && each.name && selects(walk, each));
    if (rival) walk.require(`${name} was written after ${rival.name}, and therefore comes first`);
    if (name !== undefined)
      walk.note(
        "routing",
        `${name} chooses the table ${table}${found ? "" : ", which has no matching route"}`,
        resource,
      );
    if (found) return found;
  }
  if (cnf.routes) {
    walk.note("routing", `no route to ${dotted(packet.destination)}`);
    return { kind: "unroutable" };
  }
  walk.note("routing", "no resource's route matches, so the CNF's own routes decide, which are unknown");
  return { kind: "forward", device: undefined };
}

/** Reports whether a rule belongs to mwan3, whose choice is known without it. */
const isOfWan = ({ prio, name }: NamedRouteRule): boolean =>
  name === undefined &&
  [wanEntryPrio, wanMarkPrio, wanRejectPrio].some((base) => prio > base && prio <= base + wanPrios);

/** @see openwrt packages net/mwan3/files/lib/mwan3/mwan3.sh mwan3_create_iface_rules, of OpenWrt 21.02 */
function byWan(walk: Walk, { entry, mark }: WanChoice, prio: number): Destination | undefined {
  if (prio === wanEntryPrio) return entry === undefined ? undefined : inWanTable(walk, entry);
  if (mark === undefined) return undefined;
  if (mark !== "unreachable" && prio === wanMarkPrio) return inWanTable(walk, mark.name);
  walk.note(
    "routing",
    mark === "unreachable"
      ? "mwan3 rejects the packet, because no interface of its policy is online"
      : `mwan3 rejects the packet, because ${mark.name} has no route for it`,
  );
  return { kind: "unroutable" };
}

/**
 * Looks a packet up in mwan3's table of an interface. The table contains the routes of the main table, except the
 * routes of mwan3's other interfaces.
 */
function inWanTable(walk: Walk, name: string): Destination | undefined {
  const { cnf, packet } = walk;
  if (!cnf.routes) {
    walk.require(`the CNF has a default route through ${name}`);
    walk.note("routing", `mwan3 routes the packet through ${name}`);
    return { kind: "forward", device: name };
  }
  const routes = cnf.routes.filter(
    ({ table, destination, device = "" }) =>
      table === "main" && (device === name || (destination.bits > 0 && !isOfMwan3(cnf, device))),
  );
  const device = bestOf(routes, packet.destination)?.device;
  if (device === undefined) return undefined;
  walk.note("routing", `mwan3's table of ${name}: through ${device}`);
  return { kind: "forward", device };
}

function selects(walk: Walk, { source, destination, mark, not, name, table }: NamedRouteRule): boolean {
  const { packet } = walk;
  const isOfAddresses =
    (source === undefined || isIn(source, packet.source)) &&
    (destination === undefined || isIn(destination, packet.destination));
  if (!isOfAddresses || mark === undefined) return isOfAddresses !== not;
  const known = (mark.mask & packet.mark.mask) >>> 0;
  if (((packet.mark.value ^ mark.value) & known) !== 0) return not;
  if (known === mark.mask) return !not;
  walk.require(`${name ?? `the routing rule for the table ${table}`} does not match (the packet's mark is not known)`);
  return false;
}

/**
 * Returns the rules of the running CNF, with their resources. If the CNF's rules are unknown, returns the rules in the
 * resources.
 */
function rulesOf(cnf: TracedCnf): readonly NamedRouteRule[] {
  const own = ownRules(cnf);
  if (!cnf.routeRules) return [...own, ...systemRules].toSorted((a, b) => a.prio - b.prio);
  const unused = Map.groupBy(own, key);
  return cnf.routeRules.map((rule): NamedRouteRule => {
    const alike = unused.get(key(rule)) ?? [];
    const index = alike.findIndex(({ prio }) => prio === 0 || prio === rule.prio);
    const [{ name, resource } = { name: undefined, resource: undefined }] = index < 0 ? [] : alike.splice(index, 1);
    return { ...rule, name, resource };
  });
}

const systemRules: readonly NamedRouteRule[] = ["main", "default"].map((table, index) => ({
  prio: mainPrio + index,
  source: undefined,
  destination: undefined,
  mark: undefined,
  not: false,
  table,
  name: undefined,
  resource: undefined,
}));

const key = ({ source, destination, mark, not, table }: TracedRouteRule): string =>
  JSON.stringify([source?.bits ? source : null, destination?.bits ? destination : null, mark, not, table]);

/** The rules of resources. Without a priority, the rule that was written last comes before all others. */
function ownRules(cnf: TracedCnf): readonly NamedRouteRule[] {
  const rules = objectsAt(cnf, routeRulesPath).map((each): NamedRouteRule => {
    const { object, resource } = each;
    const prio = textIn(object, "prio");
    return {
      prio: Number(prio || 0),
      source: destinationIn(textIn(object, "src")),
      destination: destinationIn(textIn(object, "dst")),
      mark: markOf(textIn(object, "fwmark")),
      not: object.flag === true || object.flag === "true",
      table: textIn(object, "table") || "main",
      name: nameOfTraced(each, routeRulesPath),
      resource,
    };
  });
  const applications = objectsAt(cnf, applicationsPath).flatMap((each) =>
    textIn(each.object, "iplist")
      .split(",")
      .flatMap((text): NamedRouteRule[] => {
        const source = destinationIn(text.trim());
        const name = nameOfTraced(each, applicationsPath);
        return source
          ? [
              {
                prio: 0,
                source,
                destination: undefined,
                mark: undefined,
                not: false,
                table: cnfTable,
                name,
                resource: each.resource,
              },
            ]
          : [];
      }),
  );
  return [...applications, ...rules.toReversed()];
}

/** Parses a routing rule's mark. */
export function markOf(text: string): TracedRouteRule["mark"] {
  const mark = markIn(text);
  return typeof mark === "object" && !mark.inverted ? { value: mark.value, mask: mark.mask } : undefined;
}

interface NamedRoute extends TracedRoute {
  readonly name: string | undefined;
  readonly resource: string | undefined;
}

function ownRoutes(cnf: TracedCnf): readonly NamedRoute[] {
  return objectsAt(cnf, routesPath).flatMap((each): NamedRoute[] => {
    const { object, resource } = each;
    const destination = destinationIn(textIn(object, "dst"));
    if (!destination) return [];
    return [
      {
        table: textIn(object, "table") === "cnf" ? cnfTable : "main",
        destination,
        gateway: textIn(object, "gw") || undefined,
        device: textIn(object, "dev_val") || interfaceOfAlias(cnf, textIn(object, "dev")),
        metric: 0,
        name: nameOfTraced(each, routesPath),
        resource,
      },
    ];
  });
}

const routeKey = ({ table, destination, device, gateway }: TracedRoute): string =>
  JSON.stringify([table, destination.address, destination.bits, device, gateway]);

/**
 * Returns the routes of the running CNF, with their resources, keyed by table. If the CNF's routes are unknown, returns
 * the routes in the resources.
 */
function routesByTable(cnf: TracedCnf): ReadonlyMap<string, readonly NamedRoute[]> {
  const own = ownRoutes(cnf);
  const resources = new Map(own.toReversed().map((each) => [routeKey(each), each]));
  const all = cnf.routes?.map((each): NamedRoute => {
    const { name, resource } = resources.get(routeKey(each)) ?? { name: undefined, resource: undefined };
    return { ...each, name, resource };
  });
  return Map.groupBy(all ?? own, ({ table }) => table);
}

/**
 * Returns the route with the longest prefix. If there are several such routes, returns the route with the lowest
 * metric.
 */
const bestOf = <R extends TracedRoute>(routes: readonly R[], address: number): R | undefined =>
  routes
    .filter(({ destination }) => isIn(destination, address))
    .toSorted((a, b) => b.destination.bits - a.destination.bits || a.metric - b.metric)[0];

function lookUp(walk: Walk, table: string): Destination | undefined {
  const { cnf, packet } = walk;
  const best = bestOf(walk.of(routesByTable).get(table) ?? [], packet.destination);
  if (!best) return undefined;
  if (!cnf.routes && table === "main") walk.require("the CNF itself has no route that is more specific");
  const via = best.gateway === undefined ? "" : ` through ${best.gateway}`;
  const prefix =
    best.destination.bits === 0 ? "default" : `${dotted(best.destination.address)}/${best.destination.bits}`;
  walk.note(
    "routing",
    `${best.name ?? "a route of the CNF"}: ${prefix} in the table ${table}${via}, interface ${best.device ?? "unknown"}`,
    best.resource,
  );
  return { kind: "forward", device: best.device };
}
