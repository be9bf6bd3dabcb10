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
  toUci: ({ spec }) => ({
    ...texts(spec ?? {}, ["src", "dst", "prio", "fwmark", "table"]),
    flag: spec?.not ?? false,
  }),
});
