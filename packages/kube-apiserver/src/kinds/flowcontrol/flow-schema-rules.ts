import {
  type FieldError,
  type FieldPath,
  fieldError,
  isDns1123Label,
  isDns1123Subdomain,
} from "@kubewright/apimachinery";
import { messages } from "../checks.ts";

interface Subject {
  kind?: string;
  user?: { name?: string };
  group?: { name?: string };
  serviceAccount?: { namespace?: string; name?: string };
}

interface ResourceRule {
  verbs?: string[];
  apiGroups?: string[];
  resources?: string[];
  clusterScope?: boolean;
  namespaces?: string[];
}

interface NonResourceRule {
  verbs?: string[];
  nonResourceURLs?: string[];
}

/** The users and requests that a flow schema matches. */
export interface RulesWithSubjects {
  subjects?: Subject[];
  resourceRules?: ResourceRule[];
  nonResourceRules?: NonResourceRule[];
}

const verbs = ["create", "delete", "deletecollection", "get", "list", "patch", "proxy", "update", "watch"];
const subjectKinds = ["Group", "ServiceAccount", "User"];

/**
 * Returns the errors in a flow schema's rule.
 *
 * @see kubernetes pkg/apis/flowcontrol/validation ValidateFlowSchemaPolicyRulesWithSubjects
 */
export function ruleErrors(rule: RulesWithSubjects, at: FieldPath): FieldError[] {
  const { subjects = [], resourceRules = [], nonResourceRules = [] } = rule;
  return [
    ...(subjects.length === 0
      ? [fieldError.required(at.child("subjects"), "subjects must contain at least one value")]
      : subjects.flatMap((subject, i) => subjectErrors(subject, at.child("subjects").index(i)))),
    ...(resourceRules.length + nonResourceRules.length === 0
      ? [fieldError.required(at, "at least one of resourceRules and nonResourceRules has to be non-empty")]
      : []),
    ...resourceRules.flatMap((each, i) => resourceRuleErrors(each, at.child("resourceRules").index(i))),
    ...nonResourceRules.flatMap((each, i) => nonResourceRuleErrors(each, at.child("nonResourceRules").index(i))),
  ];
}

/** Field for each kind of subject, in the order of upstream's messages about the other fields. */
const memberOf = { ServiceAccount: "serviceAccount", User: "user", Group: "group" } as const;

function subjectErrors(subject: Subject, at: FieldPath): FieldError[] {
  const { kind = "" } = subject;
  if (kind !== "ServiceAccount" && kind !== "User" && kind !== "Group")
    return [fieldError.notSupported(at.child("kind"), kind, subjectKinds)];
  const others = (["ServiceAccount", "User", "Group"] as const).filter((other) => other !== kind);
  return [
    ...ownErrors(subject, kind, at.child(memberOf[kind])),
    ...others
      .filter((other) => subject[memberOf[other]] !== undefined)
      .map((other) => {
        const member = memberOf[other];
        return fieldError.forbidden(at.child(member), `${member} is forbidden when subject kind is not '${other}'`);
      }),
  ];
}

function ownErrors(subject: Subject, kind: keyof typeof memberOf, at: FieldPath): FieldError[] {
  const own = subject[memberOf[kind]];
  if (!own) return [fieldError.required(at, `${memberOf[kind]} is required when subject kind is '${kind}'`)];
  const { name = "" } = own;
  const errors: FieldError[] = [];
  if (name === "") errors.push(fieldError.required(at.child("name")));
  if (kind !== "ServiceAccount") return errors;
  if (name !== "" && name !== "*") errors.push(...messages(name, isDns1123Subdomain(name), at.child("name")));
  const { namespace = "" } = subject.serviceAccount ?? {};
  if (namespace !== "") errors.push(...messages(namespace, isDns1123Label(namespace), at.child("namespace")));
  else errors.push(fieldError.required(at.child("namespace"), "must specify namespace for service account"));
  return errors;
}

function verbErrors(given: readonly string[], at: FieldPath): FieldError[] {
  if (given.length === 0) return [fieldError.required(at, "verbs must contain at least one value")];
  if (given.includes("*"))
    return given.length > 1 ? [fieldError.invalid(at, given, "if '*' is present, must not specify other verbs")] : [];
  return given.every((verb) => verbs.includes(verb)) ? [] : [fieldError.notSupported(at, given, verbs)];
}

function listErrors(given: readonly string[], at: FieldPath, one: string, others: string): FieldError[] {
  if (given.length === 0) return [fieldError.required(at, `resource rules must supply at least one ${one}`)];
  if (given.length > 1 && given.includes("*"))
    return [fieldError.invalid(at, given, `if '*' is present, must not specify other ${others}`)];
  return [];
}

function resourceRuleErrors(rule: ResourceRule, at: FieldPath): FieldError[] {
  const { namespaces = [], clusterScope = false } = rule;
  return [
    ...verbErrors(rule.verbs ?? [], at.child("verbs")),
    ...listErrors(rule.apiGroups ?? [], at.child("apiGroups"), "api group", "api groups"),
    ...listErrors(rule.resources ?? [], at.child("resources"), "resource", "resources"),
    ...namespaceErrors(namespaces, clusterScope, at.child("namespaces")),
  ];
}

function namespaceErrors(namespaces: readonly string[], clusterScope: boolean, at: FieldPath): FieldError[] {
  if (namespaces.length === 0 && !clusterScope)
    return [fieldError.required(at, "resource rules that are not cluster scoped must supply at least one namespace")];
  if (namespaces.includes("*"))
    return namespaces.length > 1
      ? [fieldError.invalid(at, namespaces, "if '*' is present, must not specify other namespaces")]
      : [];
  return namespaces.flatMap((namespace, i) =>
    isDns1123Label(namespace).map((text) =>
      fieldError.invalid(at.index(i), namespace, `each member of this list must be '*' or a DNS-1123 label; ${text}`),
    ),
  );
}

function nonResourceRuleErrors(rule: NonResourceRule, at: FieldPath): FieldError[] {
  return [
    ...verbErrors(rule.verbs ?? [], at.child("verbs")),
    ...urlErrors(rule.nonResourceURLs ?? [], at.child("nonResourceURLs")),
  ];
}

function urlErrors(urls: readonly string[], at: FieldPath): FieldError[] {
  if (urls.length === 0) return [fieldError.required(at, "nonResourceURLs must contain at least one value")];
  if (urls.includes("*"))
    return urls.length > 1
      ? [fieldError.invalid(at, urls, "if '*' is present, must not specify other non-resource URLs")]
      : [];
  return urls.flatMap((url, i) => messages(url, urlProblem(url), at.index(i)));
}

function urlProblem(url: string): string[] {
  if (url === "") return ["must not be empty"];
  if (url === "/") return [];
  if (!url.startsWith("/")) return ["must start with slash"];
  if (url.includes(" ")) return ["must not contain white-space"];
  if (url.includes("//")) return ["must not contain double slash"];
  const star = url.indexOf("*");
  if (star >= 0 && star < url.length - 1) return ["wildcard can only do suffix matching"];
  return star >= 0 && !url.endsWith("/*") ? ["wildcard can only do suffix matching"] : [];
}
