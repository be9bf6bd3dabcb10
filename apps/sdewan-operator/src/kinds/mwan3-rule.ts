import { Mwan3Rule } from "../api/mwan3-rule.ts";
import { cnfKind } from "./cnf-kind.ts";
import { cnfReference } from "./cnf-name.ts";
import { texts } from "./uci-object.ts";

export const mwan3Rule = cnfKind({
  kind: Mwan3Rule,
  config: "mwan3",
  collection: "rules",
  finalizer: "rule",
  rank: 1,
  namedSections: true,
  toUci: ({ spec }) => ({
    ...texts(spec ?? {}, ["src_ip", "src_port", "dest_ip", "dest_port", "proto", "family", "sticky", "timeout"]),
    policy: cnfReference("Mwan3Policy", spec?.policy),
  }),
});
