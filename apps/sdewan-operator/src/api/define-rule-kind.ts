import { defineKind, typedSchema } from "@kubewright/apimachinery";
import { group, version } from "./group.ts";
import type { Schema } from "./schema.ts";
import { type RuleStatus, ruleStatus } from "./status.ts";

/** A kind whose objects become one object on the CNF each. */
export function defineRuleKind<S>(rule: {
  readonly kind: string;
  readonly plural: string;
  readonly description: string;
  readonly spec: Schema<S>;
}) {
  return defineKind({
    group,
    version,
    scope: "Namespaced",
    ...rule,
    spec: typedSchema<S>(rule.spec),
    specRequired: false, // as in the reference's CRDs
    status: typedSchema<RuleStatus>(ruleStatus),
    columns: [
      { name: "Purpose", type: "string", jsonPath: ".metadata.labels.sdewanPurpose" },
      { name: "State", type: "string", jsonPath: ".status.state" },
      { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
    ],
  });
}
