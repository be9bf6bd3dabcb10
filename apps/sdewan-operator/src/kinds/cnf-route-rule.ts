import { CNFRouteRule } from "../api/cnf-route-rule.ts";
import { cnfKind } from "../uci/cnf-kind.ts";
import { texts } from "../uci/uci-object.ts";

export const cnfRouteRule = cnfKind({
  kind: CNFRouteRule,
  config: "rule",
  collection: "rules",
  finalizer: "rule",
  rank: 2,
  precedence: "last",
  hasPosition: ({ prio }) => Boolean(prio),
  positions: {
    // The kernel tries rules of the same priority in the order in which they were added.
    groupsOf: (objects) =>
      [...Map.groupBy(objects, ([, { prio }]) => Number(prio)).values()].map((all) => all.map(([name]) => name)),
    precedence: "first",
    isInserted: false,
  },
  toUci: ({ spec }) => ({
    ...texts(spec ?? {}, ["src", "dst", "prio", "fwmark", "table"]),
    flag: spec?.not ?? false,
  }),
});
