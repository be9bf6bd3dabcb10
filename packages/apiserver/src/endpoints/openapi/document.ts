import type { ServedResource } from "../../registry/resource.ts";
import { builtinSchema } from "../../schema/builtin-schemas.ts";
import type { ObjectSchema } from "../../schema/type-schema.ts";
import { addCustomModels } from "./custom-models.ts";
import { type KindModels, pathItems } from "./path-items.ts";
import { SchemaModels } from "./schema-models.ts";

/**
 * The OpenAPI v3 document of one group and version: a path item for each resource, and the schemas of what they take and answer.
 *
 * @see kube-openapi pkg/builder3, apiextensions-apiserver pkg/controller/openapi/builder
 */
export function openApiDocument(
  gv: { readonly group: string; readonly version: string },
  resources: readonly ServedResource[],
): unknown {
  const models = new SchemaModels();
  const paths: Record<string, unknown> = {};
  for (const resource of resources) {
    const names = resource.origin === "custom" ? addCustomModels(resource, models) : addBuiltinModels(resource, models);
    Object.assign(paths, pathItems(resource, names));
    for (const { kind } of resource.subresources) {
      const schema = kind.kind === resource.kind ? undefined : builtinSchema(kind);
      if (schema) models.addType(schema, { group: kind.group, kind: kind.kind, version: kind.version });
    }
  }
  const options = builtinSchema({ group: "meta.k8s.io", version: "v1", kind: "DeleteOptions" });
  if (options) models.addType(options, { group: gv.group, kind: "DeleteOptions", version: gv.version });
  return {
    openapi: "3.0.0",
    info: { title: "Kubernetes", version: "v1.36.3" },
    paths: Object.fromEntries(Object.entries(paths).sort(([a], [b]) => (a < b ? -1 : 1))),
    components: { schemas: models.all },
  };
}

function addBuiltinModels(resource: ServedResource, models: SchemaModels): KindModels {
  const { group, version, kind, listKind, schema } = resource;
  const add = (type: ObjectSchema | undefined, name: string): string =>
    type ? models.addType(type, { group, kind: name, version }) : "";
  return {
    object: add(schema.type === "object" ? schema : undefined, kind),
    list: add(builtinSchema({ group, version, kind: listKind }), listKind),
  };
}
