import { group, version } from "./group.ts";
import { ruleStatus } from "./status.ts";

/** Settings for `defineKind` that all rule kinds share. A rule becomes one object on the CNF. */
export const ruleKind = {
  group,
  version,
  scope: "Namespaced",
  specRequired: false, // as in the reference CRDs
  status: ruleStatus,
  columns: [
    { name: "Purpose", type: "string", jsonPath: ".metadata.labels.sdewanPurpose" },
    { name: "State", type: "string", jsonPath: ".status.state" },
    { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
  ],
} as const;
