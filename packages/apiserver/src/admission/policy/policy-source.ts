import { isStatusError } from "@kubewright/apimachinery";
import type { Authorizer } from "../../authorization/authorizer.ts";
import type { ReadonlyObject } from "../../registry/resource.ts";
import type { AdmissionAttributes } from "../admission.ts";
import type { Equivalent, ServedResources } from "../equivalent-resources.ts";
import type { NamespaceLookup } from "../namespace-lifecycle.ts";
import { type CompiledPolicy, compiledPolicy } from "./compiled-policy.ts";
import { collectParams, type ParamReader, PolicyConfigurationError, paramResource } from "./params.ts";
import { Pauses } from "./pauses.ts";
import { policyMatch } from "./policy-match.ts";
import type { AdmissionPolicy, AdmissionPolicyBinding } from "./policy-types.ts";

export interface PolicyPluginParts {
  readonly served: ServedResources;
  readonly namespaces: NamespaceLookup;
  readonly params: ParamReader;
  readonly authorize: Authorizer;
  readonly policies: () => readonly AdmissionPolicy[];
  readonly bindings: () => readonly AdmissionPolicyBinding[];
}

/** A policy to evaluate for a request, and one parameter object. */
export interface PolicyInvocation extends Equivalent {
  readonly compiled: CompiledPolicy;
  readonly binding: AdmissionPolicyBinding;
  readonly params: ReadonlyObject | undefined;
}

/** A failure of a policy that matches the request but cannot be evaluated. */
export interface PolicyFailure {
  readonly policy: AdmissionPolicy;
  readonly binding?: AdmissionPolicyBinding | undefined;
  readonly message: string;
}

/**
 * Returns the policies to evaluate for a request, ordered by name.
 *
 * @see apiserver pkg/admission/plugin/policy/generic policyDispatcher.Dispatch
 */
export async function invocationsFor(
  attributes: AdmissionAttributes,
  parts: PolicyPluginParts,
): Promise<{ readonly invocations: readonly PolicyInvocation[]; readonly failures: readonly PolicyFailure[] }> {
  const invocations: PolicyInvocation[] = [];
  const failures: PolicyFailure[] = [];
  const bindingsOf = Map.groupBy(parts.bindings(), ({ spec }) => spec?.policyName);
  const pauses = new Pauses(attributes.signal);
  for (const policy of parts.policies()) {
    const bindings = bindingsOf.get(policy.metadata.name);
    if (!bindings) continue;
    await pauses.give();
    try {
      const { matchConstraints = {}, paramKind } = policy.spec ?? {};
      const place = await policyMatch(matchConstraints, attributes, parts.served, parts.namespaces);
      if (!place) continue;
      const resource = paramResource(paramKind, parts.params);
      for (const binding of bindings) {
        try {
          const { matchResources, paramRef } = binding.spec ?? {};
          const matches = matchResources
            ? await policyMatch(matchResources, attributes, parts.served, parts.namespaces)
            : place;
          if (!matches) continue;
          for (const params of await collectParams(resource, paramRef, attributes.namespace, parts.params))
            invocations.push({ compiled: compiledPolicy(policy), binding, params, ...place });
        } catch (error) {
          failures.push({ policy, binding, message: `failed to configure binding: ${textOf(error)}` });
        }
      }
    } catch (error) {
      failures.push({ policy, message: `failed to configure policy: ${textOf(error)}` });
    }
  }
  return { invocations, failures };
}

function textOf(error: unknown): string {
  if (error instanceof PolicyConfigurationError || isStatusError(error)) return error.message;
  throw error;
}

/**
 * Returns the namespace object that expressions receive. Returns `undefined` for Namespaces and other cluster-scoped
 * objects, and if the namespace does not exist.
 */
export async function namespaceObjectOf(
  { kind, namespace }: AdmissionAttributes,
  lookup: NamespaceLookup,
): Promise<ReadonlyObject | undefined> {
  const isNamespace = kind.kind === "Namespace" && kind.version === "v1" && kind.group === "";
  return isNamespace || namespace === "" ? undefined : lookup(namespace);
}
