import type { InProcessRequest } from "@kubewright/client";
import { type ApiResource, apiResources } from "./api-resource.ts";

/** A parsed request to the API server. */
export interface ApiCall {
  readonly resource: ApiResource;
  readonly namespace: string;
  /** Empty for a list, a watch or a creation. */
  readonly name: string;
  readonly part: "status" | "object";
  readonly method: string;
}

const path =
  /^\/(?:api|apis\/(?<group>[^/]+))\/(?<version>[^/]+)(?:\/namespaces\/(?<namespace>[^/]+))?\/(?<plural>[^/]+)(?:\/(?<name>[^/]+))?(?:\/(?<sub>[^/]+))?$/;

/** Questions about the sender, which are sent with POST and change nothing. */
const questions = /^self/;

/** Returns undefined for a request that does not read or write an object. */
export function apiCallOf(request: InProcessRequest): ApiCall | undefined {
  const groups = path.exec(request.path.replace(/\?.*/, ""))?.groups;
  if (!groups) return undefined;
  const { group = "", version = "", namespace = "", plural = "", name = "", sub } = groups;
  if (questions.test(plural)) return undefined;
  const known = apiResources.find((each) => each.group === group && each.version === version && each.plural === plural);
  const resource = known ?? { group, version, plural, kind: plural };
  return { resource, namespace, name, part: sub === "status" ? "status" : "object", method: request.method };
}
