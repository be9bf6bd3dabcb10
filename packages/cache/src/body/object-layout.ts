import { accessorOf } from "./deferred-body.ts";
import type { MemberTable } from "./member-table.ts";

/** Which members an object has, in the order in which it has them, and which of them are left unread. */
export class ObjectLayout {
  readonly names: readonly string[];
  /** The names as bytes. */
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
   * An object of this layout.
   *
   * @param values of the members that are not left unread, by their place
   * @param before members that come first
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

/** Layouts that have been met. Objects of a kind have few. */
export class ObjectLayouts {
  readonly #known = new Map<string, ObjectLayout>();
  /** The next object is probably like the one before. */
  #latest: ObjectLayout | undefined;

  /** `undefined` for objects that are not for this: names twice, or such that JavaScript treats in its own way, or too many. */
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
/** Kinds whose objects may have any member are not to fill the memory with what they once had. */
const maxLayouts = 1_000;
const maxMembers = 100;
