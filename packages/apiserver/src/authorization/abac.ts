import { isRecord, quote } from "@kubewright/apimachinery";
import { wrongType } from "@kubewright/codec";
import type { RequestUser } from "../authentication/user/user-info.ts";
import type { AuthorizationAttributes, Authorizer } from "./authorizer.ts";
import type { RbacRule, RuleResolver } from "./rules.ts";

/** One line of a policy file. @see kubernetes pkg/apis/abac Policy */
interface Policy {
  readonly user: string;
  readonly group: string;
  readonly readonly: boolean;
  readonly apiGroup: string;
  readonly resource: string;
  readonly namespace: string;
  readonly nonResourcePath: string;
}

const readVerbs: readonly string[] = ["get", "list", "watch"];

/**
 * An authorizer for attribute-based access control. A request is allowed if at least one policy in the list allows it.
 *
 * @see kubernetes pkg/auth/authorizer/abac
 */
export class AbacAuthorizer {
  readonly #policies: readonly Policy[];

  /**
   * Parses the contents of a policy file.
   *
   * @param path path of the file, for messages
   *
   * @param text one JSON object per line; empty lines, and lines that begin with `#`, are skipped
   * @throws {Error} with kube-apiserver's message if a line is not a valid policy
   */
  constructor(path: string, text: string) {
    this.#policies = text.split("\n").flatMap((line, i) => {
      const trimmed = line.trim();
      if (trimmed === "" || trimmed.startsWith("#")) return [];
      try {
        return [readPolicy(trimmed)];
      } catch (cause) {
        const why = cause instanceof Error ? cause.message : String(cause);
        throw new Error(`error reading policy file ${path}, line ${i + 1}: ${line.replace(/\r$/, "")}: ${why}`, {
          cause,
        });
      }
    });
  }

  readonly authorize: Authorizer = (attributes) =>
    this.#policies.some((policy) => allows(policy, attributes))
      ? { decision: "allow" }
      : { decision: "no opinion", reason: "No policy matched." };

  readonly rulesFor: RuleResolver = async (user, namespace) => ({
    rules: this.#policies
      .filter((policy) => isSubject(policy, user) && (policy.namespace === "*" || policy.namespace === namespace))
      .flatMap(rulesOf),
    incomplete: false,
  });
}

function readPolicy(line: string): Policy {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw new Error(wrongType("", "object", line)); // upstream parses each line as YAML, in which any text is a string
  }
  if (!isRecord(value)) throw new Error(wrongType("", "object", value));
  const { apiVersion, kind } = value;
  if (apiVersion === undefined || kind === undefined) return unversioned(value);
  if (kind !== "Policy" || !/^abac\.authorization\.kubernetes\.io\/(v1beta1|v0)$/.test(String(apiVersion)))
    throw new Error(`no kind ${quote(String(kind))} is registered for version ${quote(String(apiVersion))}`);
  return policyOf(isRecord(value.spec) ? value.spec : {});
}

const text = (value: unknown): string => (typeof value === "string" ? value : "");

const policyOf = (spec: Record<string, unknown>): Policy => ({
  ...subjectOf(text(spec.user), text(spec.group)),
  readonly: spec.readonly === true,
  apiGroup: text(spec.apiGroup),
  resource: text(spec.resource),
  namespace: text(spec.namespace),
  nonResourcePath: text(spec.nonResourcePath),
});

/** Returns the subject of a policy in the older format. In this format, `*` matches all authenticated users. */
const subjectOf = (user: string, group: string): Pick<Policy, "user" | "group"> =>
  user === "*" || group === "*" ? { user: "", group: "system:authenticated" } : { user, group };

/** Reads a policy in the unversioned format, in which absent fields match everything. */
function unversioned(value: Record<string, unknown>): Policy {
  const { user, group, readonly, resource, namespace } = value;
  const everybody = text(user) === "" && text(group) === "";
  return {
    ...subjectOf(everybody ? "*" : text(user), text(group)),
    readonly: readonly === true,
    apiGroup: "*",
    resource: text(resource) || "*",
    namespace: text(namespace) || "*",
    nonResourcePath: text(resource) === "" && text(namespace) === "" ? "*" : "",
  };
}

function allows(policy: Policy, attributes: AuthorizationAttributes): boolean {
  const { user, verb, isResourceRequest, namespace, resource, group, path } = attributes;
  if (!isSubject(policy, user) || (policy.readonly && !readVerbs.includes(verb))) return false;
  const matches = (wanted: string, given: string): boolean => wanted === "*" || wanted === given;
  if (isResourceRequest)
    return (
      matches(policy.namespace, namespace) && matches(policy.resource, resource) && matches(policy.apiGroup, group)
    );
  const { nonResourcePath: pattern } = policy;
  return matches(pattern, path) || (pattern.endsWith("*") && path.startsWith(pattern.replace(/(?<!\*)\*+$/, "")));
}

function isSubject({ user, group }: Policy, { name, groups }: RequestUser): boolean {
  if (user !== "" && user !== name) return false;
  if (group !== "" && !groups.includes(group)) return false;
  return user !== "" || group !== "";
}

function rulesOf({ readonly, apiGroup, resource, nonResourcePath }: Policy): RbacRule[] {
  const verbs = readonly ? readVerbs : ["*"];
  return [
    ...(resource === "" ? [] : [{ verbs, apiGroups: [apiGroup], resources: [resource] }]),
    ...(nonResourcePath === "" ? [] : [{ verbs, nonResourceURLs: [nonResourcePath] }]),
  ];
}
