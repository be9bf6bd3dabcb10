import type { InProcessHandle, InProcessRequest, InProcessResponse } from "@kubewright/client";

export type { InProcessRequest, InProcessResponse };
export type Handle = InProcessHandle;

type Verb = "get" | "list" | "watch" | "create" | "update" | "patch" | "delete" | "deletecollection";

/** The properties of a request to the API server that faults and checks depend on. */
export interface ApiCall {
  readonly verb: Verb;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  /** Empty for the object itself. */
  readonly subresource: string;
  readonly namespace: string;
  /** Empty for a collection, or for an object whose name the server generates. */
  readonly name: string;
}

const verbs = new Map<string, Verb>([
  ["POST", "create"],
  ["PUT", "update"],
  ["PATCH", "patch"],
  ["DELETE", "delete"],
]);

/** Returns the call that a resource request makes, or undefined for discovery requests and invalid paths. */
export function callOf({ method, path }: Pick<InProcessRequest, "method" | "path">): ApiCall | undefined {
  const [route = "", query = ""] = path.split("?");
  const [, group = "", version = "", rest = ""] = /^\/(?:api|apis\/([^/]+))\/([^/]+)\/(.+)$/.exec(route) ?? [];
  if (version === "" || rest === "") return undefined;
  const parts = decodedParts(rest);
  if (!parts) return undefined;
  const isInNamespace =
    parts[0] === "namespaces" && parts.length > 2 && !["status", "finalize"].includes(parts[2] ?? "");
  const namespace = isInNamespace ? (parts[1] ?? "") : "";
  const [resource = "", name = "", subresource = ""] = isInNamespace ? parts.slice(2) : parts;
  return { verb: verbOf(method, name, query), group, version, resource, subresource, namespace, name };
}

/**
 * Returns the decoded parts of a path, or undefined if it is not encoded correctly, so that the API server refuses it.
 */
function decodedParts(path: string): readonly string[] | undefined {
  try {
    return path.split("/").map(decodeURIComponent);
  } catch {
    return undefined;
  }
}

function verbOf(method: string, name: string, query: string): Verb {
  if (method === "GET") {
    if (/(^|&)watch=(true|1)(&|$)/.test(query)) return "watch";
    return name === "" ? "list" : "get";
  }
  const verb = verbs.get(method) ?? "get";
  return verb === "delete" && name === "" ? "deletecollection" : verb;
}

export const isWrite = ({ verb }: ApiCall): boolean => verb !== "get" && verb !== "list" && verb !== "watch";

/** Formats a resource in kubectl's notation, such as `deployments.apps`. */
export const resourceText = ({ group, resource }: Pick<ApiCall, "group" | "resource">): string =>
  group === "" ? resource : `${resource}.${group}`;

/** Formats a call, for example as `patch sites.shop.example.com/status default/north`. */
export function callText(call: ApiCall, name: string = call.name): string {
  const { verb, subresource, namespace } = call;
  const key = [namespace, name].filter((each) => each !== "").join("/");
  return `${verb} ${resourceText(call)}${subresource && `/${subresource}`} ${key}`.trim();
}

/** Returns the whole body of a response. */
export async function bodyOf({ body }: Pick<InProcessResponse, "body">): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** Returns a response with a JSON body. */
export function jsonResponse(status: number, object: object, headers: Readonly<Record<string, string>> = {}) {
  const body = (async function* () {
    yield Buffer.from(JSON.stringify(object));
  })();
  return { status, headers: { "content-type": "application/json", ...headers }, body };
}
