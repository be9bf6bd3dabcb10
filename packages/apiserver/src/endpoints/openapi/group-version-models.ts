import type { ObjectSchema } from "@kubewright/codec/schema";
import { builtinSchema, sharedType } from "@kubewright/codec/schema";
import type { ServedResource, SubresourceInfo } from "../../registry/resource.ts";
import { addCustomModels } from "./custom-models.ts";
import { type KindModels, resourceRoutes } from "./resource-routes.ts";
import type { Route } from "./route.ts";
import type { Json, SchemaModels } from "./schema-models.ts";

/** Types in `meta/v1` that requests and responses of any group may contain. */
const sharedKinds: ReadonlySet<string> = new Set([
  "Status",
  "APIGroup",
  "APIGroupList",
  "APIResourceList",
  "APIVersions",
]);
const metaPrefix = "io.k8s.apimachinery.pkg.apis.meta.v1.";
const versionModel = "io.k8s.apimachinery.pkg.version.Info";

/** Returns the routes for resources, and adds the models that these routes use to `models`. */
export function routesWithModels(resources: readonly ServedResource[], models: SchemaModels): Route[] {
  return resources.flatMap((resource) => resourceRoutes(resource, modelsOf(resource, models)));
}

function modelsOf(resource: ServedResource, models: SchemaModels): KindModels {
  const { object, list } =
    resource.origin === "custom" ? addCustomModels(resource, models) : addBuiltinModels(resource, models);
  return { object, list, ofSubresource: (subresource) => subresourceModel(resource, subresource, object, models) };
}

function addBuiltinModels(resource: ServedResource, models: SchemaModels): Pick<KindModels, "object" | "list"> {
  const { group, version, kind, listKind, schema, verbs } = resource;
  const add = (type: ObjectSchema | undefined, name: string): string =>
    type ? models.addType(type, [{ group, kind: name, version }]) : "";
  return {
    object: add(schema.type === "object" ? schema : undefined, kind),
    list: verbs.includes("list") ? add(builtinSchema({ group, version, kind: listKind }), listKind) : "",
  };
}

function subresourceModel(
  resource: ServedResource,
  { kind }: SubresourceInfo,
  own: string,
  models: SchemaModels,
): string {
  if (kind.kind === resource.kind && kind.group === resource.group) return own;
  const schema = builtinSchema(kind);
  return schema ? models.addType(schema, [{ group: kind.group, kind: kind.kind, version: kind.version }]) : own;
}

/**
 * Adds the shared types that routes refer to. `everywhere` contains the group versions to list in the models of
 * DeleteOptions and WatchEvent.
 */
export function addSharedModels(
  routes: readonly Route[],
  models: SchemaModels,
  everywhere: (kind: "DeleteOptions" | "WatchEvent") => readonly Json[],
): void {
  const named = new Set(routes.flatMap(({ answers, body }) => [...Object.values(answers), body?.model]));
  for (const model of named) {
    if (model === versionModel) models.addType(sharedType("version", "Info"));
    if (!model?.startsWith(metaPrefix)) continue;
    const name = model.slice(metaPrefix.length);
    if (name === "DeleteOptions" || name === "WatchEvent")
      models.addType(sharedType("meta/v1", name), everywhere(name));
    else if (name === "Patch") models.addType(sharedType("meta/v1", name));
    else if (sharedKinds.has(name))
      models.addType(sharedType("meta/v1", name), [{ group: "", kind: name, version: "v1" }]);
  }
}
