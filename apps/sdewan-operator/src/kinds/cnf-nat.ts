import { CNFNAT } from "../api/cnf-nat.ts";
import { translationFields } from "../api/translation.ts";
import { cnfKind } from "../uci/cnf-kind.ts";
import { texts } from "../uci/uci-object.ts";

export const cnfNat = cnfKind({
  kind: CNFNAT,
  config: "nat",
  collection: "nats",
  rank: 2,
  toUci: ({ spec }) => texts(spec ?? {}, ["src", "dest", ...translationFields, "target", "index"]),
});
