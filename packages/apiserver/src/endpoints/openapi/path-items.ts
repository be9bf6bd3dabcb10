import {
  gvkOfResource,
  type ResourceVerb,
  type ServedResource,
  type SubresourceInfo,
} from "../../registry/resource.ts";
import { referenceTo } from "./schema-models.ts";

type Json = Readonly<Record<string, unknown>>;

const parameter = (name: string, type: "string" | "boolean" | "integer"): Json => ({
  name,
  in: "query",
  schema: { type, uniqueItems: true },
});

const writeParameters = ["dryRun", "fieldManager", "fieldValidation"].map((name) => parameter(name, "string"));
const listParameters = [
  parameter("allowWatchBookmarks", "boolean"),
  parameter("continue", "string"),
  parameter("fieldSelector", "string"),
  parameter("labelSelector", "string"),
  parameter("limit", "integer"),
  parameter("resourceVersion", "string"),
  parameter("resourceVersionMatch", "string"),
  parameter("sendInitialEvents", "boolean"),
  parameter("timeoutSeconds", "integer"),
  parameter("watch", "boolean"),
];
const deleteParameters = [
  parameter("dryRun", "string"),
  parameter("gracePeriodSeconds", "integer"),
  parameter("orphanDependents", "boolean"),
  parameter("propagationPolicy", "string"),
];

interface Operation {
  readonly verb: ResourceVerb;
  readonly method: "get" | "post" | "put" | "patch" | "delete";
  readonly action: string;
  readonly parameters: readonly Json[];
}

const onCollection: readonly Operation[] = [
  { verb: "list", method: "get", action: "list", parameters: listParameters },
  { verb: "create", method: "post", action: "post", parameters: writeParameters },
  {
    verb: "deletecollection",
    method: "delete",
    action: "deletecollection",
    parameters: [...deleteParameters, ...listParameters.slice(1, 9)],
  },
];
const onObject: readonly Operation[] = [
  { verb: "get", method: "get", action: "get", parameters: [] },
  { verb: "update", method: "put", action: "put", parameters: writeParameters },
  { verb: "delete", method: "delete", action: "delete", parameters: deleteParameters },
  { verb: "patch", method: "patch", action: "patch", parameters: [...writeParameters, parameter("force", "boolean")] },
];
const onSubresource: readonly Operation[] = [
  ...onObject,
  { verb: "create", method: "post", action: "post", parameters: writeParameters },
];

/** The models of a kind and of its list. */
export interface KindModels {
  readonly object: string;
  readonly list: string;
}

/** The paths of one resource. */
export function pathItems(resource: ServedResource, models: KindModels): Record<string, Json> {
  const { group, version } = resource;
  const root = group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
  const isNamespaced = resource.scope === "Namespaced";
  const base = `${root}${isNamespaced ? "/namespaces/{namespace}" : ""}/${resource.resource}`;
  const own = isNamespaced ? [pathParameter("namespace")] : [];
  const named = [pathParameter("name"), ...own];
  const kind = gvkOfResource(resource);
  const items: Record<string, Json> = {
    [base]: item(onCollection, resource.verbs, kind, models.object, own, models.list),
  };
  if (resource.verbs.includes("get"))
    items[`${base}/{name}`] = item(onObject, resource.verbs, kind, models.object, named);
  for (const sub of resource.subresources)
    items[`${base}/{name}/${sub.name}`] = item(onSubresource, sub.verbs, sub.kind, modelOf(sub, models), named);
  if (isNamespaced && resource.verbs.includes("list"))
    items[`${root}/${resource.resource}`] = item(
      onCollection.slice(0, 1),
      ["list"],
      kind,
      models.object,
      [],
      models.list,
    );
  return items;
}

const modelOf = (sub: SubresourceInfo, models: KindModels): string | undefined =>
  sub.name === "status" || sub.name === "resize" || sub.name === "ephemeralcontainers" ? models.object : undefined;

const pathParameter = (name: string): Json => ({
  name,
  in: "path",
  required: true,
  schema: { type: "string", uniqueItems: true },
});

function item(
  operations: readonly Operation[],
  verbs: readonly ResourceVerb[],
  kind: { readonly group: string; readonly version: string; readonly kind: string },
  model: string | undefined,
  parameters: readonly Json[],
  listModel?: string,
): Json {
  const offered = operations
    .filter(({ verb }) => verbs.includes(verb))
    .map(({ method, action, parameters: query }) => {
      const answered = action === "list" ? listModel : action.startsWith("delete") ? undefined : model;
      const takesBody = model !== undefined && (action === "post" || action === "put");
      const operation: Json = {
        "x-kubernetes-action": action,
        "x-kubernetes-group-version-kind": { group: kind.group, version: kind.version, kind: kind.kind },
        parameters: query,
        ...(takesBody ? { requestBody: content(model, "*/*") } : {}),
        responses: { "200": { description: "OK", ...(answered ? content(answered, "application/json") : {}) } },
      };
      return [method, operation] as const;
    });
  return { ...Object.fromEntries(offered), ...(parameters.length > 0 ? { parameters } : {}) };
}

const content = (model: string, mediaType: string): Json => ({
  content: { [mediaType]: { schema: referenceTo(model) } },
});
