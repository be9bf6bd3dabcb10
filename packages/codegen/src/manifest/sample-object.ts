import {
  type DefinedKind,
  type FieldError,
  isRecord,
  type KubeObject,
  ownMember,
  type StructuralSchema,
  sampleOf,
} from "@kubewright/apimachinery";

/** Returns the errors with which an API server would reject a new object, including errors from CEL rules. */
export type JudgeObject = (object: KubeObject) => readonly FieldError[];

/** A sample object of a kind defined by another project. */
export interface SampleObject {
  readonly object: KubeObject;
  /** Errors of the object that could not be fixed. */
  readonly errors: readonly FieldError[];
}

/** Maximum number of objects that are judged for one sample. */
const maxAttempts = 200;

/** Maximum number of edits in a row. Each edit solves an error, which may lead to another error. */
const maxEdits = 8;

/** Maximum number of levels below a rule in which fields are edited. */
const maxLevels = 3;

/**
 * Returns a small object of a kind, as `sampleOf` does. If the object violates CEL rules, adds optional fields and
 * tries values that occur in the rules, as long as this leads to fewer errors.
 *
 * @param judge validates an object. It also reports fields for which no valid value was found.
 */
export function sampleObject(kind: DefinedKind, judge: JudgeObject): SampleObject {
  const schema = kind.crd.spec.versions.find(({ name }) => name === kind.version)?.schema.openAPIV3Schema ?? {};
  const attempt = (edits: readonly Edit[]): Attempt => {
    const object = sampleOf(withSchema(kind, edits.reduce(edited, schema)), { onProblem: () => {} });
    return { edits, object, errors: judge(object) };
  };
  let best = attempt([]);
  let left = maxAttempts;
  for (let i = 0; i < maxEdits && best.errors.length > 0; i++) {
    const attempts: Attempt[] = [];
    const edits = best.errors.flatMap((error) => editsFor(schema, error).map((edit) => ({ edit, error })));
    for (const { edit, error } of edits) {
      if (left-- <= 0) break;
      const next = attempt([...best.edits, edit]);
      if (next.errors.length === 0) return next;
      // One error may take the place of another, for example if an added field has a rule of its own.
      const isSolved = !next.errors.some(({ field, detail }) => field === error.field && detail === error.detail);
      if (next.errors.length <= best.errors.length && isSolved) attempts.push(next);
    }
    const [first] = attempts.toSorted((a, b) => a.errors.length - b.errors.length);
    if (!first) break;
    best = first;
  }
  return { object: best.object, errors: best.errors };
}

/** Adds the field at a path to samples, and sets its value if there is one. `[]` is the item of a list, and `*` the value of a map. */
interface Edit {
  readonly path: readonly string[];
  readonly value?: unknown;
}

interface Attempt extends SampleObject {
  readonly edits: readonly Edit[];
}

/** Returns a schema whose samples contain what an edit adds. */
function edited(schema: StructuralSchema, { path: [name, ...rest], ...edit }: Edit): StructuralSchema {
  if (name === undefined) return edit.value === undefined ? schema : { ...schema, example: edit.value };
  const inner = edited(childOf(schema, name) ?? {}, { ...edit, path: rest });
  if (name === "[]") return { ...schema, minItems: Math.max(1, schema.minItems ?? 0), items: inner };
  if (name === "*")
    return { ...schema, minProperties: Math.max(1, schema.minProperties ?? 0), additionalProperties: inner };
  const required = [...new Set([...(schema.required ?? []), name])];
  return { ...schema, required, properties: { ...schema.properties, [name]: inner } };
}

function childOf(schema: StructuralSchema, name: string): StructuralSchema | undefined {
  const { additionalProperties: values } = schema;
  if (name === "[]") return schema.items;
  return name === "*"
    ? isRecord(values)
      ? (values as StructuralSchema)
      : undefined
    : ownMember(schema.properties ?? {}, name);
}

function withSchema(kind: DefinedKind, openAPIV3Schema: StructuralSchema): DefinedKind {
  const { crd } = kind;
  const versions = crd.spec.versions.map((version) =>
    version.name === kind.version ? { ...version, schema: { openAPIV3Schema } } : version,
  );
  return { ...kind, crd: { ...crd, spec: { ...crd.spec, versions } } };
}

/** Returns edits that may solve an error: they change what the rule with this error mentions. */
function editsFor(schema: StructuralSchema, { field, detail }: FieldError): Edit[] {
  const nodes = [{ path: [] as string[], schema }];
  for (const name of field === "<nil>" ? [] : field.split(/\.|(?=\[)/).filter(Boolean)) {
    const last = nodes.at(-1);
    const step = name.startsWith("[") ? (last?.schema.items ? "[]" : "*") : name;
    const child = last && childOf(last.schema, step);
    if (!child) break;
    nodes.push({ path: [...last.path, step], schema: child });
  }
  for (const node of nodes.toReversed()) {
    const rules = node.schema["x-kubernetes-validations"] ?? [];
    const own = rules.filter(({ rule, message }) => detail.includes(message ?? rule) || detail.includes(rule));
    const text = (own.length > 0 ? own : rules).map(({ rule }) => rule).join("\n");
    if (text !== "") return editsIn(node.path, node.schema, text, 0);
  }
  return [];
}

function editsIn(path: readonly string[], schema: StructuralSchema, text: string, level: number): Edit[] {
  if (level > maxLevels) return [];
  const below = (name: string): Edit[] => {
    const child = childOf(schema, name);
    return child ? [{ path: [...path, name] }, ...editsIn([...path, name], child, text, level + 1)] : [];
  };
  switch (schema["x-kubernetes-int-or-string"] ? "string" : schema.type) {
    case "object": {
      const mentioned = Object.keys(schema.properties ?? {}).filter((name) => isMentioned(name, text));
      // The object itself is a field of every object.
      const names = path.length === 0 ? mentioned.filter((name) => !ownFields.has(name)) : mentioned;
      const edits = [...names.flatMap(below), ...below("*")];
      // Adding a field is better than changing the value of an existing field.
      const rank = ({ path: { length }, value }: Edit): number => 2 * length + Number(value !== undefined);
      return edits.toSorted((a, b) => rank(a) - rank(b));
    }
    case "array":
      return below("[]");
    default:
      return valuesFor(schema, text).map((value) => ({ path, value }));
  }
}

const ownFields: ReadonlySet<string> = new Set(["apiVersion", "kind", "metadata", "status"]);

const isMentioned = (name: string, text: string): boolean =>
  text.split(/[^\w]+/).includes(name.replaceAll(/[^\w]/g, "_"));

/** Returns values for a scalar: those that a rule contains, and the usual ones. */
function valuesFor(schema: StructuralSchema, text: string): unknown[] {
  const texts = [...text.matchAll(/'([^'\\]*)'|"([^"\\]*)"/g)].map(([, single, double]) => single ?? double ?? "");
  const numbers = [...text.matchAll(/(?<![\w.'"])-?\d+(?:\.\d+)?/g)].map(([number]) => Number(number));
  switch (schema.type) {
    case "boolean":
      return [true, false];
    case "integer":
    case "number":
      return [...new Set(numbers.flatMap((number) => [number, number + 1, number - 1]))];
    default:
      return [...new Set([...(schema.enum ?? []), ...texts, "example", "example.com"])];
  }
}
