import { type GroupVersionKind, isRecord, type Unstructured } from "@kubewright/apimachinery";
import type { CelValue } from "@kubewright/cel";
import { misplacedTypes, toJson } from "@kubewright/cel";
import type { TypeSchema } from "@kubewright/codec/schema";
import { atomOf, itemSchema, memberOf } from "../../fieldmanager/atom.ts";
import { checkApplied, joinMessages } from "../../fieldmanager/check-applied.ts";
import { mergeApplied } from "../../fieldmanager/merge.ts";

/** Thrown if a mutation cannot be applied, with upstream's message. */
export class MutationError extends Error {
  override readonly name = "MutationError";
}

/**
 * Merges an apply configuration into an object in the same way as server-side apply, but ignores field ownership.
 *
 * @throws {MutationError} if the configuration cannot be applied
 *
 * @see apiserver pkg/admission/plugin/policy/mutating/patch ApplyStructuredMergeDiff
 */
export function applyConfiguration(
  object: Readonly<Record<string, unknown>>,
  value: CelValue,
  { group, version, kind }: GroupVersionKind,
  schema: TypeSchema,
): unknown {
  const [misplaced] = misplacedTypes(value);
  if (misplaced !== undefined) throw new MutationError(`type mismatch: ${misplaced}`);
  const written = toJson(value);
  if (!isRecord(written)) throw new MutationError("unsupported return type from ApplyConfiguration expression");
  const apiVersion = group === "" ? version : `${group}/${version}`;
  const patch: Partial<Unstructured> = { ...written, apiVersion, kind };
  const fail = (why: string): MutationError => new MutationError(`error applying patch: ${why}`);
  const wrong = checkApplied(patch, schema);
  if (wrong.length > 0) throw fail(`failed to convert patch object to typed object: ${joinMessages(wrong)}`);
  const atomics = atomicsIn(patch, schema, "");
  if (atomics.length > 0)
    throw fail(`invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: ${atomics.join(", ")}`);
  return mergeApplied(object, patch, schema);
}

/** Returns the paths at which an apply configuration would replace an atomic list or map as a whole. */
function atomicsIn(value: unknown, schema: TypeSchema, path: string): string[] {
  const atom = atomOf(schema, value);
  if (atom.type === "scalar" || (!Array.isArray(value) && !isRecord(value))) return [];
  const own = atom.atomic ? [path] : [];
  const inner = Array.isArray(value)
    ? value.map((item, i) => atomicsIn(item, itemSchema(atom.schema), `${path}[${i}]`))
    : Object.entries(value).map(([name, member]) => atomicsIn(member, memberOf(atom.schema, name), `${path}.${name}`));
  return [...own, ...inner.flat()];
}
