import { isRecord, ownMember } from "@kubewright/apimachinery";
import type { ServedKind, SourceSchema } from "../source/served-kind.ts";
import { docComment } from "../text/comment.ts";
import { memberName } from "../text/literal.ts";
import { pascal, type UniqueNames } from "../text/names.ts";

/**
 * Prints the interfaces for the objects of kinds. Each nested object gets its own interface, which is named after its path. The target of a
 * `$ref` is printed only once, under the last part of its name.
 */
export class InterfacePrinter {
  readonly #names: UniqueNames;
  readonly #schemas: Readonly<Record<string, SourceSchema>>;
  readonly #references = new Map<string, string>();
  readonly #printed: string[] = [];
  /** Number of references that lead to the current one. */
  #depth = 0;
  /** Names that the text uses from the library. */
  readonly uses = new Set<string>();

  constructor(names: UniqueNames, schemas: Readonly<Record<string, SourceSchema>> = {}) {
    this.#names = names;
    this.#schemas = schemas;
  }

  /** Prints the interface `name` of a kind, after the interfaces to which it refers. */
  print(name: string, { schema }: Pick<ServedKind, "schema">): string {
    const { apiVersion: _a, kind: _k, metadata: _m, ...properties } = schema.properties ?? {};
    this.uses.add("KubeObject");
    const members = this.#members({ ...schema, properties }, name);
    const own = `${docComment(schema.description)}export interface ${name} extends KubeObject {\n${members}}\n`;
    return [...this.#printed.splice(0), own].join("\n");
  }

  /**
   * Returns the type of values with a schema as an expression. The interfaces that this type needs are printed; their names start with
   * `path`.
   */
  typeOf(schema: SourceSchema, path: string): string {
    const type = this.#bare(schema, path);
    return schema.nullable && type !== "unknown" ? `${type} | null` : type;
  }

  #bare(schema: SourceSchema, path: string): string {
    const { $ref, enum: values, allOf, type } = schema;
    if ($ref !== undefined) return this.#reference($ref);
    if (isIntOrString(schema)) return "number | string";
    if (values && values.length > 0 && values.every(isLiteral))
      return [...new Set(values.map(literalType))].join(" | ");
    const [only, ...others] = allOf ?? [];
    if (type === undefined && only && others.length === 0) return this.typeOf(only, path);
    switch (type) {
      case "object":
        return this.#object(schema, path);
      case "array": {
        const item = schema.items ? this.typeOf(schema.items, path) : "unknown";
        return item.includes(" | ") || item.includes(" & ") ? `(${item})[]` : `${item}[]`;
      }
      case "integer":
      case "number":
        return "number";
      case "boolean":
      case "string":
        return type;
      default:
        return schema.properties ? this.#object(schema, path) : "unknown";
    }
  }

  #object(schema: SourceSchema, path: string): string {
    const isOpen = schema["x-kubernetes-preserve-unknown-fields"] === true;
    const isEmbedded = schema["x-kubernetes-embedded-resource"] === true;
    if (Object.keys(schema.properties ?? {}).length > 0) return this.#interface(schema, path, isEmbedded);
    if (isEmbedded) {
      this.uses.add("Unstructured");
      return "Unstructured";
    }
    const { additionalProperties: values } = schema;
    if (isRecord(values)) return `Record<string, ${this.typeOf(values as SourceSchema, path)}>`;
    // The OpenAPI documents of built-in groups do not mark objects that may have any field. For CRDs, the server drops unknown fields.
    const isAny = isOpen || values === true || Object.keys(this.#schemas).length > 0;
    return `Record<string, ${isAny ? "unknown" : "never"}>`;
  }

  #interface(schema: SourceSchema, path: string, isEmbedded: boolean): string {
    const name = this.#names.take(path);
    const at = this.#printed.length;
    this.#printed.push("");
    const { description } = schema;
    const parent = isEmbedded ? " extends KubeObject" : "";
    const { apiVersion: _a, kind: _k, metadata: _m, ...rest } = schema.properties ?? {};
    const members = this.#members(isEmbedded ? { ...schema, properties: rest } : schema, name);
    this.#printed[at] = `${docComment(description)}export interface ${name}${parent} {\n${members}}\n`;
    return name;
  }

  #members(schema: SourceSchema, path: string): string {
    const { properties = {} } = schema;
    const required = new Set(schema.required);
    const lines = Object.entries(properties).map(([name, property]) => {
      const optional = required.has(name) ? "" : "?";
      const type = this.typeOf(property, path + pascal(name));
      return `${docComment(memberText(property, this.#schemas), "  ")}  ${memberName(name)}${optional}: ${type};\n`;
    });
    const isOpen = schema["x-kubernetes-preserve-unknown-fields"] === true;
    return [...lines, ...(isOpen ? ["  [field: string]: unknown;\n"] : [])].join("");
  }

  #reference(reference: string): string {
    const known = this.#references.get(reference);
    if (known) return known;
    const key = reference.replace("#/components/schemas/", "");
    const target = ownMember(this.#schemas, key);
    if (!target) throw new Error(`$ref ${JSON.stringify(reference)} refers to nothing`);
    if (this.#depth > maxDepth)
      throw new Error(`$ref ${JSON.stringify(reference)} is nested in more than ${maxDepth} others`);
    this.#depth++;
    const text = this.#target(reference, key, target);
    this.#depth--;
    return text;
  }

  #target(reference: string, key: string, target: SourceSchema): string {
    if (key.endsWith(".ObjectMeta")) {
      this.uses.add("ObjectMeta");
      return "Partial<ObjectMeta>"; // the metadata of templates contains no name
    }
    if (!target.properties) {
      // The reference gets a preliminary type before its target is visited, because a schema may refer to itself.
      this.#references.set(reference, "unknown");
      const type = this.typeOf(target, pascal(lastPart(key)));
      this.#references.set(reference, type);
      return type;
    }
    const name = this.#names.take(pascal(lastPart(key)));
    this.#references.set(reference, name);
    const at = this.#printed.length;
    this.#printed.push("");
    const text = `${docComment(target.description)}export interface ${name} {\n${this.#members(target, name)}}\n`;
    this.#printed[at] = text;
    return name;
  }
}

/** Maximum nesting depth of references, which prevents a stack overflow. Real kinds do not reach it. */
const maxDepth = 100;

const lastPart = (name: string): string => name.slice(name.lastIndexOf(".") + 1);

function isIntOrString(schema: SourceSchema): boolean {
  if (schema["x-kubernetes-int-or-string"] || schema.format === "int-or-string") return true;
  const types = (schema.oneOf ?? schema.anyOf ?? []).map(({ type }) => type);
  return schema.type === undefined && types.includes("string") && types.some((t) => t === "integer" || t === "number");
}

const isLiteral = (value: unknown): boolean => value === null || ["string", "number", "boolean"].includes(typeof value);
const literalType = (value: unknown): string => JSON.stringify(value);

/** Returns the description of a field or, if it has none, of the schema to which it refers. */
function memberText(schema: SourceSchema, schemas: Readonly<Record<string, SourceSchema>>): string {
  const [only] = schema.allOf ?? [];
  const reference = schema.$ref ?? only?.$ref;
  const target = reference ? ownMember(schemas, reference.replace("#/components/schemas/", "")) : undefined;
  const text = (schema.description ?? target?.description ?? "").trimEnd();
  const { default: value } = schema;
  // OpenAPI gives every struct an empty default, which is meaningless.
  if (value === undefined || (isRecord(value) && Object.keys(value).length === 0)) return text;
  const defaultText = `Default: ${JSON.stringify(value)}.`;
  return text === "" ? defaultText : `${text}\n\n${defaultText}`;
}
