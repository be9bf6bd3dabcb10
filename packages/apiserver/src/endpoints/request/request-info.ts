/** A request's verb, for authorization and admission. */
export type RequestInfoVerb =
  | "get"
  | "list"
  | "watch"
  | "create"
  | "update"
  | "patch"
  | "delete"
  | "deletecollection"
  | (string & {});

/**
 * Information from a request's method and path. Authorization and routing both use only this information, so that the
 * action performed is always the one that was authorized.
 *
 * @see apiserver pkg/endpoints/request RequestInfo
 */
export interface RequestInfo {
  readonly isResourceRequest: boolean;
  /** Unescaped path of the request. */
  readonly path: string;
  /** Verb of the request; empty for a method without a verb. */
  readonly verb: RequestInfoVerb;
  /** First path segment, `api` or `apis`; empty for other paths. */
  readonly apiPrefix: string;
  readonly group: string;
  readonly version: string;
  readonly namespace: string;
  readonly resource: string;
  readonly subresource: string;
  readonly name: string;
  /** Path segments after the resource, name and subresource. */
  readonly rest: readonly string[];
  /** True if the resource follows `namespaces/<name>/`. */
  readonly isInNamespace: boolean;
  /** True for the older form with the verb in the path: `/api/v1/watch/pods`. */
  readonly verbInPath: boolean;
  /** Error in the path, if the path is not valid. */
  readonly problem?: "escape" | "verb without a resource" | undefined;
}

const namespaceSubresources = new Set(["status", "finalize"]);
const verbsInPath = new Set(["watch", "proxy"]);

const verbs: ReadonlyMap<string, RequestInfoVerb> = new Map([
  ["POST", "create"],
  ["GET", "get"],
  ["HEAD", "get"],
  ["PUT", "update"],
  ["PATCH", "patch"],
  ["DELETE", "delete"],
]);

/** Parses the method and path of a request, and the query parameters that affect the verb. */
export function requestInfo(method: string, escaped: string, query: URLSearchParams): RequestInfo {
  const path = decodePath(escaped);
  if (path === undefined) return { ...nothing, path: escaped, verb: method.toLowerCase(), problem: "escape" };
  const segments = segmentsOf(path);
  const [prefix] = segments;
  const behind = prefix === "api" ? 2 : 3;
  const nonResource = prefix !== "api" && prefix !== "apis";
  if (nonResource || segments.length <= behind)
    return { ...nothing, path, verb: method.toLowerCase(), ...versionOf(segments) };
  const parts = segments.slice(behind);
  let verb = verbs.get(method) ?? "";
  const verbInPath = verbsInPath.has(parts[0] ?? "");
  if (verbInPath && parts.length < 2) return { ...nothing, path, verb, problem: "verb without a resource" };
  if (verbInPath) verb = parts.shift() ?? "";
  const place = placeOf(parts);
  if (place.name === "" && verb === "get") verb = isTrue(query.get("watch")) ? "watch" : "list";
  if (place.name === "" && verb === "delete") verb = "deletecollection";
  const { apiPrefix, group, version } = versionOf(segments);
  const { namespace, resource, subresource, name, rest, isInNamespace } = place;
  return {
    isResourceRequest: true,
    path,
    verb,
    apiPrefix,
    group,
    version,
    namespace,
    resource,
    subresource,
    name,
    rest,
    isInNamespace,
    verbInPath,
  };
}

const nothing = {
  isResourceRequest: false,
  apiPrefix: "",
  group: "",
  version: "",
  namespace: "",
  resource: "",
  subresource: "",
  name: "",
  rest: [],
  isInNamespace: false,
  verbInPath: false,
} as const;

/**
 * Splits a path into segments. Ignores slashes at both ends. Two consecutive slashes enclose an empty segment, which does not match any
 * name.
 */
function segmentsOf(path: string): string[] {
  let [from, to] = [0, path.length];
  while (from < to && path[from] === "/") from++;
  while (to > from && path[to - 1] === "/") to--;
  return path.slice(from, to).split("/");
}

function versionOf(segments: readonly string[]): { apiPrefix: string; group: string; version: string } {
  const [prefix = "", first = "", second = ""] = segments;
  if (prefix === "api") return { apiPrefix: prefix, group: "", version: first };
  if (prefix === "apis") return { apiPrefix: prefix, group: first, version: second };
  return { apiPrefix: "", group: "", version: "" };
}

type Place = Pick<RequestInfo, "namespace" | "resource" | "name" | "subresource" | "rest" | "isInNamespace">;

function placeOf(parts: readonly string[]): Place {
  const [first = "", second = "", third = ""] = parts;
  const ofNamespaceItself = first === "namespaces" && (parts.length < 3 || namespaceSubresources.has(third));
  if (first !== "namespaces" || ofNamespaceItself) {
    const namespace = first === "namespaces" ? second : "";
    const rest = parts.slice(3);
    return { namespace, resource: first, name: second, subresource: third, rest, isInNamespace: false };
  }
  const [, namespace = "", resource = "", name = "", subresource = "", ...rest] = parts;
  return { namespace, resource, name, subresource, rest, isInNamespace: true };
}

/** Parses a boolean parameter as in upstream: it is true unless it is absent, `0` or `false`. */
export const isTrue = (text: string | null): boolean => text !== null && text !== "0" && text.toLowerCase() !== "false";

/**
 * Unescapes a path. Returns `undefined` if a `%` does not begin a valid escape sequence. Invalid UTF-8 becomes replacement characters,
 * which do not match any name.
 */
function decodePath(path: string): string | undefined {
  if (!path.includes("%")) return path;
  try {
    return decodeURIComponent(path);
  } catch {
    if (/%(?![0-9A-Fa-f]{2})/.test(path)) return undefined;
    const latin = path
      .replace(/[^\x20-\x7e]/g, encodeURIComponent)
      .replace(/%(..)/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
    return Buffer.from(latin, "latin1").toString("utf8");
  }
}
