import { ownMember } from "@kubewright/apimachinery";

/** The verb of a request, as authorization and admission know it. */
type RequestVerb =
  | "get"
  | "list"
  | "watch"
  | "create"
  | "update"
  | "patch"
  | "delete"
  | "deletecollection"
  | (string & {});

/** What a request is about, read from its method and path alone. @see apiserver pkg/endpoints/request RequestInfo */
export interface RequestInfo {
  readonly isResourceRequest: boolean;
  readonly path: string;
  readonly verb: RequestVerb;
  /** `api` or `apis`; empty for other paths. */
  readonly apiPrefix: string;
  readonly group: string;
  readonly version: string;
  readonly namespace: string;
  readonly resource: string;
  readonly subresource: string;
  readonly name: string;
  /** Path segments behind the version that fit no form: more than resource, name and subresource. */
  readonly rest: readonly string[];
}

const namespaceSubresources = new Set(["status", "finalize"]);

const verbs: Readonly<Record<string, RequestVerb>> = {
  POST: "create",
  GET: "get",
  HEAD: "get",
  PUT: "update",
  PATCH: "patch",
  DELETE: "delete",
};

/** Reads method, path and the few parameters that change the verb. */
export function requestInfo(method: string, path: string, query: URLSearchParams): RequestInfo {
  const segments = decodePath(path)
    .split("/")
    .filter((segment) => segment !== "");
  const [prefix] = segments;
  const behind = prefix === "api" ? 2 : 3;
  const nonResource = prefix !== "api" && prefix !== "apis";
  if (nonResource || segments.length <= behind)
    return { ...nothing, path, verb: method.toLowerCase(), ...versionOf(segments) };
  const parts = segments.slice(behind);
  let verb = ownMember(verbs, method) ?? method.toLowerCase();
  if (parts[0] === "watch" && parts.length > 1) {
    verb = "watch";
    parts.shift();
  }
  const place = placeOf(parts);
  if (place.name === "" && verb === "get") verb = isTrue(query.get("watch")) ? "watch" : "list";
  if (place.name === "" && verb === "delete") verb = "deletecollection";
  const { apiPrefix, group, version } = versionOf(segments);
  const { namespace, resource, subresource, name, rest } = place;
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
} as const;

function versionOf(segments: readonly string[]): { apiPrefix: string; group: string; version: string } {
  const [prefix = "", first = "", second = ""] = segments;
  if (prefix === "api") return { apiPrefix: prefix, group: "", version: first };
  if (prefix === "apis") return { apiPrefix: prefix, group: first, version: second };
  return { apiPrefix: "", group: "", version: "" };
}

type Place = Pick<RequestInfo, "namespace" | "resource" | "name" | "subresource" | "rest">;

function placeOf(parts: readonly string[]): Place {
  const [first = "", second = "", third = ""] = parts;
  const ofNamespaceItself = first === "namespaces" && (parts.length < 3 || namespaceSubresources.has(third));
  if (first !== "namespaces" || ofNamespaceItself) {
    const namespace = first === "namespaces" ? second : "";
    return { namespace, resource: first, name: second, subresource: third, rest: parts.slice(3) };
  }
  const [, namespace = "", resource = "", name = "", subresource = "", ...rest] = parts;
  return { namespace, resource, name, subresource, rest };
}

/** As upstream reads a boolean of a query: whatever is said that is not false is true. */
export const isTrue = (text: string | null): boolean => text !== null && text !== "0" && text.toLowerCase() !== "false";

function decodePath(segment: string): string {
  if (!segment.includes("%")) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment; // not an escape: taken as it is
  }
}
