import { SdewanApplication } from "../api/sdewan-application.ts";
import { cnfKind, InvalidSpecError } from "../uci/cnf-kind.ts";

export const sdewanApplication = cnfKind({
  kind: SdewanApplication,
  config: "application",
  collection: "applications",
  finalizer: "rule",
  rank: 2,
  namedSections: true,
  podsOf: ({ spec }) => ({ selector: spec?.podSelector, namespace: spec?.appNamespace ?? "" }),
  toUci: async ({ spec }, cnf) => {
    if (!spec?.podSelector) throw new InvalidSpecError("spec.podSelector: Required value");
    return { iplist: (await cnf.addressesOf(spec.podSelector, spec.appNamespace ?? "")).join(",") };
  },
});
