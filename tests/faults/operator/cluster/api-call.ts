import type { ConnectionRequest } from "@kubewright/client";
import { type ApiResource, apiResources } from "./api-resource.ts";

/** What a request asks of the API server. */
export interface ApiCall {
  readonly resource: ApiResource;
  readonly namespace: string;
  /** Empty for a list, a watch or a creation. */
  readonly name: string;
  readonly part: "status" | "object";
  readonly method: NonNullable<ConnectionRequest["method"]>;
  readonly isPartial: boolean;
}

const path =
  /^\/(?:api|apis\/(?<group>[^/]+))\/(?<version>[^/]+)(?:\/namespaces\/(?<namespace>[^/]+))?\/(?<plural>[^/]+)(?:\/(?<name>[^/]+))?(?:\/(?<sub>[^/]+))?$/;

/** @throws {Error} if this server knows no such thing, which the simulation then has to learn */
export function apiCallOf(request: ConnectionRequest): ApiCall {
  const { group = "", version, namespace = "", plural, name = "", sub } = path.exec(request.path)?.groups ?? {};
  const resource = apiResources.find(
    (each) => each.group === group && each.version === version && each.plural === plural,
  );
  if (!resource || (sub !== undefined && sub !== "status"))
    throw new Error(`the simulated API server knows no ${request.method ?? "GET"} ${request.path}`);
  for (const selector of ["labelSelector", "fieldSelector"])
    if (request.query?.[selector]) throw new Error(`the simulated API server knows no ${selector}: ${request.path}`);
  return {
    resource,
    namespace,
    name,
    part: sub === "status" ? "status" : "object",
    method: request.method ?? "GET",
    isPartial: request.headers?.accept?.includes("as=PartialObjectMetadata") ?? false,
  };
}
