import {
  indexTypeTable,
  parseListType,
  parseTypeLine,
  type TypeLine,
  type TypeSection,
  wrapped,
} from "./parse-type-table.ts";
import {
  deduced,
  type FieldSchema,
  type ListSchema,
  type ObjectSchema,
  type ScalarName,
  scalar,
  type TypeSchema,
  untyped,
} from "./type-schema.ts";

const scalars: ReadonlySet<string> = new Set<ScalarName>([
  "string",
  "int32",
  "int64",
  "uint8",
  "bool",
  "double",
  "bytes",
  "Time",
  "MicroTime",
  "Duration",
  "Quantity",
  "IntOrString",
]);
const isScalarName = (name: string): name is ScalarName => scalars.has(name);

/** The types in a set of tables. Types may refer to each other; each one is parsed on first use. */
export class TypeTables {
  readonly #lines: ReadonlyMap<string, TypeLine>;
  readonly #parsed = new Map<string, TypeSchema>();

  /** Creates the types without parsing them. @param tables strings in the notation that {@link TypeLine} describes */
  constructor(tables: readonly string[]) {
    this.#lines = indexTypeTable(tables);
  }

  /** Returns a type by its API version and name, or `undefined` if the tables do not contain it. */
  find(apiVersion: string, name: string): TypeSchema | undefined {
    const key = `${apiVersion}.${name}`;
    const known = this.#parsed.get(key);
    if (known) return known;
    const line = this.#lines.get(key);
    const schema = line ? this.#parse(line) : this.#listOfKind(apiVersion, name);
    if (schema) this.#parsed.set(key, schema);
    return schema;
  }

  /** Parses all types and returns an error for each one that cannot be parsed, or refers to a type that does not exist. */
  errors(): string[] {
    return [...this.#lines.values()].flatMap(({ section: { apiVersion }, name }) => {
      try {
        const schema = this.find(apiVersion, name);
        if (schema?.type === "object") void schema.fields;
        return [];
      } catch (error) {
        return [`${apiVersion}.${name}: ${error instanceof Error ? error.message : String(error)}`];
      }
    });
  }

  #parse(line: TypeLine): TypeSchema {
    return line.definition.startsWith("[")
      ? wrapped(parseListType(line, this.#resolve))
      : parseTypeLine(line, this.#resolve, withTypeMeta(line.name));
  }

  /** Derives the list of a kind, such as `PodList` from `Pod`. */
  #listOfKind(apiVersion: string, name: string): ObjectSchema | undefined {
    const item = name.endsWith("List") ? this.#lines.get(`${apiVersion}.${name.slice(0, -4)}`) : undefined;
    if (!item) return undefined;
    return parseTypeLine(
      { section: item.section, name, definition: `1 metadata:meta.ListMeta, 2 items!:[${item.name}]*@unstated` },
      this.#resolve,
      withTypeMeta(name),
    );
  }

  readonly #resolve = (name: string, from: TypeSection): TypeSchema => {
    if (isScalarName(name)) return scalar(name);
    switch (name) {
      case "RawExtension":
        return { ...untyped, name };
      case "JSON":
      case "FieldsV1":
        return { ...deduced, name };
      case "JSONSchemaPropsOrBool":
        return { type: "either", name, object: this.#resolve("JSONSchemaProps", from), other: scalar("bool") };
      case "JSONSchemaPropsOrArray":
        return {
          type: "either",
          name,
          object: this.#resolve("JSONSchemaProps", from),
          other: listOf(this.#resolve("JSONSchemaProps", from)),
        };
      case "JSONSchemaPropsOrStringArray":
        return {
          type: "either",
          name,
          object: this.#resolve("JSONSchemaProps", from),
          other: wrapped(listOf(scalar("string"))),
        };
    }
    const dot = name.lastIndexOf(".");
    const section = name.slice(0, Math.max(dot, 0)) || from.apiVersion;
    const schema = this.find(shortSections[section] ?? section, name.slice(dot + 1));
    if (!schema) throw new Error(`type table: no type ${name} for ${from.apiVersion}`);
    return schema;
  };
}

/** API versions by the short names with which definitions refer to them. */
const shortSections: Readonly<Record<string, string>> = { meta: "meta/v1", core: "v1" };

const typeMetaField = (name: string): FieldSchema => ({
  name,
  schema: scalar("string"),
  required: false,
  number: 0,
  pointer: false,
  alwaysPrinted: false,
  patchStrategies: [],
});
const typeMeta = [typeMetaField("apiVersion"), typeMetaField("kind")];

/** Types that have metadata, but are only parts of kinds. */
const templates: ReadonlySet<string> = new Set([
  "PodTemplateSpec",
  "JobTemplateSpec",
  "PersistentVolumeClaimTemplate",
  "ResourceClaimTemplateSpec",
]);
const optionsPattern =
  /^(Create|Update|Patch|Delete|Get|List|Apply|Table)Options$|^Status$|^API(Group|GroupList|ResourceList|Versions)$|^Pod\w+Options$|^(Node|Service)ProxyOptions$/;

/** Adds `apiVersion` and `kind` to a kind. In JSON, these are fields of the object; in protobuf, the envelope contains them. */
const withTypeMeta =
  (name: string) =>
  (fields: Map<string, FieldSchema>): ReadonlyMap<string, FieldSchema> => {
    const isKind = (fields.has("metadata") && !templates.has(name)) || optionsPattern.test(name);
    return isKind ? new Map([...typeMeta.map((field) => [field.name, field] as const), ...fields]) : fields;
  };

const listOf = (items: TypeSchema): ListSchema => ({ type: "list", items, topology: "atomic", keys: [] });
