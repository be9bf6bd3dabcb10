import type { Authorizer } from "../../authorization/authorizer.ts";
import type { AdmissionAttributes, AdmissionPlugin } from "../admission.ts";
import type { PolicyPluginParts } from "../policy/policy-source.ts";
import type { AdmissionPolicy, AdmissionPolicyBinding, PolicySpec } from "../policy/policy-types.ts";
import { Reinvocation } from "../reinvocation.ts";
import { attributesOf, labelled } from "./attributes.ts";

const everything = [{ operations: ["*"], apiGroups: ["*"], apiVersions: ["*"], resources: ["*"] }];

export const policyOf = (spec: PolicySpec, name = "p"): AdmissionPolicy => ({
  apiVersion: "admissionregistration.k8s.io/v1",
  kind: "Policy",
  metadata: { name },
  spec: { matchConstraints: { resourceRules: everything }, ...spec },
});

export const bindingOf = (spec: AdmissionPolicyBinding["spec"] = {}, name = "b"): AdmissionPolicyBinding => ({
  apiVersion: "admissionregistration.k8s.io/v1",
  kind: "PolicyBinding",
  metadata: { name },
  spec: { policyName: "p", validationActions: ["Deny"], ...spec },
});

/** Returns the parts of a server with the `default` namespace, in which the user `jane` is allowed only to get pods. */
export const partsWith = (
  policies: readonly AdmissionPolicy[],
  bindings: readonly AdmissionPolicyBinding[],
): PolicyPluginParts => ({
  served: { find: () => undefined, sharing: () => [] } as never,
  namespaces: async (name) => (name === "default" ? labelled({ team: "a" }, { name }) : undefined),
  params: { resourceOf: () => undefined, get: async () => undefined, list: async () => [] },
  authorize: (({ user, verb }) =>
    verb === "get" && user.name === "jane"
      ? { decision: "allow", reason: "" }
      : { decision: "noOpinion", reason: "" }) as Authorizer,
  policies: () => policies,
  bindings: () => bindings,
});

/** Returns the error with which a request was rejected, if any, and its warnings and audit annotations. */
export async function outcomeOf(
  plugin: AdmissionPlugin,
  more: Partial<AdmissionAttributes> = {},
  reinvocation = new Reinvocation(),
): Promise<{ readonly refusal: unknown; readonly warnings: string[]; readonly notes: Record<string, string> }> {
  const warnings: string[] = [];
  const notes: Record<string, string> = {};
  const attributes = attributesOf({
    warn: (text) => void warnings.push(text),
    annotate: (key, value) => void Object.assign(notes, { [key]: value }),
    ...more,
  });
  try {
    await plugin.admit?.(attributes, reinvocation);
    await plugin.validate?.(attributes);
    return { refusal: undefined, warnings, notes };
  } catch (refusal) {
    return { refusal, warnings, notes };
  }
}
