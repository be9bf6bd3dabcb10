import { CNFRoute } from "../api/cnf-route.ts";
import { cnfKind } from "../uci/cnf-kind.ts";
import { kernelAddress } from "../uci/networks.ts";
import { texts } from "../uci/uci-object.ts";

/**
 * Returns a string that is the same for all routes to the same destination in the same table. The kernel keeps only one
 * such route.
 */
export const placeInTable = ({ table, dst }: Readonly<Record<string, unknown>>): string =>
  `${table === "cnf" ? "cnf" : "main"} ${dst === "default" ? "" : kernelAddress(String(dst))}`;

export const cnfRoute = cnfKind({
  kind: CNFRoute,
  config: "route",
  collection: "routes",
  finalizer: "rule",
  rank: 2,
  precedence: "first",
  hasPosition: () => true,
  positions: {
    groupsOf: (objects) =>
      [...Map.groupBy(objects, ([, route]) => placeInTable(route)).values()].map((all) => all.map(([name]) => name)),
    precedence: "first",
    isInserted: false,
  },
  // The kernel rejects all but the first of them, and deletes it with any of them.
  kernelRules: (route) => [placeInTable(route)],
  toUci: ({ spec }) => texts(spec ?? {}, ["dst", "gw", "dev", "table"]),
});
