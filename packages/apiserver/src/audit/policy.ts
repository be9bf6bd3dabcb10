import { isDns1123Subdomain, isRecord, quote } from "@kubewright/apimachinery";
import { readYamlText } from "@kubewright/codec";
import type { AuthorizationAttributes } from "../authorization/authorizer.ts";

const levels = ["None", "Metadata", "Request", "RequestResponse"] as const;
const stages = ["RequestReceived", "ResponseStarted", "ResponseComplete", "Panic"] as const;

/**
 * The amount of detail recorded about a request in the audit log: `None`, `Metadata`, `Request` or `RequestResponse`.
 */
export type AuditLevel = (typeof levels)[number];
export type AuditStage = (typeof stages)[number];

/** A policy's decision for one request: the audit level, and the parts to omit. */
export interface AuditDecision {
  readonly level: AuditLevel;
  readonly omitStages: ReadonlySet<string>;
  readonly omitManagedFields: boolean;
}

interface GroupResources {
  readonly group: string;
  readonly resources: readonly string[];
  readonly resourceNames: readonly string[];
}

interface Rule {
  readonly level: AuditLevel;
  readonly users: readonly string[];
  readonly userGroups: readonly string[];
  readonly verbs: readonly string[];
  readonly resources: readonly GroupResources[];
  readonly namespaces: readonly string[];
  readonly nonResourceURLs: readonly string[];
  readonly omitStages: readonly string[];
  readonly omitManagedFields: boolean | undefined;
}

/**
 * An audit policy, which determines which requests are recorded and at which level. The first matching rule applies;
 * requests that match no rule are not recorded.
 *
 * @see apiserver pkg/audit/policy
 */
export class AuditPolicy {
  readonly #rules: readonly Rule[];
  readonly #omitStages: readonly string[];
  readonly #omitManagedFields: boolean;

  private constructor(rules: readonly Rule[], omitStages: readonly string[], omitManagedFields: boolean) {
    this.#rules = rules;
    this.#omitStages = omitStages;
    this.#omitManagedFields = omitManagedFields;
  }

  /** Policy that records the metadata of every request. */
  static readonly metadata = new AuditPolicy([readRule({ level: "Metadata" }, "rules[0]")], [], false);

  /**
   * Parses a `Policy` of `audit.k8s.io/v1`, as YAML or JSON.
   *
   * @throws {Error} if the policy is not valid; the message contains the field, its value and the permitted values
   */
  static parse(text: string): AuditPolicy {
    const { value } = readYamlText(text);
    if (!isRecord(value) || value.kind !== "Policy" || value.apiVersion !== "audit.k8s.io/v1")
      throw new Error('audit policy: expected an object of apiVersion "audit.k8s.io/v1" and kind "Policy"');
    const rules = Array.isArray(value.rules) ? value.rules : [];
    if (rules.length === 0)
      throw new Error("audit policy: rules: loaded illegal policy with 0 rules; add at least one");
    return new AuditPolicy(
      rules.map((rule, index) => readRule(rule, `rules[${index}]`)),
      stagesOf(value.omitStages, "omitStages"),
      value.omitManagedFields === true,
    );
  }

  decide(attributes: AuthorizationAttributes): AuditDecision {
    const rule = this.#rules.find((candidate) => matches(candidate, attributes));
    return {
      level: rule?.level ?? "None",
      omitStages: new Set([...this.#omitStages, ...(rule?.omitStages ?? [])]),
      omitManagedFields: rule?.omitManagedFields ?? this.#omitManagedFields,
    };
  }
}

function matches(rule: Rule, attributes: AuthorizationAttributes): boolean {
  const { user } = attributes;
  const among = (names: readonly string[], ...values: readonly string[]): boolean =>
    names.length === 0 || values.some((value) => names.includes(value));
  if (!among(rule.users, user.name) || !among(rule.userGroups, ...user.groups)) return false;
  if (!among(rule.verbs, attributes.verb)) return false;
  if (rule.nonResourceURLs.length > 0 || rule.resources.length > 0 || rule.namespaces.length > 0)
    return attributes.isResourceRequest
      ? matchesResource(rule, attributes)
      : rule.nonResourceURLs.some((spec) => matchesPath(spec, attributes.path));
  return true;
}

function matchesResource(rule: Rule, attributes: AuthorizationAttributes): boolean {
  if (rule.nonResourceURLs.length > 0) return false;
  if (rule.namespaces.length > 0 && !rule.namespaces.includes(attributes.namespace)) return false;
  if (rule.resources.length === 0) return true;
  const { group, resource, subresource, name } = attributes;
  const combined = subresource === "" ? resource : `${resource}/${subresource}`;
  return rule.resources.some((entry) => {
    if (entry.group !== group && entry.group !== "*") return false;
    if (entry.resources.length === 0) return true;
    if (entry.resourceNames.length > 0 && !entry.resourceNames.includes(name)) return false;
    return entry.resources.some(
      (wanted) =>
        wanted === "*" ||
        wanted === combined ||
        wanted === `${resource}/*` ||
        (subresource !== "" && wanted === `*/${subresource}`),
    );
  });
}

const matchesPath = (spec: string, path: string): boolean =>
  spec === "*" || spec === path || (spec.endsWith("*") && path.startsWith(spec.slice(0, -1)));

function readRule(value: unknown, place: string): Rule {
  if (!isRecord(value)) throw new Error(`audit policy: ${place}: expected an object`);
  const level = levels.find((name) => name === value.level);
  if ((value.level ?? "") === "") throw new Error(`audit policy: ${place}.level: Required value`);
  if (!level)
    throw new Error(
      `audit policy: ${place}.level: Unsupported value: ${quote(String(value.level ?? ""))}: supported values: ${levels.map((name) => `"${name}"`).join(", ")}`,
    );
  const rule = {
    level,
    users: strings(value.users, `${place}.users`),
    userGroups: strings(value.userGroups, `${place}.userGroups`),
    verbs: strings(value.verbs, `${place}.verbs`),
    resources: (Array.isArray(value.resources) ? value.resources : []).map((entry, index) =>
      groupResources(entry, `${place}.resources[${index}]`),
    ),
    namespaces: strings(value.namespaces, `${place}.namespaces`),
    nonResourceURLs: paths(value.nonResourceURLs, `${place}.nonResourceURLs`),
    omitStages: stagesOf(value.omitStages, `${place}.omitStages`),
    omitManagedFields: typeof value.omitManagedFields === "boolean" ? value.omitManagedFields : undefined,
  };
  if (rule.nonResourceURLs.length > 0 && (rule.resources.length > 0 || rule.namespaces.length > 0))
    throw new Error(
      `audit policy: ${place}.nonResourceURLs: rules cannot apply to both regular resources and non-resource URLs`,
    );
  return rule;
}

function groupResources(value: unknown, place: string): GroupResources {
  if (!isRecord(value)) throw new Error(`audit policy: ${place}: expected an object`);
  const resources = strings(value.resources, `${place}.resources`);
  const resourceNames = strings(value.resourceNames, `${place}.resourceNames`);
  if (resourceNames.length > 0 && resources.length === 0)
    throw new Error(`audit policy: ${place}.resourceNames: using resourceNames requires at least one resource`);
  const group = typeof value.group === "string" ? value.group : "";
  const [problem] = group === "" || group === "*" ? [] : isDns1123Subdomain(group);
  if (problem) throw new Error(`audit policy: ${place}.group: Invalid value: ${JSON.stringify(group)}: ${problem}`);
  return { group, resources, resourceNames };
}

function paths(value: unknown, place: string): readonly string[] {
  const all = strings(value, place);
  for (const [index, path] of all.entries()) {
    const invalid = `audit policy: ${place}[${index}]: Invalid value: ${JSON.stringify(path)}: non-resource URL`;
    if (path !== "*" && !path.startsWith("/")) throw new Error(`${invalid} rules must begin with a '/' character`);
    if (path.slice(0, -1).includes("*"))
      throw new Error(`${invalid} wildcards '*' must be the final character of the rule`);
  }
  return all;
}

function stagesOf(value: unknown, place: string): readonly string[] {
  const names = strings(value, place);
  for (const [index, name] of names.entries())
    if (!stages.some((stage) => stage === name))
      throw new Error(
        `audit policy: ${place}[${index}]: Invalid value: ${JSON.stringify(name)}: allowed stages are ${stages.join(",")}`,
      );
  return names;
}

function strings(value: unknown, place: string): readonly string[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value) && value.every((item) => typeof item === "string")) return value;
  throw new Error(`audit policy: ${place}: expected a list of strings`);
}
