import { isRecord, type LabelSelectorSpec, labelSelectorFrom } from "@kubewright/apimachinery";
import { type Need, needs, neverMatched, type Place } from "./webhook-needs.ts";

type Labels = Readonly<Record<string, string>>;

/** The namespace in which a program's webhooks run, and the labels of the namespace and the pods. */
export interface OwnPlace {
  readonly namespace: string;
  readonly namespaceLabels: Labels;
  readonly podLabels: Labels;
}

export interface Deadlock {
  /** Name of the webhook. */
  readonly name: string;
  readonly message: string;
}

interface Rule {
  readonly operations: readonly string[];
  readonly groups: readonly string[];
  readonly resources: readonly string[];
}

/**
 * Returns the webhooks that fail closed and block requests needed to start the webhooks themselves. Webhooks with match
 * conditions are assumed to exclude such requests.
 */
export function webhookDeadlocks(configurations: readonly object[], own: OwnPlace): Deadlock[] {
  return configurations
    .flatMap((one) => (isRecord(one) && Array.isArray(one.webhooks) ? one.webhooks : []))
    .filter(isRecord)
    .flatMap((webhook) => {
      const name = String(webhook.name);
      const rules = (Array.isArray(webhook.rules) ? webhook.rules : []).filter(isRecord).map(ruleOf);
      const silent = neverMatchedBy(rules).map((message) => ({ name, message }));
      const isLenient = webhook.failurePolicy === "Ignore" || hasItems(webhook.matchConditions);
      return isLenient ? silent : [...silent, ...barredBy(webhook, rules, own).map((message) => ({ name, message }))];
    });
}

function barredBy(webhook: Readonly<Record<string, unknown>>, rules: readonly Rule[], own: OwnPlace): string[] {
  const inPlaces = Map.groupBy(
    needs.filter(({ place }) => isSelected(webhook.namespaceSelector, place, own)),
    ({ place, why }) => `${place} ${why}`,
  );
  return [...inPlaces.values()].flatMap((same) => {
    const barred = same.flatMap((need) => need.resources.filter((one) => isMatched(webhook, rules, need, one, own)));
    const [first] = same;
    if (!first || barred.length === 0) return [];
    const { place, why } = first;
    const where =
      place === "own" ? ` in ${own.namespace}, its own namespace` : place === "cluster" ? "" : ` in ${place}`;
    const remedy = place === "cluster" ? "" : "exclude the namespace with namespaceSelector, ";
    return [
      `is called for ${barred.join(", ")}${where}, and ${why}; ${remedy}narrow its rules, or set failurePolicy: "Ignore"`,
    ];
  });
}

function isMatched(
  webhook: Readonly<Record<string, unknown>>,
  rules: readonly Rule[],
  { group, place }: Need,
  resource: string,
  { podLabels }: OwnPlace,
): boolean {
  // The labels of other objects are unknown.
  const labels = place === "own" && /^(?:pods|deployments|replicasets)/.test(resource) ? podLabels : {};
  const isChosen = isSpec(webhook.objectSelector) ? labelSelectorFrom(webhook.objectSelector).matches(labels) : true;
  return (
    isChosen &&
    rules.some(
      ({ operations, groups, resources }) =>
        operations.some((one) => one !== "CONNECT") &&
        groups.some((one) => one === "*" || one === group) &&
        resources.some((one) => covers(one, resource)),
    )
  );
}

/**
 * Returns true if the pattern in a webhook's rule matches a resource. `*` matches all resources, but no subresources;
 * `*\/*` matches both. `pods/*` matches all subresources of pods; `*\/status` matches the `status` subresource of all
 * resources.
 */
function covers(pattern: string, resource: string): boolean {
  const [wanted = "", wantedPart] = pattern.split("/");
  const [plural, part] = resource.split("/");
  if (wanted !== "*" && wanted !== plural) return false;
  if (wantedPart === undefined) return part === undefined;
  return wantedPart === "*" || wantedPart === part;
}

function isSelected(selector: unknown, place: Place, own: OwnPlace): boolean {
  // A namespace selector does not exclude cluster-scoped objects.
  if (place === "cluster" || !isSpec(selector)) return true;
  const name = place === "own" ? own.namespace : place;
  const labels = { ...(place === "own" ? own.namespaceLabels : {}), "kubernetes.io/metadata.name": name };
  return labelSelectorFrom(selector).matches(labels);
}

function neverMatchedBy(rules: readonly Rule[]): string[] {
  const named = rules
    .filter(({ groups }) => groups.includes(neverMatched.group))
    .flatMap(({ resources }) => resources)
    .filter((one) => (neverMatched.resources as readonly string[]).includes(one));
  return named.length > 0
    ? [`has rules for ${named.join(", ")}, for which API servers never call webhooks; remove these rules`]
    : [];
}

const textsIn = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : []);

const ruleOf = (rule: Readonly<Record<string, unknown>>): Rule => ({
  operations: textsIn(rule.operations),
  groups: textsIn(rule.apiGroups),
  resources: textsIn(rule.resources),
});

const hasItems = (value: unknown): boolean => Array.isArray(value) && value.length > 0;

/**
 * Returns true if the value is a selector. The cast is safe, because the API server's own code validated the object when it was generated.
 */
const isSpec = (value: unknown): value is LabelSelectorSpec => isRecord(value);
