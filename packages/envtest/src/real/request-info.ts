import { mappingOf } from "@kubewright/apimachinery";
import type { RequestMatch, RequestVerb } from "../bed/faults.ts";

/** What a request is about, as far as faults care. */
export interface RequestInfo {
  readonly verb: RequestVerb | undefined;
  readonly group: string;
  readonly resource: string;
  readonly subResource: string;
}

/** @see apiserver pkg/endpoints/request RequestInfoFactory */
export function requestInfo(method: string, url: string): RequestInfo {
  const { pathname, searchParams } = new URL(url, "https://server");
  const parts = pathname.split("/").filter((part) => part !== "");
  const isCore = parts[0] === "api";
  const rest = parts.slice(isCore ? 2 : 3);
  // `namespaces/x/pods/...` is about pods, `namespaces/x` and `namespaces/x/status` about the namespace.
  const inNamespace = rest[0] === "namespaces" && rest.length > 2 && rest[2] !== "status" && rest[2] !== "finalize";
  const [resource = "", name, subResource = ""] = inNamespace ? rest.slice(2) : rest;
  const isWatch = method === "GET" && ["true", "1"].includes(searchParams.get("watch") ?? "");
  return {
    verb: isWatch ? "watch" : verbOf(method, name !== undefined),
    group: isCore ? "" : (parts[1] ?? ""),
    resource,
    subResource,
  };
}

function verbOf(method: string, isNamed: boolean): RequestVerb | undefined {
  switch (method) {
    case "GET":
      return isNamed ? "get" : "list";
    case "POST":
      return "create";
    case "PUT":
      return "update";
    case "PATCH":
      return "patch";
    case "DELETE":
      return isNamed ? "delete" : "deletecollection";
    default:
      return undefined;
  }
}

export function isMatch(info: RequestInfo, { kind, verb, subResource }: RequestMatch): boolean {
  if (verb !== undefined && verb !== info.verb) return false;
  if (subResource !== undefined && subResource !== info.subResource) return false;
  if (!kind) return true;
  const { gvr } = mappingOf(kind);
  return gvr.group === info.group && gvr.resource === info.resource;
}
