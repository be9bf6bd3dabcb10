import { isRecord, ownMember } from "@kubewright/apimachinery";
import { isIntOrString, type ServedKind, type SourceSchema } from "../source/served-kind.ts";
import { docComment } from "../text/comment.ts";
import { memberName } from "../text/literal.ts";
import { pascal, type UniqueNames } from "../text/names.ts";
import { knownType } from "./known-types.ts";

/** A field of an interface. Types refer to shapes by {@link referenceTo}, because the names of shapes are chosen last. */
interface Member {
  readonly name: string;
  readonly isOptional: boolean;
  readonly type: string;
  description: string;
  readonly constraints: readonly string[];
}

/**
 * An interface that equal schemas share. A field may have a description in only some of the schemas, but not different descriptions, because
 * the shared one would be wrong for some of them.
 */
interface Shape {
  /** Position among all shapes: objects come before the objects that they contain. */
  readonly order: number;
  /** Number of kinds that were added before the shape was found. */
  readonly kind: number;
  /** Shortest path on which the shape was found. It begins with the name of the kind. */
  path: readonly string[];
  /** Name that the shape must have, apart from a number. */
  readonly wanted?: string;
  readonly parent: string;
  readonly members: readonly Member[];
  readonly isOpen: boolean;
  readonly constraints: readonly string[];
  /** Description; empty if the schemas have different ones. */
  description: string;
}

/** A kind for which {@link InterfacePrinter.print} prints an interface. */
interface AddedKind {
  readonly name: string;
  readonly description: string;
  readonly members: readonly Member[];
  readonly isOpen: boolean;
  readonly constraints: readonly string[];
}

/**
 * Prints the interfaces for the objects of one or more kinds. Nested objects with the same fields share an interface,
 * whose name consists of the kind's name and the last part of the shortest path to such an object. Copies of well-known
 * types are imported from `kubewright/kinds`. The target of a `$ref` is printed only once, under the last part of its
 * name.
 */
export class InterfacePrinter {
  readonly #names: UniqueNames;
  readonly #schemas: Readonly<Record<string, SourceSchema>>;
  readonly #kinds: AddedKind[] = [];
  readonly #shapes: Shape[] = [];
  readonly #shapesByText = new Map<string, number[]>();
  readonly #references = new Map<string, string>();
  #order = 0;
  /** Number of references that lead to the current one. */
  #depth = 0;
  /** Names that the text uses from the library. */
  readonly uses = new Set<string>();
  /** Names that the text imports from the library's module of built-in kinds. */
  readonly usedKinds = new Set<string>();

  constructor(names: UniqueNames, schemas: Readonly<Record<string, SourceSchema>> = {}) {
    this.#names = names;
    this.#schemas = schemas;
  }

  /** Adds a kind, whose interface gets the given name. */
  add(name: string, { schema }: Pick<ServedKind, "schema">): void {
    const { apiVersion: _a, kind: _k, metadata: _m, ...properties } = schema.properties ?? {};
    this.uses.add("KubeObject");
    const members = this.#members({ ...schema, properties }, [name]);
    this.#kinds.push({
      name,
      members,
      isOpen: isOpen(schema),
      constraints: constraintsOf(schema),
      description: schema.description ?? "",
    });
  }

  /** Returns the interfaces of each kind that was added, including referenced interfaces that no earlier kind uses. */
  print(): string[] {
    const names = this.#chooseNames();
    const print = (members: readonly Member[], open: boolean): string =>
      [
        ...members.map(
          ({ name, isOptional, type, description, constraints }) =>
            `${docComment(commentText(description, constraints), "  ")}  ${memberName(name)}${isOptional ? "?" : ""}: ${named(type, names)};\n`,
        ),
        ...(open ? ["  [field: string]: unknown;\n"] : []),
      ].join("");
    return this.#kinds.map((kind, i) => {
      const own = this.#shapes.map((shape, id) => ({ shape, id })).filter(({ shape }) => shape.kind === i);
      const texts = own
        .toSorted((a, b) => a.shape.order - b.shape.order)
        .map(({ shape, id }) => {
          const comment = docComment(commentText(shape.description, shape.constraints));
          return `${comment}export interface ${names[id]}${shape.parent} {\n${print(shape.members, shape.isOpen)}}\n`;
        });
      const comment = docComment(commentText(kind.description, kind.constraints));
      const text = `${comment}export interface ${kind.name} extends KubeObject {\n${print(kind.members, kind.isOpen)}}\n`;
      return [...texts, text].join("\n");
    });
  }

  /** Chooses the name of each shape. Shapes that are less deeply nested get the shorter names. */
  #chooseNames(): string[] {
    const names: string[] = [];
    const ordered = this.#shapes
      .map((shape, id) => ({ shape, id }))
      .toSorted(
        (a, b) =>
          Number(a.shape.wanted === undefined) - Number(b.shape.wanted === undefined) ||
          a.shape.path.length - b.shape.path.length ||
          a.shape.order - b.shape.order,
      );
    for (const name of this.usedKinds) this.#names.take(name);
    for (const { shape, id } of ordered) {
      const [root = "", ...parts] = shape.path;
      const candidates = parts.map(
        (_, i) =>
          root +
          parts
            .slice(-i - 1)
            .map(pascal)
            .join(""),
      );
      const free = candidates.find((name) => name.length <= maxNameLength && this.#names.isFree(name));
      names[id] = this.#names.take(shape.wanted ?? free ?? candidates[0] ?? root);
    }
    return names;
  }

  #typeOf(schema: SourceSchema, path: readonly string[]): string {
    const type = this.#notNull(schema, path);
    return schema.nullable && type !== "unknown" ? `${type} | null` : type;
  }

  #notNull(schema: SourceSchema, path: readonly string[]): string {
    const { $ref, enum: values, allOf, type } = schema;
    if ($ref !== undefined) return this.#reference($ref);
    if (isIntOrString(schema)) return "number | string";
    if (values && values.length > 0 && values.every(isLiteral))
      return [...new Set(values.map(literalType))].join(" | ");
    const [only, ...others] = allOf ?? [];
    if (type === undefined && only && others.length === 0) return this.#typeOf(only, path);
    switch (type) {
      case "object":
        return this.#object(schema, path);
      case "array": {
        const item = schema.items ? this.#typeOf(schema.items, path) : "unknown";
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

  #object(schema: SourceSchema, path: readonly string[]): string {
    const isEmbedded = schema["x-kubernetes-embedded-resource"] === true;
    if (Object.keys(schema.properties ?? {}).length > 0) return this.#interface(schema, path, isEmbedded);
    if (isEmbedded) {
      this.uses.add("Unstructured");
      return "Unstructured";
    }
    const { additionalProperties: values } = schema;
    if (isRecord(values)) return `Record<string, ${this.#typeOf(values as SourceSchema, path)}>`;
    // The OpenAPI documents of built-in groups do not mark objects that may have any field. For CRDs, the server drops unknown fields.
    const isAny = isOpen(schema) || values === true || this.#isOpenApi;
    return `Record<string, ${isAny ? "unknown" : "never"}>`;
  }

  get #isOpenApi(): boolean {
    return Object.keys(this.#schemas).length > 0;
  }

  #interface(schema: SourceSchema, path: readonly string[], isEmbedded: boolean): string {
    const known = this.#isOpenApi ? undefined : knownType(schema, path.at(-1) ?? "");
    if (known !== undefined && this.#names.isFree(known)) {
      this.usedKinds.add(known);
      return known;
    }
    const { apiVersion: _a, kind: _k, metadata: _m, ...rest } = schema.properties ?? {};
    const order = this.#order++;
    const shape = {
      order,
      kind: this.#kinds.length,
      path,
      parent: isEmbedded ? " extends KubeObject" : "",
      members: this.#members(isEmbedded ? { ...schema, properties: rest } : schema, path),
      isOpen: isOpen(schema),
      constraints: constraintsOf(schema),
      description: schema.description ?? "",
    };
    if (isEmbedded) this.uses.add("KubeObject");
    return this.#shared(shape);
  }

  /** Returns the reference to a shape. If the same shape already exists, the reference is to that one. */
  #shared(shape: Shape): string {
    const members = shape.members.map(({ description: _, ...member }) => member);
    const text = JSON.stringify([shape.parent, shape.isOpen, shape.constraints, members]);
    const ids = this.#shapesByText.get(text) ?? [];
    this.#shapesByText.set(text, ids);
    for (const id of ids) {
      const same = this.#shapes[id];
      if (!same?.members.every((member, i) => agree(member.description, shape.members[i]?.description ?? ""))) continue;
      for (const [i, member] of same.members.entries()) member.description ||= shape.members[i]?.description ?? "";
      if (shape.path.length < same.path.length) same.path = shape.path;
      if (shape.description !== same.description) same.description = "";
      return referenceTo(id);
    }
    ids.push(this.#shapes.length);
    return referenceTo(this.#shapes.push(shape) - 1);
  }

  #members(schema: SourceSchema, path: readonly string[]): Member[] {
    const required = new Set(schema.required);
    return Object.entries(schema.properties ?? {}).map(([name, property]) => ({
      name,
      isOptional: !required.has(name),
      type: this.#typeOf(property, [...path, name]),
      description: this.#descriptionOf(property),
      constraints: memberConstraints(property),
    }));
  }

  /** Returns the description of a field or, if it has none, of the schema to which it refers. */
  #descriptionOf(schema: SourceSchema): string {
    const [only] = schema.allOf ?? [];
    const reference = schema.$ref ?? only?.$ref;
    const target = reference ? ownMember(this.#schemas, keyOf(reference)) : undefined;
    return (schema.description ?? target?.description ?? "").trimEnd();
  }

  #reference(reference: string): string {
    const known = this.#references.get(reference);
    if (known) return known;
    const key = keyOf(reference);
    const target = ownMember(this.#schemas, key);
    if (!target) throw new Error(`$ref ${JSON.stringify(reference)} does not refer to a schema`);
    if (this.#depth > maxDepth)
      throw new Error(`$ref ${JSON.stringify(reference)} is nested in more than ${maxDepth} other references`);
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
    const wanted = pascal(lastPart(key));
    if (!target.properties) {
      // The reference gets a preliminary type before its target is visited, because a schema may refer to itself.
      this.#references.set(reference, "unknown");
      const type = this.#typeOf(target, [wanted]);
      this.#references.set(reference, type);
      return type;
    }
    const members: Member[] = [];
    const { description = "" } = target;
    const shape = {
      order: this.#order++,
      kind: this.#kinds.length,
      path: [wanted],
      wanted,
      parent: "",
      members,
      isOpen: isOpen(target),
      constraints: constraintsOf(target),
      description,
    };
    const type = referenceTo(this.#shapes.push(shape) - 1);
    this.#references.set(reference, type);
    members.push(...this.#members(target, [wanted]));
    return type;
  }
}

/** Maximum nesting depth of references, which prevents a stack overflow. Real kinds do not reach it. */
const maxDepth = 100;

/** Longest name to which further parts of the path are added. */
const maxNameLength = 60;

/** Longest pattern, rule or default value in a comment. */
const maxShown = 200;

/** Returns the text for a shape in the types of members. It contains a character that no other part of a type contains. */
const referenceTo = (id: number): string => `\0${id}\0`;
const named = (type: string, names: readonly string[]): string =>
  type.replace(/\0(\d+)\0/g, (_, id: string) => names[Number(id)] ?? "unknown");

const agree = (a: string, b: string): boolean => a === b || a === "" || b === "";
const keyOf = (reference: string): string => reference.replace("#/components/schemas/", "");
const lastPart = (name: string): string => name.slice(name.lastIndexOf(".") + 1);
const isOpen = (schema: SourceSchema): boolean => schema["x-kubernetes-preserve-unknown-fields"] === true;

const isLiteral = (value: unknown): boolean => value === null || ["string", "number", "boolean"].includes(typeof value);
const literalType = (value: unknown): string => JSON.stringify(value);

const commentText = (description: string, constraints: readonly string[]): string =>
  [description.trimEnd(), constraints.join("\n")].filter(Boolean).join("\n\n");

const short = (text: string): string => (text.length > maxShown ? `${text.slice(0, maxShown)}…` : text);

/** Returns the constraints of a field, including those of its items or values if these have no interface. */
function memberConstraints(schema: SourceSchema): string[] {
  const { default: value, items, additionalProperties: values } = schema;
  // OpenAPI gives every struct an empty default, which is meaningless.
  const isEmpty = value === undefined || (isRecord(value) && Object.keys(value).length === 0);
  const lines = [
    ...(isEmpty ? [] : [`Default: ${short(JSON.stringify(value))}.`]),
    ...(hasInterface(schema) ? [] : constraintsOf(schema)),
    ...(items ? memberConstraints({ ...items, default: undefined }).map((line) => `Items: ${line}`) : []),
    ...(isRecord(values)
      ? memberConstraints({ ...(values as SourceSchema), default: undefined }).map((line) => `Values: ${line}`)
      : []),
  ];
  return lines;
}

const hasInterface = ({ properties }: SourceSchema): boolean => Object.keys(properties ?? {}).length > 0;

/** Returns the constraints of a schema that its type does not express, as sentences. */
function constraintsOf(schema: SourceSchema): string[] {
  const { minimum, exclusiveMinimum, maximum, exclusiveMaximum, multipleOf, format, pattern } = schema;
  const facts = [
    minimum === undefined ? "" : `Minimum: ${minimum}${exclusiveMinimum ? ", exclusive" : ""}.`,
    maximum === undefined ? "" : `Maximum: ${maximum}${exclusiveMaximum ? ", exclusive" : ""}.`,
    multipleOf === undefined ? "" : `Multiple of ${multipleOf}.`,
    range("Length", schema.minLength, schema.maxLength),
    range("Number of items", schema.minItems, schema.maxItems),
    range("Number of fields", schema.minProperties, schema.maxProperties),
    format === undefined || format === "int-or-string" ? "" : `Format: ${format}.`,
    pattern === undefined ? "" : patternText(schema, pattern),
    listText(schema),
  ].filter(Boolean);
  const rules = (schema["x-kubernetes-validations"] ?? []).map(
    ({ rule, message }) => `Rule: ${short((message || rule).trim())}`,
  );
  return [...(facts.length > 0 ? [facts.join(" ")] : []), ...rules];
}

function range(what: string, least: number | undefined, most: number | undefined): string {
  if (least === undefined) return most === undefined ? "" : `${what}: at most ${most}.`;
  if (most === undefined) return least === 0 ? "" : `${what}: at least ${least}.`;
  return least === most ? `${what}: ${least}.` : `${what}: ${least} to ${most}.`;
}

/** Beginning of the pattern that CRDs contain for quantities. */
const quantityPattern = "^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))";

const patternText = (schema: SourceSchema, pattern: string): string =>
  isIntOrString(schema) && pattern.startsWith(quantityPattern)
    ? 'Quantity, such as "500m" or "2Gi".'
    : `Pattern: \`${short(pattern)}\`.`;

function listText(schema: SourceSchema): string {
  switch (schema["x-kubernetes-list-type"]) {
    case "map":
      return `Items are unique by ${(schema["x-kubernetes-list-map-keys"] ?? []).join(", ")}.`;
    case "set":
      return "Items are unique.";
    default:
      return "";
  }
}
