import { group, version } from "./group.ts";
import { ruleStatus } from "./status.ts";

/** What every rule kind says to `defineKind`: its objects become one object on the CNF each. */
export const ruleKind = {
  group,
  version,
  scope: "Namespaced",
  specRequired: false, // as in the reference's CRDs
  status: ruleStatus,
  columns: [
    { name: "Purpose", type: "string", jsonPath: ".metadata.labels.sdewanPurpose" },
    { name: "State", type: "string", jsonPath: ".status.state" },
    { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
  ],
} as const;
