/**
 * Path of a field in an object, such as `spec.containers[0].ports` or `data[a/b]`. Immutable: methods return a new
 * path.
 *
 * @see apimachinery util/validation/field Path
 */
export class FieldPath {
  readonly #text: string | undefined;

  private constructor(text: string | undefined) {
    this.#text = text;
  }

  /** Path of the object itself, printed as `<nil>`. */
  static readonly root: FieldPath = new FieldPath(undefined);

  /** Returns a path that consists of one or more names, as in `FieldPath.of("metadata", "name")`. */
  static of(...names: readonly string[]): FieldPath {
    return FieldPath.root.child(...names);
  }

  /** Returns the path of a member. If several names are given, each is a member of the one before it. */
  child(...names: readonly string[]): FieldPath {
    if (names.length === 0) return this;
    const below = names.join(".");
    // does not copy the text of this path, which may contain a long key and have thousands of members
    return new FieldPath(this.#text === undefined ? below : `${this.#text}.${below}`);
  }

  /** Returns the path of the list item at `position`, starting from 0. */
  index(position: number): FieldPath {
    return new FieldPath(`${this.#text ?? ""}[${position}]`);
  }

  /** Returns the path of a map entry. */
  key(name: string): FieldPath {
    return new FieldPath(`${this.#text ?? ""}[${name}]`);
  }

  toString(): string {
    return this.#text ?? "<nil>";
  }
}
