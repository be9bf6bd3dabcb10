import { isRecord } from "@kubewright/apimachinery";
import type { TypeSchema } from "../schema/type-schema.ts";
import { memberSchema } from "../schema/type-schema.ts";
import { compareElements, fieldNameOf, type PathElement, parseElement } from "./path-element.ts";

export type FieldPath = readonly PathElement[];

/**
 * A set of field paths. That a path is in the set says nothing about its parents or children.
 *
 * @see structured-merge-diff fieldpath Set
 */
export class FieldSet {
  readonly #members = new Set<PathElement>();
  readonly #children = new Map<PathElement, FieldSet>();

  static of(...paths: readonly FieldPath[]): FieldSet {
    const set = new FieldSet();
    for (const path of paths) set.insert(path);
    return set;
  }

  get isEmpty(): boolean {
    return this.#members.size === 0 && [...this.#children.values()].every((child) => child.isEmpty);
  }

  /** Adds a path, not its parents. The empty path is the object itself, which nobody owns. */
  insert(path: FieldPath): void {
    const [first, ...rest] = path;
    if (first === undefined) return;
    if (rest.length === 0) {
      this.#members.add(first);
      return;
    }
    let child = this.#children.get(first);
    if (!child) {
      child = new FieldSet();
      this.#children.set(first, child);
    }
    child.insert(rest);
  }

  has(path: FieldPath): boolean {
    const [first, ...rest] = path;
    if (first === undefined) return false;
    return rest.length === 0 ? this.#members.has(first) : (this.#children.get(first)?.has(rest) ?? false);
  }

  /** Whether the one-step path is in the set. */
  hasMember(element: PathElement): boolean {
    return this.#members.has(element);
  }

  /** What is in the set below an element. */
  below(element: PathElement): FieldSet {
    return this.#children.get(element) ?? new FieldSet();
  }

  union(other: FieldSet): FieldSet {
    const result = new FieldSet();
    for (const member of [...this.#members, ...other.#members]) result.#members.add(member);
    for (const element of new Set([...this.#children.keys(), ...other.#children.keys()]))
      result.#setChild(element, this.below(element).union(other.below(element)));
    return result;
  }

  intersection(other: FieldSet): FieldSet {
    const result = new FieldSet();
    for (const member of this.#members) if (other.#members.has(member)) result.#members.add(member);
    for (const [element, child] of this.#children) result.#setChild(element, child.intersection(other.below(element)));
    return result;
  }

  /** The paths of this set that are not in the other; parents and children do not matter. */
  difference(other: FieldSet): FieldSet {
    const result = new FieldSet();
    for (const member of this.#members) if (!other.#members.has(member)) result.#members.add(member);
    for (const [element, child] of this.#children) result.#setChild(element, child.difference(other.below(element)));
    return result;
  }

  /** {@link difference}, but a path of the other set takes everything below it away too. */
  recursiveDifference(other: FieldSet): FieldSet {
    const result = new FieldSet();
    for (const member of this.#members) if (!other.#members.has(member)) result.#members.add(member);
    for (const [element, child] of this.#children)
      if (!other.#members.has(element)) result.#setChild(element, child.recursiveDifference(other.below(element)));
    return result;
  }

  /** With the declared members on the way to each path, which sets usually leave out. */
  withNamedFields(schema: TypeSchema | undefined): FieldSet {
    const result = new FieldSet();
    for (const member of this.#members) result.#members.add(member);
    for (const [element, child] of this.#children) {
      const name = fieldNameOf(element);
      if (name !== undefined && schema?.type === "object" && schema.fields.has(name)) result.#members.add(element);
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

  /** Every path: members of a level before what is below them. */
  *paths(prefix: FieldPath = []): Generator<FieldPath> {
    for (const member of [...this.#members].sort(compareElements)) yield [...prefix, member];
    for (const element of [...this.#children.keys()].sort(compareElements))
      yield* this.below(element).paths([...prefix, element]);
  }

  /** The form that `fieldsV1` has. */
  toFieldsV1(): Record<string, unknown> {
    const result: Record<string, unknown> = {};
    const elements = new Set([...this.#members, ...this.#children.keys()]);
    for (const element of [...elements].sort(compareElements)) {
      const child = this.#children.get(element);
      const below = child && !child.isEmpty ? child.toFieldsV1() : undefined;
      if (this.#members.has(element)) result[element] = below ? { ".": {}, ...below } : {};
      else if (below) result[element] = below;
    }
    return result;
  }

  /** Reads `fieldsV1`; `undefined` if it does not decode. */
  static fromFieldsV1(fields: unknown): FieldSet | undefined {
    if (!isRecord(fields)) return undefined;
    const set = new FieldSet();
    for (const [text, below] of Object.entries(fields)) {
      if (text === ".") continue;
      const element = parseElement(text);
      const child = FieldSet.fromFieldsV1(below);
      if (element === undefined || !child || !isRecord(below)) return undefined;
      if (Object.keys(below).length === 0 || Object.hasOwn(below, ".")) set.#members.add(element);
      set.#setChild(element, child);
    }
    return set;
  }

  #setChild(element: PathElement, child: FieldSet): void {
    if (!child.isEmpty) this.#children.set(element, child);
  }
}
