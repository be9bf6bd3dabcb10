import type { ConnectionRequest } from "@kubewright/client";
import { type ApiResource, apiResources } from "./api-resource.ts";

/** A parsed request to the API server. */
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

/** @throws {Error} if the simulation does not support the request */
export function apiCallOf(request: ConnectionRequest): ApiCall {
  const { group = "", version, namespace = "", plural, name = "", sub } = path.exec(request.path)?.groups ?? {};
  const resource = apiResources.find(
    (each) => each.group === group && each.version === version && each.plural === plural,
  );
  if (!resource || (sub !== undefined && sub !== "status"))
    throw new Error(`the simulated API server does not support ${request.method ?? "GET"} ${request.path}`);
  for (const selector of ["labelSelector", "fieldSelector"])
    if (request.query?.[selector])
      throw new Error(`the simulated API server does not support ${selector}: ${request.path}`);
  return {
    resource,
    namespace,
    name,
    part: sub === "status" ? "status" : "object",
    method: request.method ?? "GET",
    isPartial: request.headers?.accept?.includes("as=PartialObjectMetadata") ?? false,
  };
}
