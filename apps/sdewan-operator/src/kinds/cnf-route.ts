import { CNFRoute } from "../api/cnf-route.ts";
import { cnfKind } from "../uci/cnf-kind.ts";
import { texts } from "../uci/uci-object.ts";

export const cnfRoute = cnfKind({
  kind: CNFRoute,
  config: "route",
  collection: "routes",
  finalizer: "rule",
  rank: 2,
  toUci: ({ spec }) => texts(spec ?? {}, ["dst", "gw", "dev", "table"]),
});
