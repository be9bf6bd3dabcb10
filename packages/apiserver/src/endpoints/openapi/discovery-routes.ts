import { groupVersionInNames, tagOf } from "./operation-names.ts";
import type { Route } from "./route.ts";

const meta = "io.k8s.apimachinery.pkg.apis.meta.v1";
const types = ["application/json", "application/yaml", "application/vnd.kubernetes.protobuf"];

/** Returns a route that supports only GET. */
function getRoute(path: string, operationId: string, tag: string, model: string): Route {
  return {
    path,
    method: "get",
    operationId,
    tag,
    parameters: [],
    answers: { 200: model, 401: undefined },
    consumes: types,
    produces: types,
  };
}

/** The route `/api/`, which returns the versions of the core group. */
export const coreVersionsRoute = getRoute("/api/", "getCoreAPIVersions", "core", `${meta}.APIVersions`);

/** The route `/apis/`, which returns all groups. */
export const groupsRoute = getRoute("/apis/", "getAPIVersions", "apis", `${meta}.APIGroupList`);

/** Returns the route for a group, such as `/apis/apps/`. */
export const groupRoute = (group: string): Route =>
  getRoute(`/apis/${group}/`, `get${groupVersionInNames(group)}APIGroup`, tagOf(group), `${meta}.APIGroup`);

/** Returns the route for the resources of a version, such as `/apis/apps/v1/`. */
export function resourcesRoute(group: string, version: string): Route {
  const path = group === "" ? `/api/${version}/` : `/apis/${group}/${version}/`;
  const name = `get${groupVersionInNames(group, version)}APIResources`;
  return getRoute(path, name, tagOf(group, version), `${meta}.APIResourceList`);
}

const json = ["application/json"];

/** The route `/version/`, which returns the server's version. */
export const versionRoute: Route = {
  ...getRoute("/version/", "getCodeVersion", "version", "io.k8s.apimachinery.pkg.version.Info"),
  consumes: json,
  produces: json,
};

/** Routes for the documents that describe the issuer of service account tokens. */
export const issuerRoutes: readonly Route[] = [
  {
    ...getRoute("/.well-known/openid-configuration/", "getServiceAccountIssuerOpenIDConfiguration", "WellKnown", ""),
    consumes: [],
    produces: json,
  },
  {
    ...getRoute("/openid/v1/jwks/", "getServiceAccountIssuerOpenIDKeyset", "openid", ""),
    consumes: [],
    produces: ["application/jwk-set+json"],
  },
];
