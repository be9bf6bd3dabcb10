import { jsonEqual, StatusError, type Unstructured } from "@kubewright/apimachinery";
import type { CelValue } from "@kubewright/cel";
import {
  CostLimitExceededError,
  CostMeter,
  metered,
  perCallLimit,
  runtimeCostBudget,
  withAuthorizer,
} from "@kubewright/cel";
import { builtinSchema } from "@kubewright/codec/schema";
import type { AdmissionAttributes, AdmissionPlugin } from "../admission.ts";
import { admissionForbidden } from "../admission-forbidden.ts";
import { shownObject } from "../admission-request.ts";
import { convertObject } from "../equivalent-resources.ts";
import { readPatched, replaceMembers } from "../patched-object.ts";
import type { Reinvocation } from "../reinvocation.ts";
import { ReinvokedHooks } from "../reinvoked-hooks.ts";
import { isExcludedFromAdmission } from "../rules.ts";
import { seenAs } from "../webhook/hook-selection.ts";
import { applyConfiguration, MutationError } from "./apply-configuration.ts";
import type { CompiledMutation } from "./compiled-policy.ts";
import { authorizationOf, Evaluation, OutOfBudget } from "./evaluation.ts";
import { applyPatchValue } from "./json-patch-mutation.ts";
import { conditionsOutcome } from "./match-condition-evaluator.ts";
import { Pauses } from "./pauses.ts";
import {
  invocationsFor,
  namespaceObjectOf,
  type PolicyFailure,
  type PolicyInvocation,
  type PolicyPluginParts,
} from "./policy-source.ts";

const name = "MutatingAdmissionPolicy";

interface Refusal extends PolicyFailure {
  /** Reason of the rejection. Absent if the cause is an error in the policy or its binding, not in the object. */
  readonly reason?: string;
}

/**
 * Returns a plugin that applies mutating policies in sequence, each to the result of the previous one.
 *
 * @see apiserver pkg/admission/plugin/policy/mutating
 */
export function mutatingAdmissionPolicy(parts: PolicyPluginParts): AdmissionPlugin {
  return {
    name,
    handles: () => true,
    admit(attributes, reinvocation) {
      if (parts.policies().length === 0 || isExcludedFromAdmission(attributes.resource)) return undefined;
      return askAll(attributes, parts, reinvocation);
    },
  };
}

async function askAll(
  attributes: AdmissionAttributes,
  parts: PolicyPluginParts,
  reinvocation: Reinvocation,
): Promise<void> {
  const memory = reinvocation.memoryOf(name, () => new ReinvokedHooks(reinvocation));
  memory.begin(attributes.object);
  const { invocations, failures } = await invocationsFor(attributes, parts);
  const refusals: Refusal[] = [...failures];
  const pauses = new Pauses(attributes.signal);
  for (const invocation of invocations) {
    const id = idOf(invocation);
    if (!memory.shouldCall(id)) continue;
    await pauses.give();
    const before = attributes.object && structuredClone(attributes.object);
    refusals.push(...(await mutate(invocation, attributes, parts)));
    const changed = !jsonEqual(before ?? null, attributes.object ?? null);
    const reinvocable = invocation.compiled.policy.spec?.reinvocationPolicy === "IfNeeded";
    memory.called(id, { changed, reinvocable });
  }
  memory.end(attributes.object);
  const denials = refusals.filter(({ policy }) => policy.spec?.failurePolicy !== "Ignore");
  if (denials.length > 0) throw denied(attributes, denials);
}

const idOf = ({ compiled, binding, params }: PolicyInvocation): string =>
  [compiled.policy.metadata.name, binding.metadata.name, params?.metadata.namespace, params?.metadata.name].join("/");

async function mutate(
  invocation: PolicyInvocation,
  attributes: AdmissionAttributes,
  parts: PolicyPluginParts,
): Promise<Refusal[]> {
  const { compiled, binding } = invocation;
  const { policy } = compiled;
  const refusals: Refusal[] = [];
  for (const mutation of attributes.object ? compiled.mutations : []) {
    try {
      if (!(await mutateOnce(mutation, invocation, attributes, parts))) break;
    } catch (error) {
      if (!(error instanceof MutationError || error instanceof OutOfBudget)) throw error;
      refusals.push({ policy, binding, message: error.message, reason: "Invalid" });
    }
  }
  return refusals;
}

/** Applies one policy to the object.  @returns true if the policy's match conditions hold */
async function mutateOnce(
  mutation: CompiledMutation,
  invocation: PolicyInvocation,
  attributes: AdmissionAttributes,
  parts: PolicyPluginParts,
): Promise<boolean> {
  const { compiled, resource, kind, params } = invocation;
  const namespaceObject = await namespaceObjectOf(attributes, parts.namespaces);
  const seen = await seenAs(attributes, invocation, parts.served);
  const subject = { ...seen, attributes, resource, kind, params, namespaceObject };
  const value = await withAuthorizer(authorizationOf(parts.authorize, attributes), (ask) => {
    const evaluation = new Evaluation(subject, compiled.variables, ask);
    const { matches, error } = conditionsOutcome(compiled.conditions, compiled.failurePolicy, evaluation);
    if (error !== undefined) throw new MutationError(error);
    if (!matches) return undefined;
    evaluation.allow(runtimeCostBudget);
    const outcome = evaluation.evaluate(mutation);
    if (outcome.error !== undefined) throw new MutationError(outcome.error);
    return { value: outcome.value };
  });
  if (!value) return false;
  const { object } = seen;
  if (object) await change(value.value, mutation, object, invocation, attributes, parts);
  return true;
}

async function change(
  value: CelValue,
  { type }: CompiledMutation,
  object: Unstructured,
  { kind, resource }: PolicyInvocation,
  attributes: AdmissionAttributes,
  { served }: PolicyPluginParts,
): Promise<void> {
  const target = attributes.object;
  if (!target) return;
  const found = served.find(resource);
  const schema = found?.kind === kind.kind ? found.schema : builtinSchema(kind);
  if (!schema) throw new MutationError(`no type is known for ${kind.kind}`);
  const shown = structuredClone(shownObject(object, kind)) as Record<string, unknown>;
  const changed = limited(() =>
    type === "jsonPatch" ? applyPatchValue(shown, value) : applyConfiguration(shown, value, kind, schema),
  );
  if (changed === undefined) return;
  const next = readPatched(changed, kind, found, { strict: type === "jsonPatch" });
  const isOwnVersion = kind.version === attributes.kind.version && kind.group === attributes.kind.group;
  const result = isOwnVersion ? next : await convertObject(served, next, resource, attributes.resource);
  replaceMembers(target, result);
}

/**
 * Runs a mutation with a cost limit. Without the limit, a value that refers to the same list a million times would be cheap to create, but
 * huge as JSON.
 */
function limited<T>(write: () => T): T {
  try {
    return metered(new CostMeter(perCallLimit), write);
  } catch (error) {
    if (!(error instanceof CostLimitExceededError)) throw error;
    throw new MutationError(error.message);
  }
}

function denied(attributes: AdmissionAttributes, refusals: readonly Refusal[]): StatusError {
  const { status } = admissionForbidden(attributes, "admission request denied by policy");
  const causes = refusals.map((refusal) => ({ message: textOf(refusal) }));
  const [first] = refusals;
  return new StatusError({
    ...status,
    message: causes[0]?.message ?? "",
    reason: first?.reason ?? "Forbidden",
    details: { ...status.details, causes },
  });
}

const textOf = ({ policy, binding, message }: Refusal): string =>
  binding
    ? `policy '${policy.metadata.name}' with binding '${binding.metadata.name}' denied request: ${message}`
    : `policy "${policy.metadata.name}" denied request: ${message}`;
