import { internalError } from "@kubewright/apimachinery";
import type { AdmissionAttributes } from "../admission.ts";
import { admissionForbidden } from "../admission-forbidden.ts";
import { convertObject, type Equivalent, equivalentsOf, type ServedResources } from "../equivalent-resources.ts";
import type { MatchConditionEvaluator } from "../match-conditions.ts";
import type { NamespaceLookup } from "../namespace-lifecycle.ts";
import { ruleMatches } from "../rules.ts";
import { namespaceMatches, objectMatches } from "../selectors.ts";
import type { Hook, Webhook } from "./configuration.ts";

export interface HookSelectionParts {
  readonly served: ServedResources;
  readonly namespaces: NamespaceLookup;
  readonly matchConditions: MatchConditionEvaluator;
}

/** A hook to call, with the resource under which it matched the request. */
export interface Invocation extends Equivalent {
  readonly hook: Hook;
}

/**
 * Returns the webhook call to make for a request, or `undefined` if the webhook does not match the request.
 *
 * @throws {StatusError} if it cannot be determined whether the webhook matches: 404 if the namespace does not exist,
 * 403 if match conditions cannot be evaluated
 * @see apiserver pkg/admission/plugin/webhook/generic Webhook.ShouldCallHook
 */
export async function invocationOf(
  hook: Hook,
  attributes: AdmissionAttributes,
  parts: HookSelectionParts,
): Promise<Invocation | undefined> {
  const { webhook } = hook;
  const place = placeOf(webhook, attributes, parts.served);
  if (!place || !objectMatches(webhook, attributes)) return undefined;
  if (!(await namespaceMatches(webhook, attributes, parts.namespaces))) return undefined;
  const invocation = { hook, ...place };
  return (await conditionsHold(invocation, attributes, parts)) ? invocation : undefined;
}

/** Returns the resource that a webhook's rules match. Tries the resource of the request first, and then its equivalents. */
function placeOf(webhook: Webhook, attributes: AdmissionAttributes, served: ServedResources): Equivalent | undefined {
  const { resource, kind, subresource } = attributes;
  const rules = webhook.rules ?? [];
  if (rules.some((rule) => ruleMatches(rule, attributes, resource))) return { resource, kind };
  if (webhook.matchPolicy !== "Equivalent" || rules.length === 0) return undefined;
  const equivalents = equivalentsOf(served, resource, subresource);
  for (const rule of rules) {
    const found = equivalents.find((other) => ruleMatches(rule, attributes, other.resource));
    if (found) return found;
  }
  return undefined;
}

async function conditionsHold(
  { hook, resource, kind }: Invocation,
  attributes: AdmissionAttributes,
  { served, matchConditions }: HookSelectionParts,
): Promise<boolean> {
  const { matchConditions: conditions = [], failurePolicy = "Fail" } = hook.webhook;
  if (conditions.length === 0) return true;
  const seen = await seenAs(attributes, { resource, kind }, served);
  const outcome = await matchConditions(conditions, failurePolicy, { ...seen, attributes, resource, kind });
  if (outcome.error !== undefined) throw admissionForbidden(attributes, outcome.error);
  return outcome.matches;
}

/**
 * Returns the new and the old object in the version under which a hook matched.
 *
 * @throws {StatusError} 500 if an object cannot be converted
 */
export async function seenAs(
  { object, oldObject, resource: from, kind: ownKind }: AdmissionAttributes,
  { resource, kind }: Equivalent,
  served: ServedResources,
): Promise<Pick<AdmissionAttributes, "object" | "oldObject">> {
  if (kind.version === ownKind.version && kind.group === ownKind.group && kind.kind === ownKind.kind)
    return { object, oldObject };
  try {
    return {
      object: object && (await convertObject(served, object, from, resource)),
      oldObject: oldObject && (await convertObject(served, oldObject, from, resource)),
    };
  } catch (error) {
    throw internalError(error);
  }
}
