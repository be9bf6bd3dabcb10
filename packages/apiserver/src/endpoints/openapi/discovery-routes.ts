import { groupVersionInNames, tagOf } from "./operation-names.ts";
import type { Route } from "./route.ts";

const meta = "io.k8s.apimachinery.pkg.apis.meta.v1";
const types = ["application/json", "application/yaml", "application/vnd.kubernetes.protobuf"];

/** Returns a route with only a GET. */
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

/** `/api/`: the versions of the core group. */
export const coreVersionsRoute = getRoute("/api/", "getCoreAPIVersions", "core", `${meta}.APIVersions`);

/** `/apis/`: the groups. */
export const groupsRoute = getRoute("/apis/", "getAPIVersions", "apis", `${meta}.APIGroupList`);

/** Returns the route `/apis/apps/` of one group. */
export const groupRoute = (group: string): Route =>
  getRoute(`/apis/${group}/`, `get${groupVersionInNames(group)}APIGroup`, tagOf(group), `${meta}.APIGroup`);

/** Returns the route `/apis/apps/v1/` with the resources of a version. */
export function resourcesRoute(group: string, version: string): Route {
  const path = group === "" ? `/api/${version}/` : `/apis/${group}/${version}/`;
  const name = `get${groupVersionInNames(group, version)}APIResources`;
  return getRoute(path, name, tagOf(group, version), `${meta}.APIResourceList`);
}

const json = ["application/json"];

/** `/version/`. */
export const versionRoute: Route = {
  ...getRoute("/version/", "getCodeVersion", "version", "io.k8s.apimachinery.pkg.version.Info"),
  consumes: json,
  produces: json,
};

/** Documents that describe the issuer of service account tokens. */
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
