/** The permission that a request needs. */
export interface RequestedAccess {
  /** API group; empty for the core group. */
  readonly group: string;
  /** Plural, followed by a slash and the subresource, if there is one. */
  readonly resource: string;
  readonly verb: string;
  /** Absent for requests that do not target a single object. */
  readonly name?: string | undefined;
  /** Absent for requests for all namespaces, or for cluster-scoped resources. */
  readonly namespace?: string | undefined;
}

const verbs: Readonly<Record<string, string>> = { POST: "create", PUT: "update", PATCH: "patch" };

/**
 * Returns the permission that a request needs, in the terms of roles; `undefined` if it does not target a resource, such as discovery.
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

/** Subresources of namespaces themselves. */
const ofNamespaces = new Set(["status", "finalize"]);

function verbOf(method: string, name: string | undefined, watch: string): string {
  if (method === "DELETE") return name ? "delete" : "deletecollection";
  if (method !== "GET") return verbs[method] ?? method.toLowerCase();
  if (watch === "true" || watch === "1") return "watch";
  return name ? "get" : "list";
}
