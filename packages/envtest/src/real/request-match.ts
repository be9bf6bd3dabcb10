import { mappingOf } from "@kubewright/apimachinery";
import { type RequestInfo, requestInfo } from "@kubewright/kube-apiserver";
import type { RequestMatch } from "../bed/faults.ts";

/** Returns a request's verb, resource and name, determined as in the server. */
export function infoOf(method: string, url: string): RequestInfo {
  const [path = "/", ...query] = url.split("?");
  return requestInfo(method, path, new URLSearchParams(query.join("?")));
}

/** Reports whether a fault applies to a request. */
export function isMatch(info: RequestInfo, { kind, verb, subResource }: RequestMatch): boolean {
  if (verb !== undefined && verb !== info.verb) return false;
  if (subResource !== undefined && subResource !== info.subresource) return false;
  if (!kind) return true;
  const { gvr } = mappingOf(kind);
  return gvr.group === info.group && gvr.resource === info.resource;
}
