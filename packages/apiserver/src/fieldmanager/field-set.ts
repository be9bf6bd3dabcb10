import { isRecord } from "@kubewright/apimachinery";
import type { TypeSchema } from "@kubewright/codec/schema";
import { memberSchema } from "@kubewright/codec/schema";
import { freezeTree } from "@kubewright/storage";
import { compareElements, fieldNameOf, type PathElement, parseElement } from "./path-element.ts";

export type FieldPath = readonly PathElement[];

type FieldsV1 = Readonly<Record<string, unknown>>;

const noMembers: Set<PathElement> = new Set();
const noChildren: Map<PathElement, FieldSet> = new Map();

/**
 * A set of field paths. A path can be in the set regardless of whether its parents and children are. Results may share
 * parts with their inputs, so shared sets must not be modified.
 *
 * @see structured-merge-diff fieldpath Set
 */
export class FieldSet {
  #members: Set<PathElement> = noMembers; // replaced when the first member is added
  #children: Map<PathElement, FieldSet> = noChildren;
  #encoded: FieldsV1 | undefined;

  static readonly empty = new FieldSet();

  static of(...paths: readonly FieldPath[]): FieldSet {
    const set = new FieldSet();
    for (const path of paths) set.insert(path);
    return set;
  }

  get isEmpty(): boolean {
    if (this.#members.size > 0) return false;
    for (const child of this.#children.values()) if (!child.isEmpty) return false;
    return true;
  }

  /**
   * Adds a path, but not its parents. The empty path, which means the object itself, is ignored because nobody owns
   * an object as a whole.
   */
  insert(path: FieldPath): void {
    let set: FieldSet = this;
    for (let depth = 0; depth < path.length; depth++) {
      const element = path[depth] ?? "";
      if (depth === path.length - 1) {
        set.#addMember(element);
        return;
      }
      let child = set.#children.get(element);
      if (!child) {
        child = new FieldSet();
        set.#addChild(element, child);
      }
      set = child;
    }
  }

  has(path: FieldPath): boolean {
    const [first, ...rest] = path;
    if (first === undefined) return false;
    return rest.length === 0 ? this.#members.has(first) : (this.#children.get(first)?.has(rest) ?? false);
  }

  /** Reports whether the set contains the path that consists of only this element. */
  hasMember(element: PathElement): boolean {
    return this.#members.has(element);
  }

  /** Returns the set of paths below an element, relative to this element. */
  below(element: PathElement): FieldSet {
    return this.#children.get(element) ?? FieldSet.empty;
  }

  union(other: FieldSet): FieldSet {
    if (this.isEmpty) return other;
    if (other.isEmpty) return this;
    const result = new FieldSet();
    for (const member of [...this.#members, ...other.#members]) result.#addMember(member);
    for (const element of new Set([...this.#children.keys(), ...other.#children.keys()]))
      result.#setChild(element, this.below(element).union(other.below(element)));
    return result;
  }

  /** Returns the union of many sets. The sets are joined in pairs, because each step copies its input. */
  static unionOf(sets: readonly FieldSet[]): FieldSet {
    let left = sets;
    while (left.length > 1)
      left = left.flatMap((set, i) => (i % 2 === 0 ? [set.union(left[i + 1] ?? FieldSet.empty)] : []));
    return left[0] ?? FieldSet.empty;
  }

  intersection(other: FieldSet): FieldSet {
    if (this.isEmpty || other.isEmpty) return FieldSet.empty;
    const result = new FieldSet();
    for (const member of this.#members) if (other.#members.has(member)) result.#addMember(member);
    for (const [element, child] of this.#children) result.#setChild(element, child.intersection(other.below(element)));
    return result;
  }

  /** Returns the paths in this set that are not in the other set. Parents and children of paths are not taken into account. */
  difference(other: FieldSet): FieldSet {
    if (this.isEmpty || other.isEmpty) return this;
    const result = new FieldSet();
    for (const member of this.#members) if (!other.#members.has(member)) result.#addMember(member);
    for (const [element, child] of this.#children) result.#setChild(element, child.difference(other.below(element)));
    return result;
  }

  /** Returns the paths in this set that are neither in the other set nor below a path in it. */
  recursiveDifference(other: FieldSet): FieldSet {
    if (this.isEmpty || other.isEmpty) return this;
    const result = new FieldSet();
    for (const member of this.#members) if (!other.#members.has(member)) result.#addMember(member);
    for (const [element, child] of this.#children)
      if (!other.#members.has(element)) result.#setChild(element, child.recursiveDifference(other.below(element)));
    return result;
  }

  /** Returns the set with all declared fields that are parents of its paths. Sets usually do not contain such parents. */
  withNamedFields(schema: TypeSchema | undefined): FieldSet {
    const result = new FieldSet();
    for (const member of this.#members) result.#addMember(member);
    for (const [element, child] of this.#children) {
      const name = fieldNameOf(element);
      if (name !== undefined && schema?.type === "object" && schema.fields.has(name)) result.#addMember(element);
      const next =
        name === undefined
          ? schema?.type === "list"
            ? schema.items
            : undefined
          : schema && memberSchema(schema, name);
      result.#setChild(element, child.withNamedFields(next));
    }
    return result;
  }

  equals(other: FieldSet): boolean {
    return this.difference(other).isEmpty && other.difference(this).isEmpty;
  }

  /** Yields all paths. The fields of each level come before the fields below that level. */
  *paths(prefix: FieldPath = []): Generator<FieldPath> {
    for (const member of [...this.#members].sort(compareElements)) yield [...prefix, member];
    for (const element of [...this.#children.keys()].sort(compareElements))
      yield* this.below(element).paths([...prefix, element]);
  }

  /** Encodes the set as `fieldsV1`. Equal sets share one frozen result, because most objects of a kind are similar. */
  toFieldsV1(): FieldsV1 {
    this.#encoded ??= shared(freezeTree(this.#encode()), this);
    return this.#encoded;
  }

  #encode(): Record<string, unknown> {
    const result: Record<string, unknown> = {};
    const elements = [...this.#members];
    for (const element of this.#children.keys()) if (!this.#members.has(element)) elements.push(element);
    for (const element of elements.sort(compareElements)) {
      const child = this.#children.get(element);
      const below = child && !child.isEmpty ? child.#encode() : undefined;
      if (this.#members.has(element)) result[element] = below ? { ".": {}, ...below } : {};
      else if (below) result[element] = below;
    }
    return result;
  }

  /** Decodes `fieldsV1`. Returns `undefined` if the value is not valid. */
  static fromFieldsV1(fields: unknown): FieldSet | undefined {
    if (!isRecord(fields)) return undefined;
    const known = sets.get(fields);
    if (known) return known;
    const set = new FieldSet();
    for (const [text, below] of Object.entries(fields)) {
      if (text === ".") continue;
      const element = parseElement(text);
      const child = FieldSet.fromFieldsV1(below);
      if (element === undefined || !child || !isRecord(below)) return undefined;
      if (Object.keys(below).length === 0 || Object.hasOwn(below, ".")) set.#addMember(element);
      set.#setChild(element, child);
    }
    return set;
  }

  #setChild(element: PathElement, child: FieldSet): void {
    if (!child.isEmpty) this.#addChild(element, child);
  }

  #addMember(element: PathElement): void {
    if (this.#members === noMembers) this.#members = new Set();
    this.#members.add(element);
  }

  #addChild(element: PathElement, child: FieldSet): void {
    if (this.#children === noChildren) this.#children = new Map();
    this.#children.set(element, child);
  }
}

/**
 * Maximum total length of the recently encoded forms in each of two generations. A form takes about ten times as much memory as its text.
 * Long forms are not cached, because few objects share them.
 */
const keptCharacters = 512 * 1_024;
const longestForm = 8_192;
let recent = new Map<string, FieldsV1>();
let recentCharacters = 0;
let older: typeof recent = new Map();
/** Decoded sets by their encoded form. */
const sets = new WeakMap<FieldsV1, FieldSet>();

function shared(encoded: FieldsV1, set: FieldSet): FieldsV1 {
  const text = JSON.stringify(encoded);
  const known = recent.get(text);
  if (known) return known;
  const form = older.get(text) ?? encoded;
  if (!sets.has(form)) sets.set(form, set);
  if (text.length > longestForm) return form;
  if (recentCharacters + text.length > keptCharacters) {
    older = recent;
    recent = new Map();
    recentCharacters = 0;
  }
  recent.set(text, form);
  recentCharacters += text.length;
  return form;
}
