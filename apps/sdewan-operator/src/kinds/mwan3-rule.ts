import { Mwan3Rule } from "../api/mwan3-rule.ts";
import { cnfKind } from "../uci/cnf-kind.ts";
import { cnfReference, mwan3Name, sectionName } from "../uci/cnf-name.ts";
import { texts } from "../uci/uci-object.ts";
import { mwan3Policy } from "./mwan3-policy.ts";

export const mwan3Rule = cnfKind({
  kind: Mwan3Rule,
  config: "mwan3",
  collection: "rules",
  finalizer: "rule",
  rank: 1,
  precedence: "first",
  namedSections: true,
  nameOnCnf: mwan3Name,
  formerNameOnCnf: sectionName,
  toUci: ({ spec }) => ({
    ...texts(spec ?? {}, ["src_ip", "src_port", "dest_ip", "dest_port", "proto", "family", "sticky", "timeout"]),
    policy: cnfReference(mwan3Policy, spec?.policy),
  }),
});
