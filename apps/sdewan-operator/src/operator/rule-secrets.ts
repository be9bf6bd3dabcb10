import type { Manager } from "@kubewright/manager";
import { RuleSecrets } from "../secrets/rule-secrets.ts";

/** Reads Secrets that resources refer to from the API server, and tells who has keys in a spec that there is a better place. */
export function ruleSecrets(manager: Manager): RuleSecrets {
  const recorder = manager.recorderFor("sdewan-operator");
  return new RuleSecrets({
    live: manager.apiReader,
    onClearText: (rule, fields) =>
      recorder.event(rule, {
        type: "Warning",
        reason: "ClearTextKey",
        note: fields
          .map(({ field, ref }) => `spec.${field} is readable by everybody who may read this object: use spec.${ref}`)
          .join("; "),
      }),
  });
}
