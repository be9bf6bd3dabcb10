import { kubernetesVersion } from "@kubewright/apimachinery";
import type { ServedResource } from "../../registry/resource.ts";
import { resourcesRoute } from "./discovery-routes.ts";
import { addSharedModels, routesWithModels } from "./group-version-models.ts";
import { clientGroupVersions } from "./known-group-versions.ts";
import { pathItemV3 } from "./render-v3.ts";
import { type Route, routesByPath } from "./route.ts";
import { type Json, SchemaModels } from "./schema-models.ts";

/** Information about the API that each document contains: title and version. */
export const documentInfo = { title: "Kubernetes", version: kubernetesVersion.slice(1).replace(/\.\d+$/, "") } as const;

export const bearerToken = {
  type: "apiKey",
  description: "Bearer Token authentication",
  name: "authorization",
  in: "header",
} as const;

/**
 * Returns the OpenAPI v3 document for a group version. It contains the paths of each resource, and the schemas of
 * requests and responses.
 *
 * @see kube-openapi pkg/builder3, apiextensions-apiserver pkg/controller/openapi/builder
 */
export function openApiDocument(
  gv: { readonly group: string; readonly version: string },
  resources: readonly ServedResource[],
): Readonly<Record<string, unknown>> {
  const models = new SchemaModels("v3");
  const isCustom = resources.some(({ origin }) => origin === "custom");
  const routes = routesWithModels(resources, models);
  if (!isCustom) routes.push(resourcesRoute(gv.group, gv.version));
  const own = gv.group === "" ? [] : [{ group: gv.group, version: gv.version }];
  const known = isCustom ? clientGroupVersions : [{ group: "", version: "v1" }, ...own];
  addSharedModels(routes, models, (kind) => known.map(({ group, version }) => ({ group, kind, version })));
  if (!isCustom) return documentOf(routes, models);
  const { components, ...rest } = documentOf(routes, models);
  const { schemas } = components as { schemas: unknown };
  return { ...rest, info: { title: "Kubernetes CRD Swagger", version: "v0.1.0" }, components: { schemas } };
}

/** Returns an OpenAPI v3 document for routes that do not belong to resources, such as discovery or `/version`. */
export function routesDocument(routes: readonly Route[]): Json {
  const models = new SchemaModels("v3");
  addSharedModels(routes, models, () => []);
  return documentOf(routes, models);
}

function documentOf(routes: readonly Route[], models: SchemaModels): Json {
  const paths = routesByPath(routes).map(([path, each]) => [path, pathItemV3(each, models)] as const);
  const schemas = models.all;
  return {
    openapi: "3.0.0",
    info: documentInfo,
    paths: Object.fromEntries(paths),
    components: {
      ...(Object.keys(schemas).length > 0 ? { schemas } : {}),
      securitySchemes: { BearerToken: bearerToken },
    },
  };
}
