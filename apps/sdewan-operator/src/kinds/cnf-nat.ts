import { CNFNAT } from "../api/cnf-nat.ts";
import { translationFields } from "../api/translation.ts";
import { cnfKind } from "../uci/cnf-kind.ts";
import { texts } from "../uci/uci-object.ts";

export const cnfNat = cnfKind({
  kind: CNFNAT,
  config: "nat",
  collection: "nats",
  rank: 2,
  precedence: "first",
  hasPosition: ({ index }) => Number(index) > 0,
  toUci: ({ spec }) => texts(spec ?? {}, ["src", "dest", ...translationFields, "target", "index"]),
});
