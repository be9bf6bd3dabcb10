/**
 * Where in an object a field is: `spec.containers[0].ports`, `data[a/b]`. Values are immutable; each method makes a longer path.
 *
 * @see apimachinery util/validation/field Path
 */
export class FieldPath {
  readonly #text: string | undefined;

  private constructor(text: string | undefined) {
    this.#text = text;
  }

  /** The object itself. Prints as `<nil>`. */
  static readonly root: FieldPath = new FieldPath(undefined);

  /** A path of one or more names: `FieldPath.of("metadata", "name")`. */
  static of(...names: readonly string[]): FieldPath {
    return FieldPath.root.child(...names);
  }

  /** The field of that name (and so on, for several) below this one. */
  child(...names: readonly string[]): FieldPath {
    if (names.length === 0) return this;
    return new FieldPath([...(this.#text === undefined ? [] : [this.#text]), ...names].join("."));
  }

  /** The list item at `position`, from 0. */
  index(position: number): FieldPath {
    return new FieldPath(`${this.#text ?? ""}[${position}]`);
  }

  /** The map entry of that key. */
  key(name: string): FieldPath {
    return new FieldPath(`${this.#text ?? ""}[${name}]`);
  }

  toString(): string {
    return this.#text ?? "<nil>";
  }
}
