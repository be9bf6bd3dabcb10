import type { RequestObserver } from "@kubewright/client";
import type { Logger } from "@kubewright/log";

/**
 * Returns the cause of a 403. `authorizer` means that a rule is missing. `more` means that users tried to grant
 * permissions that they do not have themselves. `admission` means that a quota, a terminating namespace, a policy or a
 * webhook is the cause; changing roles does not help.
 *
 * @param message the server's message
 * @see apiserver pkg/endpoints/handlers/responsewriters ForbiddenStatusError, kubernetes pkg/registry/rbac/validation ConfirmNoEscalation
 */
export function refuserOf(message: string): "authorizer" | "more" | "admission" {
  // Before 1.32, a server gives no reason if an apply of a new object lacks the permission to create it.
  if (/\bcannot \S+ (?:resource|path) "|^\S+ "[^"]*" is forbidden: $/.test(message)) return "authorizer";
  return message.includes("attempting to grant RBAC permissions not currently held") ? "more" : "admission";
}

/** The permission that a request needs. */
export interface RequestedAccess {
  /** API group. Empty for the core group. */
  readonly group: string;
  /** Plural, followed by a slash and the subresource, if any. */
  readonly resource: string;
  readonly verb: string;
  /** Name of the object. Absent for requests that do not target a single object. */
  readonly name?: string | undefined;
  /** Namespace of the request. Absent for all namespaces and for cluster-scoped resources. */
  readonly namespace?: string | undefined;
}

const verbs: Readonly<Record<string, string>> = { POST: "create", PUT: "update", PATCH: "patch" };

/**
 * Returns the permission that a request needs, in the form used in roles. Returns `undefined` if the request does not
 * target a resource; for example, discovery requests do not.
 *
 * @see apiserver pkg/endpoints/request RequestInfoFactory
 */
export function requestedAccess(method: string, pathAndQuery: string): RequestedAccess | undefined {
  const { pathname, searchParams } = new URL(pathAndQuery, "http://localhost");
  const [root, ...segments] = pathname.split("/").slice(1).map(decodeURIComponent);
  if (root !== "api" && root !== "apis") return undefined;
  const group = root === "apis" ? segments.shift() : "";
  segments.shift(); // the version
  const isInNamespace = segments[0] === "namespaces" && segments.length > 2 && !ofNamespaces.has(segments[2] ?? "");
  const [plural, name, part] = isInNamespace ? segments.slice(2) : segments;
  if (!group && root === "apis") return undefined;
  if (!plural) return undefined;
  const resource = part ? `${plural}/${part}` : plural;
  const verb = verbOf(method, name, searchParams.get("watch") ?? "");
  return {
    group: group ?? "",
    resource,
    verb,
    ...(name && verb !== "create" ? { name } : {}),
    ...(isInNamespace && segments[1] ? { namespace: segments[1] } : {}),
  };
}

/** Subresources of the resource `namespaces` itself. */
const ofNamespaces = new Set(["status", "finalize"]);

function verbOf(method: string, name: string | undefined, watch: string): string {
  if (method === "DELETE") return name ? "delete" : "deletecollection";
  if (method !== "GET") return verbs[method] ?? method.toLowerCase();
  if (watch === "true" || watch === "1") return "watch";
  return name ? "get" : "list";
}

/** Maximum number of distinct missing rules that are logged. A program does not have more kinds of requests. */
const maxRules = 1_000;

/**
 * Returns an observer that logs rules missing from the program's roles. Each rule is logged once, as YAML that can be
 * added to a role.
 */
export function refusalLog(logger: Logger): RequestObserver {
  const logged = new Set<string>();
  return {
    answered() {},
    forbidden({ method, path, message }) {
      const access = refuserOf(message) === "authorizer" ? requestedAccess(method, path) : undefined;
      if (!access || logged.size >= maxRules) return;
      const { group, resource, verb } = access;
      const rule = rulesText([{ apiGroups: [group], resources: [resource], verbs: [verb] }]);
      if (logged.has(rule)) return;
      logged.add(rule);
      logger.warn({ rule }, "forbidden: this program's role lacks a rule");
    },
  };
}

/** A role's rule for resources. */
interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[] | undefined;
  readonly verbs: readonly string[];
}

/** Returns rules as YAML for a role. */
export const rulesText = (rules: readonly Rule[]): string => rules.map(ruleText).join("");

const ruleText = ({ apiGroups, resources, resourceNames, verbs }: Rule): string =>
  `- apiGroups: ${list(apiGroups)}\n  resources: ${list(resources)}\n${resourceNames ? `  resourceNames: ${list(resourceNames)}\n` : ""}  verbs: ${list(verbs)}\n`;

const list = (values: readonly string[]): string => `[${values.map((value) => JSON.stringify(value)).join(", ")}]`;
