import { CNFRoute } from "../api/cnf-route.ts";
import { cnfKind } from "./cnf-kind.ts";
import { texts } from "./uci-object.ts";

export const cnfRoute = cnfKind({
  kind: CNFRoute,
  config: "route",
  collection: "routes",
  finalizer: "rule",
  rank: 2,
  toUci: ({ spec }) => texts(spec ?? {}, ["dst", "gw", "dev", "table"]),
});
