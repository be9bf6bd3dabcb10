import { group, version } from "./group.ts";
import { orderedRuleStatus, ruleStatus } from "./status.ts";

const purpose = { name: "Purpose", type: "string", jsonPath: ".metadata.labels.sdewanPurpose" } as const;
const state = { name: "State", type: "string", jsonPath: ".status.state" } as const;
const age = { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" } as const;

/** Column that shows whether an object has an effect on packets. It is displayed by `kubectl get -o wide`. */
export const effectiveColumn = {
  name: "Effective",
  type: "string",
  jsonPath: '.status.conditions[?(@.type=="Effective")].status',
  priority: 1,
} as const;

/** Column that shows the stage that a change waits for. `kubectl get` shows it with `-o wide`. */
const waitsColumn = {
  name: "WaitsForStage",
  type: "integer",
  jsonPath: ".status.stageWait.forStage",
  priority: 1,
} as const;

/** Settings for `defineKind` shared by all rule kinds. The operator creates one object on the CNF for each rule. */
export const ruleKind = {
  group,
  version,
  scope: "Namespaced",
  specRequired: false, // as in the reference CRDs
  status: ruleStatus,
  columns: [purpose, state, effectiveColumn, waitsColumn, age],
} as const;

/** Settings for rule kinds whose objects are kept in order on the CNF. */
export const orderedRuleKind = {
  ...ruleKind,
  status: orderedRuleStatus,
  columns: [
    purpose,
    state,
    effectiveColumn,
    waitsColumn,
    { name: "Order", type: "integer", jsonPath: ".status.appliedOrder" },
    age,
  ],
} as const;
