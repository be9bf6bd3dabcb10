import { Mwan3Policy } from "../api/mwan3-policy.ts";
import { cnfKind } from "../uci/cnf-kind.ts";
import { mwan3Name, sectionName } from "../uci/cnf-name.ts";

export const mwan3Policy = cnfKind({
  kind: Mwan3Policy,
  config: "mwan3",
  collection: "policies",
  finalizer: "rule",
  rank: 0,
  namedSections: true,
  nameOnCnf: mwan3Name,
  formerNameOnCnf: sectionName,
  toUci: ({ spec }, cnf) => ({
    members: (spec?.members ?? []).map(({ network, metric, weight }) => ({
      interface: cnf.interfaceOf(network),
      metric: String(metric),
      weight: String(weight),
    })),
  }),
});
