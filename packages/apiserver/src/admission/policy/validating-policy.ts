import { StatusError } from "@kubewright/apimachinery";
import { runtimeCostBudget, typeName, typeOf, withAuthorizer } from "@kubewright/cel";
import type { AdmissionAttributes, AdmissionPlugin } from "../admission.ts";
import { admissionForbidden } from "../admission-forbidden.ts";
import { isExcludedFromAdmission } from "../rules.ts";
import { seenAs } from "../webhook/hook-selection.ts";
import type { CompiledPolicy, CompiledValidation } from "./compiled-policy.ts";
import { authorizationOf, Evaluation, OutOfBudget } from "./evaluation.ts";
import { conditionsOutcome } from "./match-condition-evaluator.ts";
import { Pauses } from "./pauses.ts";
import { invocationsFor, namespaceObjectOf, type PolicyInvocation, type PolicyPluginParts } from "./policy-source.ts";
import type { AdmissionPolicy, AdmissionPolicyBinding } from "./policy-types.ts";

interface Failing {
  readonly message: string;
  readonly reason: string;
}

interface Denial extends Failing {
  readonly policy: AdmissionPolicy;
  readonly binding?: AdmissionPolicyBinding | undefined;
}

interface Result {
  readonly failing: readonly Failing[];
  /**
   * Errors in audit annotations. They deny the request even if the binding's `validationActions` do not contain
   * `Deny`.
   */
  readonly denying: readonly string[];
  readonly annotations: readonly (readonly [key: string, value: string])[];
}

const none: Result = { failing: [], denying: [], annotations: [] };
const longestMessage = 5 * 1_024;
const longestAnnotation = 10 * 1_024;
const invalid = "Invalid";
const codes: Readonly<Record<string, number>> = { Forbidden: 403, Unauthorized: 401, RequestEntityTooLarge: 413 };

/**
 * Returns a plugin that evaluates validating policies and reports the first denial.
 *
 * @see apiserver pkg/admission/plugin/policy/validating
 */
export function validatingAdmissionPolicy(parts: PolicyPluginParts): AdmissionPlugin {
  return {
    name: "ValidatingAdmissionPolicy",
    handles: () => true,
    validate(attributes) {
      if (parts.policies().length === 0 || isExcludedFromAdmission(attributes.resource)) return undefined;
      return askAll(attributes, parts);
    },
  };
}

async function askAll(attributes: AdmissionAttributes, parts: PolicyPluginParts): Promise<void> {
  const { invocations, failures } = await invocationsFor(attributes, parts);
  const denials: Denial[] = failures
    .filter(({ policy }) => policy.spec?.failurePolicy !== "Ignore")
    .map((failure) => ({ ...failure, reason: invalid }));
  const pauses = new Pauses(attributes.signal);
  for (const invocation of invocations) {
    denials.push(...(await ask(invocation, attributes, parts)));
    await pauses.give();
  }
  const [first] = denials;
  if (first) throw denied(attributes, first);
}

async function ask(
  invocation: PolicyInvocation,
  attributes: AdmissionAttributes,
  parts: PolicyPluginParts,
): Promise<Denial[]> {
  const { compiled, binding, params, resource, kind } = invocation;
  const { policy } = compiled;
  const namespaceObject = await namespaceObjectOf(attributes, parts.namespaces);
  const seen = await seenAs(attributes, invocation, parts.served);
  const subject = { ...seen, attributes, resource, kind, params, namespaceObject };
  const { failing, denying, annotations } = await withAuthorizer(
    authorizationOf(parts.authorize, attributes),
    (asker) => evaluate(compiled, new Evaluation(subject, compiled.variables, asker)),
  );
  const denials: Denial[] = [];
  const actions = binding.spec?.validationActions ?? [];
  const names = `ValidatingAdmissionPolicy '${policy.metadata.name}' with binding '${binding.metadata.name}'`;
  for (const [i, one] of failing.entries()) {
    if (actions.includes("Deny")) denials.push({ policy, binding, ...one });
    if (actions.includes("Warn")) attributes.warn(`Validation failed for ${names}: ${one.message}`);
    if (actions.includes("Audit")) note(attributes, invocation, i, one.message);
  }
  denials.push(...denying.map((message) => ({ policy, binding, message, reason: invalid })));
  for (const [key, value] of annotations)
    attributes.annotate?.(`${policy.metadata.name}/${key}`, value.slice(0, longestAnnotation));
  return denials;
}

function note(
  attributes: AdmissionAttributes,
  { compiled, binding }: PolicyInvocation,
  expressionIndex: number,
  message: string,
): void {
  const failure = {
    message,
    policy: compiled.policy.metadata.name,
    binding: binding.metadata.name,
    expressionIndex,
    validationActions: binding.spec?.validationActions ?? [],
  };
  attributes.annotate?.("validation.policy.admission.k8s.io/validation_failure", JSON.stringify([failure]));
}

function evaluate(policy: CompiledPolicy, evaluation: Evaluation): Result {
  const { failurePolicy, conditions } = policy;
  const { matches, error } = conditionsOutcome(conditions, failurePolicy, evaluation);
  if (error !== undefined) return { ...none, failing: [{ message: error, reason: invalid }] };
  if (!matches) return none;
  try {
    const failing = failingOf(policy, evaluation);
    return { ...annotationsOf(policy, evaluation), failing };
  } catch (error) {
    if (!(error instanceof OutOfBudget)) throw error;
    return failurePolicy === "Ignore" ? none : { ...none, failing: [{ message: error.message, reason: invalid }] };
  }
}

/**
 * Returns the validations that fail, with their messages. Message expressions are evaluated after all validations, and use the rest of the
 * budget.
 *
 * @throws {OutOfBudget} if the validations exceed their shared budget
 */
function failingOf({ failurePolicy, validations }: CompiledPolicy, evaluation: Evaluation): Failing[] {
  evaluation.allow(runtimeCostBudget);
  const broken = (message: string): Failing[] => (failurePolicy === "Ignore" ? [] : [{ message, reason: invalid }]);
  const found = validations.map((validation) => ({ validation, outcome: evaluation.evaluate(validation) }));
  return found.flatMap(({ validation, outcome }) => {
    if (outcome.error !== undefined) return broken(outcome.error);
    if (outcome.value === true) return [];
    try {
      return [{ message: messageOf(validation, evaluation), reason: validation.validation.reason ?? invalid }];
    } catch (error) {
      if (!(error instanceof OutOfBudget)) throw error;
      return broken(`failed messageExpression: ${error.message}`);
    }
  });
}

/** Evaluates the policy's audit annotations. @throws {OutOfBudget} if the expressions exceed their shared budget */
function annotationsOf(
  { failurePolicy, annotations }: CompiledPolicy,
  evaluation: Evaluation,
): Pick<Result, "denying" | "annotations"> {
  evaluation.allow(runtimeCostBudget);
  const noted: [string, string][] = [];
  const denying: string[] = [];
  for (const annotation of annotations) {
    const outcome = evaluation.evaluate(annotation);
    if (outcome.error !== undefined) denying.push(outcome.error);
    else if (typeof outcome.value === "string" && outcome.value.trim() !== "")
      noted.push([annotation.key, outcome.value.trim()]);
    else if (outcome.value !== null && typeof outcome.value !== "string")
      denying.push(
        `valueExpression '${annotation.expression}' resulted in unsupported return type: ${typeName(typeOf(outcome.value))}. Return type must be either string or null.`,
      );
  }
  return { denying: failurePolicy === "Ignore" ? [] : denying, annotations: noted };
}

/**
 * Returns the message for a failed validation: the result of the message expression, otherwise the fixed message, otherwise a message with
 * the failed expression.
 *
 * @throws {OutOfBudget} if the message expression exceeds the rest of the budget
 */
function messageOf({ validation, messageExpression, expression }: CompiledValidation, evaluation: Evaluation): string {
  const outcome = messageExpression && evaluation.evaluate(messageExpression);
  const messageText = outcome?.error === undefined && typeof outcome?.value === "string" ? outcome.value.trim() : "";
  if (messageText !== "" && !messageText.includes("\n") && Buffer.byteLength(messageText) <= longestMessage)
    return messageText;
  return validation.message?.trim() || `failed expression: ${expression.trim()}`;
}

function denied(attributes: AdmissionAttributes, { policy, binding, message, reason }: Denial): StatusError {
  const by = binding ? ` with binding '${binding.metadata.name}'` : "";
  const text = `ValidatingAdmissionPolicy '${policy.metadata.name}'${by} denied request: ${message}`;
  const { status } = admissionForbidden(attributes, text);
  return new StatusError({
    ...status,
    reason,
    details: { ...status.details, causes: [{ message: text }] },
    code: codes[reason] ?? 422,
  });
}
