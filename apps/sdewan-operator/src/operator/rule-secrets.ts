import type { Manager } from "@kubewright/manager";
import type { SecretCache } from "../cnf/secret-cache.ts";
import { RuleSecrets } from "../secrets/rule-secrets.ts";

/** Reads Secrets that resources refer to, and warns users who put keys into a spec. */
export function ruleSecrets(manager: Manager, secretCache: SecretCache): RuleSecrets {
  const recorder = manager.recorderFor("sdewan-operator");
  return new RuleSecrets({
    secretCache,
    onClearText: (rule, fields) =>
      recorder.event(rule, {
        type: "Warning",
        reason: "ClearTextKey",
        note: fields
          .map(({ field, ref }) => `spec.${field} is readable by everyone who may read this object: use spec.${ref}`)
          .join("; "),
      }),
  });
}
