import { isRecord } from "@kubewright/apimachinery";
import { checkSchema, type Refuse } from "./definition.ts";
import type { ServedKind, SourceSchema } from "./served-kind.ts";

/** Reports whether a document is an OpenAPI v3 document, such as `/openapi/v3/apis/apps/v1`. */
export const isOpenApi = (document: unknown): boolean =>
  isRecord(document) && typeof document.openapi === "string" && document.openapi.startsWith("3.");

/**
 * Returns the kinds for which a group's OpenAPI v3 document contains paths, sorted by kind.
 *
 * @throws {Error} if there are no such kinds, or a schema is not valid
 */
export function openApiKinds(document: unknown): ServedKind[] {
  const { paths, components } = isRecord(document) ? document : {};
  const schemas = isRecord(components) && isRecord(components.schemas) ? components.schemas : {};
  for (const [name, schema] of Object.entries(schemas)) checkSchema(schema, `components.schemas[${name}]`, 0, refuse);
  const found = new Map<string, ServedKind>();
  for (const [path, item] of Object.entries(isRecord(paths) ? paths : {})) {
    const address = addressIn(path);
    const type = isRecord(item) ? typeOf(item) : undefined;
    if (!address || !type || found.has(type.kind)) continue;
    const schema = schemaOf(schemas, type);
    if (schema)
      found.set(type.kind, { ...type, ...address, schema, schemas: schemas as ServedKind["schemas"] & object });
  }
  if (found.size === 0)
    throw new Error("the OpenAPI document has no object paths; pass the document of a group and version");
  return [...found.values()].sort((a, b) => (a.kind < b.kind ? -1 : 1));
}

const refuse: Refuse = (field, problem) => {
  throw new Error(`the OpenAPI document: ${field}: ${problem}`);
};

const objectPath = /^\/(?:api\/[^/]+|apis\/[^/]+\/[^/]+)\/(namespaces\/\{namespace\}\/)?([^/{}]+)\/\{name\}$/;

function addressIn(path: string): Pick<ServedKind, "plural" | "scope"> | undefined {
  const [, namespaced, plural] = objectPath.exec(path) ?? [];
  return plural ? { plural, scope: namespaced ? "Namespaced" : "Cluster" } : undefined;
}

type Type = Pick<ServedKind, "group" | "version" | "kind">;

function typeOf(item: Record<string, unknown>): Type | undefined {
  const operation = item.get ?? item.put ?? item.delete;
  return isRecord(operation) ? asType(operation["x-kubernetes-group-version-kind"]) : undefined;
}

function asType(value: unknown): Type | undefined {
  if (!isRecord(value)) return undefined;
  const { group = "", version, kind } = value;
  if (typeof group !== "string" || typeof version !== "string" || typeof kind !== "string") return undefined;
  return { group, version, kind };
}

function schemaOf(schemas: Record<string, unknown>, type: Type): SourceSchema | undefined {
  for (const schema of Object.values(schemas)) {
    const types = isRecord(schema) ? schema["x-kubernetes-group-version-kind"] : undefined;
    if (!Array.isArray(types) || types.length !== 1) continue;
    const own = asType(types[0]);
    if (own?.group === type.group && own.version === type.version && own.kind === type.kind)
      return schema as SourceSchema;
  }
  return undefined;
}
