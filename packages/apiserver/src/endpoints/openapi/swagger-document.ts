import type { ServedGroup } from "../scope/resource-set.ts";
import {
  coreVersionsRoute,
  groupRoute,
  groupsRoute,
  issuerRoutes,
  resourcesRoute,
  versionRoute,
} from "./discovery-routes.ts";
import { bearerToken, documentInfo } from "./document.ts";
import { addSharedModels, routesWithModels } from "./group-version-models.ts";
import { knownGroupVersions } from "./known-group-versions.ts";
import { pathItemV2 } from "./render-v2.ts";
import { routesByPath } from "./route.ts";
import { SchemaModels } from "./schema-models.ts";
import { SharedParameters } from "./shared-parameters.ts";

/** Returns the OpenAPI v2 document, which describes everything that is served. @see kube-openapi pkg/builder, pkg/handler */
export function swaggerDocument(groups: readonly ServedGroup[]): Readonly<Record<string, unknown>> {
  const models = new SchemaModels("v2");
  const parameters = new SharedParameters();
  const routes = [coreVersionsRoute, groupsRoute, versionRoute, ...issuerRoutes];
  for (const { group, versions } of groups) {
    const isBuiltin = versions.some(({ resources }) => resources.some(({ origin }) => origin === "builtin"));
    if (isBuiltin && group !== "") routes.push(groupRoute(group));
    for (const { version, resources } of versions) {
      routes.push(...routesWithModels(resources, models));
      if (isBuiltin) routes.push(resourcesRoute(group, version));
    }
  }
  addSharedModels(routes, models, (kind) =>
    knownGroupVersions.map((gv) => ({ group: gv.group, kind, version: gv.version })),
  );
  const paths = routesByPath(routes).map(([path, each]) => [path, pathItemV2(each, models, parameters)] as const);
  return {
    swagger: "2.0",
    info: documentInfo,
    paths: Object.fromEntries(paths),
    definitions: models.all,
    parameters: parameters.all,
    securityDefinitions: { BearerToken: bearerToken },
    security: [{ BearerToken: [] }],
  };
}
