import { accessorOf } from "./deferred-body.ts";
import type { MemberTable } from "./member-table.ts";

/** The names of an object's members in order, and which of them are deferred. Objects with the same layout have the same shape. */
export class ObjectLayout {
  readonly names: readonly string[];
  /** {@link names} as bytes. */
  readonly keys: readonly Buffer[];
  readonly isDeferred: readonly boolean[];
  readonly deferred: number;
  readonly hasKind: boolean;
  readonly hasMetadata: boolean;
  readonly #accessors: readonly (PropertyDescriptor | undefined)[];

  constructor(names: readonly string[], isDeferred: readonly boolean[]) {
    this.names = names;
    this.keys = names.map((name) => Buffer.from(name));
    this.isDeferred = isDeferred;
    this.hasKind = names.includes("kind");
    this.hasMetadata = names.includes("metadata");
    let deferred = 0;
    this.#accessors = names.map((name, i) => (isDeferred[i] ? accessorOf(name, deferred++) : undefined));
    this.deferred = deferred;
  }

  /**
   * Makes an object with this layout.
   *
   * @param values by position; those of deferred members are ignored
   * @param before members to put first
   */
  create(values: readonly unknown[], before: object | undefined): object {
    const { names } = this;
    const object: Record<string, unknown> = before ? { ...before } : {};
    for (let i = 0; i < names.length; i++) {
      const name = names[i] as string;
      const accessor = this.#accessors[i];
      if (accessor) Object.defineProperty(object, name, accessor);
      else object[name] = values[i];
    }
    return object;
  }
}

/** The layouts encountered so far. Objects of one kind have few. */
export class ObjectLayouts {
  readonly #known = new Map<string, ObjectLayout>();
  /** The previous object's layout, which most objects share. */
  #latest: ObjectLayout | undefined;

  /**
   * Returns the layout of the members in a table.
   *
   * @returns `undefined` where `JSON.parse` must decide: duplicate names, names that JavaScript orders or treats specially (`0`,
   * `__proto__`), or too many members
   */
  find(bytes: Buffer, members: MemberTable): ObjectLayout | undefined {
    const latest = this.#latest;
    if (latest && isOf(latest, bytes, members)) return latest;
    const names: string[] = [];
    for (let index = 0; index < members.count; index++) names.push(members.nameOf(bytes, index));
    const layout = this.#of(names, members.isDeferred.slice(0, members.count));
    if (layout) this.#latest = layout;
    return layout;
  }

  #of(names: readonly string[], isDeferred: readonly boolean[]): ObjectLayout | undefined {
    const key = names.map((name, i) => `${name}${isDeferred[i] ? "?" : ""}`).join("\n");
    const known = this.#known.get(key);
    if (known) return known;
    if (new Set(names).size < names.length || !names.every((name) => ordinaryName.test(name))) return undefined;
    if (this.#known.size >= maxLayouts || names.length > maxMembers) return undefined;
    const layout = new ObjectLayout(names, isDeferred);
    this.#known.set(key, layout);
    return layout;
  }
}

function isOf({ keys, isDeferred }: ObjectLayout, bytes: Buffer, members: MemberTable): boolean {
  if (members.count !== keys.length) return false;
  for (let index = 0; index < keys.length; index++)
    if (isDeferred[index] !== members.isDeferred[index] || !members.hasName(bytes, index, keys[index] as Buffer))
      return false;
  return true;
}

const ordinaryName = /^[a-zA-Z][\w$-]*$/;
/** Limits memory for kinds whose objects may have arbitrary members. */
const maxLayouts = 1_000;
const maxMembers = 100;
