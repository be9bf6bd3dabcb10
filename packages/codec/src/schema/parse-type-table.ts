import type { FieldSchema, ListSchema, ObjectSchema, TypeSchema } from "./type-schema.ts";

/**
 * Reads the table of built-in types in `types/`. One line is one Go struct:
 *
 * ```text
 * ## apps/v1 io.k8s.api.apps.v1     a section: its apiVersion, and the prefix of its model names
 * Name = [T]                        a list that is a separate message in protobuf
 * Name = [@atomic] field, field     a field is: <protobuf number> <jsonName>[!]:<type>[?][*][@…][=<default as JSON>]
 *   ^Type        inlined: a nested message on the wire, whose fields belong to the parent in JSON
 *   !            serialized even if empty       ?  pointer: absent differs from zero       *  required
 *   [T] {T}      list of T, map from string to T; `meta.T` and `core.T` name types of meta/v1 and v1, `<apiVersion>.T` those of other groups
 *   @map(k+k) @set @atomic                    semantics in server-side apply (default: lists atomic, maps granular)
 *   @granular                                 members have separate owners, although the type is atomic
 *   @zero                                     OpenAPI documents show the zero value as the default
 *   @unstated                                 OpenAPI documents omit the topology of this list
 *   @merge(k) @replace @retainKeys            strategic merge patch: strategies joined by `+`, and the merge key
 *   @enum(A|B)                                values in OpenAPI documents; for a list or map, the values of its items
 * ```
 *
 * The tables do not contain the lists of kinds, such as `PodList`: these are derived from the kinds.
 */
export interface TypeLine {
  readonly section: TypeSection;
  readonly name: string;
  readonly definition: string;
}

export interface TypeSection {
  /** API version, such as `apps/v1`. */
  readonly apiVersion: string;
  readonly modelPrefix: string;
}

/** Returns the unparsed lines in the given tables, keyed by `<apiVersion>.<name>`. */
export function indexTypeTable(tables: readonly string[]): Map<string, TypeLine> {
  const index = new Map<string, TypeLine>();
  let section: TypeSection = { apiVersion: "", modelPrefix: "" };
  for (const line of tables.join("").split("\n")) {
    if (line.startsWith("## ")) {
      const [, apiVersion = "", modelPrefix = ""] = line.split(" ");
      section = { apiVersion, modelPrefix };
    } else if (line !== "") {
      const at = line.indexOf(" = ");
      const name = line.slice(0, at);
      index.set(`${section.apiVersion}.${name}`, { section, name, definition: line.slice(at + 3) });
    }
  }
  return index;
}

/** Returns the type to which a name in a definition refers. */
export type ResolveType = (name: string, from: TypeSection) => TypeSchema;

/** Parses the schema in one line. Its fields are parsed on first use. */
export function parseTypeLine(
  line: TypeLine,
  resolve: ResolveType,
  complete: (fields: Map<string, FieldSchema>) => ReadonlyMap<string, FieldSchema> = (own) => own,
): ObjectSchema {
  const atomic = line.definition.startsWith("@atomic ");
  let fields: ReadonlyMap<string, FieldSchema> | undefined;
  return {
    type: "object",
    name: line.name,
    modelName: `${line.section.modelPrefix}.${line.name}`,
    apiVersion: line.section.apiVersion,
    ...(atomic ? { atomic } : {}),
    get fields() {
      fields ??= complete(parseFields(atomic ? line.definition.slice(8) : line.definition, line.section, resolve));
      return fields;
    },
  };
}

const fieldPattern = /^(\d+) (?:\^(\S+)|([^:!]+)(!?):([[{]?[\w./-]+[\]}]?)(\??)(\*?)((?:@[^@=]+)*)(?:=(.*))?)$/;

function parseFields(definition: string, section: TypeSection, resolve: ResolveType): Map<string, FieldSchema> {
  const fields = new Map<string, FieldSchema>();
  for (const text of definition === "" ? [] : definition.split(", ")) {
    const match = fieldPattern.exec(text);
    if (!match) throw new Error(`type table: cannot read "${text}" in ${section.apiVersion}`);
    const [, number = "0", inlined, name = "", always, type = "", pointer, required, marks = "", fallback] = match;
    if (inlined !== undefined) {
      const parent = resolve(inlined, section);
      if (parent.type !== "object") throw new Error(`type table: ${inlined} cannot be inlined`);
      for (const field of parent.fields.values())
        fields.set(field.name, { ...field, number: Number(number), inlinedIn: parent });
      continue;
    }
    const annotations = marks.split("@").slice(1);
    const patch = annotations.map((a) => /^(merge|replace|retainKeys)[^(]*(?:\((\w+)\))?$/.exec(a)).find((m) => m);
    fields.set(name, {
      name,
      schema: withTopology(parseType(type, section, resolve), annotations),
      required: required === "*",
      number: Number(number),
      pointer: pointer === "?",
      alwaysPrinted: always === "!",
      patchStrategies: patch ? (patch[0].split("(")[0] ?? "").split("+") : [],
      ...(patch?.[2] === undefined ? {} : { patchMergeKey: patch[2] }),
      ...(fallback === undefined ? {} : { default: JSON.parse(fallback) as unknown }),
      ...publishedOf(annotations),
    });
  }
  return fields;
}

/** Returns the attributes of a field that only OpenAPI documents use. */
function publishedOf(
  annotations: readonly string[],
): Pick<FieldSchema, "enumValues" | "declaredTopology" | "publishesZero"> {
  const values = annotations.map((a) => /^enum\((.*)\)$/.exec(a)?.[1]).find((found) => found !== undefined);
  const declared = annotations.find(
    (a): a is "granular" | "atomic" | "unstated" => a === "granular" || a === "atomic" || a === "unstated",
  );
  return {
    ...(values === undefined ? {} : { enumValues: values.split("|") }),
    ...(declared ? { declaredTopology: declared } : {}),
    ...(annotations.includes("zero") ? { publishesZero: true } : {}),
  };
}

function parseType(type: string, section: TypeSection, resolve: ResolveType): TypeSchema {
  if (type.startsWith("[")) return list(parseType(type.slice(1, -1), section, resolve));
  if (type.startsWith("{")) return { type: "map", values: parseType(type.slice(1, -1), section, resolve) };
  return resolve(type, section);
}

const list = (items: TypeSchema): ListSchema => ({ type: "list", items, topology: "atomic", keys: [] });

/** Parses a line that declares a list: `[T]`. */
export const parseListType = ({ definition, section }: TypeLine, resolve: ResolveType): ListSchema =>
  list(parseType(definition.slice(1, -1), section, resolve));

/** Returns a copy of a list schema whose lists are separate messages in protobuf. */
export const wrapped = (schema: ListSchema): ListSchema => ({ ...schema, isWrapped: true });

function withTopology(schema: TypeSchema, annotations: readonly string[]): TypeSchema {
  for (const annotation of annotations) {
    const keys = /^map\((.+)\)$/.exec(annotation)?.[1];
    if (schema.type === "list" && keys !== undefined) return { ...schema, topology: "map", keys: keys.split("+") };
    if (schema.type === "list" && annotation === "set") return { ...schema, topology: "set" };
    if (schema.type === "map" && annotation === "atomic") return { ...schema, atomic: true };
    if (schema.type === "object" && annotation === "atomic") return objectOwned(schema, true);
    if (schema.type === "object" && annotation === "granular") return objectOwned(schema, false);
  }
  return schema;
}

/** Returns a copy of a type with different ownership. The copy's fields are still parsed on first use. */
function objectOwned(schema: ObjectSchema, atomic: boolean): ObjectSchema {
  return Object.create(schema, {
    atomic: { value: atomic, enumerable: true },
    ofType: { value: schema, enumerable: true },
  }) as ObjectSchema;
}
