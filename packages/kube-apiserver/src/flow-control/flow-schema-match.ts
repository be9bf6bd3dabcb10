import type { RequestUser } from "@kubewright/apiserver/authentication";
import type { RequestInfo } from "@kubewright/apiserver/endpoints";
import type { RulesWithSubjects } from "../kinds/flowcontrol/flow-schema-rules.ts";

type Subject = NonNullable<RulesWithSubjects["subjects"]>[number];
type ResourceRule = NonNullable<RulesWithSubjects["resourceRules"]>[number];
type NonResourceRule = NonNullable<RulesWithSubjects["nonResourceRules"]>[number];

/**
 * Reports whether one of a flow schema's rules matches a request.
 *
 * @see apiserver pkg/util/flowcontrol matchesPolicyRule
 */
export function rulesMatch(rules: readonly RulesWithSubjects[], user: RequestUser, info: RequestInfo): boolean {
  return rules.some(
    ({ subjects = [], resourceRules = [], nonResourceRules = [] }) =>
      subjects.some((subject) => subjectMatches(subject, user)) &&
      (info.isResourceRequest
        ? resourceRules.some((rule) => resourceMatches(rule, info))
        : nonResourceRules.some((rule) => pathMatches(rule, info))),
  );
}

function subjectMatches(subject: Subject, user: RequestUser): boolean {
  if (subject.kind === "User") return subject.user?.name === "*" || subject.user?.name === user.name;
  if (subject.kind === "Group") return subject.group?.name === "*" || user.groups.includes(subject.group?.name ?? "");
  if (subject.kind !== "ServiceAccount" || !subject.serviceAccount) return false;
  const { namespace = "", name = "" } = subject.serviceAccount;
  const prefix = `system:serviceaccount:${namespace}:`;
  return name === "*" ? user.name.startsWith(prefix) : user.name === `${prefix}${name}`;
}

function resourceMatches(rule: ResourceRule, info: RequestInfo): boolean {
  const resource = info.subresource === "" ? info.resource : `${info.resource}/${info.subresource}`;
  if (!contains(rule.verbs, info.verb) || !contains(rule.resources, resource)) return false;
  if (!contains(rule.apiGroups, info.group)) return false;
  return info.namespace === "" ? rule.clusterScope === true : contains(rule.namespaces, info.namespace);
}

function pathMatches({ verbs, nonResourceURLs = [] }: NonResourceRule, { verb, path }: RequestInfo): boolean {
  return (
    contains(verbs, verb) &&
    nonResourceURLs.some((url) => url === "*" || url === path || path.startsWith(folderOf(url.replace(/\*$/, ""))))
  );
}

const folderOf = (path: string): string => (path.endsWith("/") ? path : `${path}/`);

const contains = (list: readonly string[] = [], wanted: string): boolean =>
  (list.length === 1 && list[0] === "*") || list.includes(wanted);
