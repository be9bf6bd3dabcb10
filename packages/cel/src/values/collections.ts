import { CostLimitExceededError, spend, spendOnText } from "../text/cost-meter.ts";
import { every, Members, mapKey } from "./members.ts";
import { type CelType, celType } from "./type.ts";
import { type CelError, CelNode, type CelValue, equal, isError } from "./value.ts";

/** Determines how list items are identified. The items of a plain list are identified by position. */
export type ListTopology =
  | { readonly type: "set" }
  | { readonly type: "map"; readonly keyOf: (item: CelValue) => string };

/** List items that are created on demand. */
export interface MadeItems {
  readonly length: number;
  readonly make: (index: number) => CelValue;
}

/** Maximum length of lists that are copied for concatenation. */
const maxCopied = 32;

/** A list. Items are created on demand, and concatenation copies only short lists. */
export class CelList extends CelNode {
  readonly type: CelType = celType.list(celType.dyn);
  readonly length: number;
  readonly topology: ListTopology | undefined;
  #items: (CelValue | undefined)[];
  readonly #make: ((index: number) => CelValue) | undefined;
  /** True if several lists may share the array of items. Only the list that ends with the array's last item may append to the array. */
  #isShared = false;
  #joined: readonly [CelList, CelList] | undefined;

  constructor(items: CelValue[] | MadeItems, topology?: ListTopology) {
    super();
    this.length = items.length;
    this.#items = Array.isArray(items) ? items : [];
    this.#make = Array.isArray(items) ? undefined : items.make;
    this.topology = topology;
  }

  at(index: number): CelValue {
    let list: CelList = this;
    let at = index;
    while (list.#joined) {
      const [first, second] = list.#joined;
      if (at < first.length) list = first;
      else {
        at -= first.length;
        list = second;
      }
    }
    return list.#itemAt(at);
  }

  #itemAt(index: number): CelValue {
    const made = this.#items[index];
    if (made !== undefined) return made;
    const value = this.#make?.(index) ?? null;
    this.#items[index] = value;
    return value;
  }

  *[Symbol.iterator](): Generator<CelValue> {
    const rest: CelList[] = [this];
    for (let list = rest.pop(); list; list = rest.pop()) {
      if (list.#joined) rest.push(list.#joined[1], list.#joined[0]);
      else for (let i = 0; i < list.length; i++) yield list.#itemAt(i);
    }
  }

  equals(other: CelValue): boolean | CelError {
    if (!(other instanceof CelList) || other.length !== this.length) return false;
    if (this.topology) return this.#equalsUnordered(other, this.topology);
    return every(this.length, (i) => equal(this.at(i), other.at(i)));
  }

  #equalsUnordered(other: CelList, topology: ListTopology): boolean | CelError {
    if (topology.type === "set") {
      const theirs = new Members(other);
      return every(this.length, (i) => theirs.has(this.at(i)));
    }
    const theirs = new Map([...other].map((item) => [topology.keyOf(item), item]));
    return every(this.length, (i) => {
      const item = this.at(i);
      const match = theirs.get(topology.keyOf(item));
      return match !== undefined && equal(item, match);
    });
  }

  has(value: CelValue): boolean | CelError {
    let failure: CelError | undefined;
    for (const item of this) {
      const same = equal(item, value);
      if (same === true) return true;
      if (isError(same)) failure ??= same;
    }
    return failure ?? false;
  }

  /** Concatenates both lists. Sets and keyed lists contain each item only once. */
  concat(other: CelList): CelList {
    const { topology } = this;
    if (!topology) return this.#followedBy(other);
    spend(this.length + other.length);
    const items = [...this];
    if (topology.type === "set") {
      const known = new Members(this);
      for (const item of other) if (known.has(item) !== true) items.push(item);
      return new CelList(items, topology);
    }
    const at = new Map(items.map((item, i) => [topology.keyOf(item), i]));
    for (const item of other) {
      const key = topology.keyOf(item);
      const index = at.get(key);
      if (index === undefined) at.set(key, items.push(item) - 1);
      else items[index] = item;
    }
    return new CelList(items, topology);
  }

  /**
   * Returns this list followed by another one. Lists that grow item by item share one array, and each of them sees a prefix of it. A
   * concatenation with a longer list is stored as two lists.
   */
  #followedBy(other: CelList): CelList {
    const length = this.length + other.length;
    if (other.length === 0 || this.length === 0) return other.length === 0 ? this : other;
    if (other.length <= maxCopied) {
      if (this.#joined) return CelList.#join(this.#joined[0], this.#joined[1].#followedBy(other));
      if (this.#isShared && this.#items.length === this.length) return this.#extended(this.#items, other);
      if (this.length <= maxCopied) return this.#extended([...this], other);
    }
    // a list of this length could not be traversed
    if (length > Number.MAX_SAFE_INTEGER) throw new CostLimitExceededError();
    return CelList.#join(this, other);
  }

  #extended(items: (CelValue | undefined)[], other: CelList): CelList {
    for (const item of other) items.push(item);
    const list = new CelList({ length: this.length + other.length, make: () => null });
    list.#items = items;
    list.#isShared = true;
    return list;
  }

  static #join(first: CelList, second: CelList): CelList {
    const list = new CelList({ length: first.length + second.length, make: () => null });
    list.#joined = [first, second];
    return list;
  }
}

/** Work needed to look up a key in two maps, measured in comparisons. */
const workOfEntry = 5;

/** A map with keys of any scalar type. */
export abstract class CelMap extends CelNode {
  readonly type: CelType = celType.map(celType.dyn, celType.dyn);
  abstract readonly size: number;
  /** Returns the value for a key. Equal numbers of different types are the same key. */
  abstract find(key: CelValue): CelValue | undefined;
  abstract keys(): Iterable<CelValue>;

  equals(other: CelValue): boolean | CelError {
    if (!(other instanceof CelMap) || other.size !== this.size) return false;
    for (const key of this.keys()) {
      spend(workOfEntry);
      const theirs = other.find(key);
      if (theirs === undefined) return false;
      const same = equal(this.find(key) ?? null, theirs);
      if (same !== true) return same;
    }
    return true;
  }
}

interface Entry {
  readonly key: CelValue;
  readonly value: CelValue;
  /** Number of preceding entries. */
  readonly position: number;
}

/**
 * A map that was written as a literal or built by a macro. Maps that grow entry by entry share their entries, of which
 * each map sees a prefix.
 */
export class CelEntries extends CelMap {
  readonly #entries: Map<string, Entry>;
  override readonly size: number;
  #isGrown = false;

  constructor(entries: Iterable<readonly [CelValue, CelValue]> = [], before?: CelEntries) {
    super();
    this.#entries = before ? before.#entries : new Map();
    for (const [key, value] of entries) {
      const text = mapKey(key) ?? "";
      const position = this.#entries.get(text)?.position ?? this.#entries.size;
      this.#entries.set(text, { key, value, position });
    }
    this.size = this.#entries.size;
  }

  override find(key: CelValue): CelValue | undefined {
    const text = mapKey(key);
    const entry = text === undefined ? undefined : this.#entries.get(text);
    return entry && entry.position < this.size ? entry.value : undefined;
  }

  override *keys(): Generator<CelValue> {
    for (const { key, position } of this.#entries.values()) {
      if (position >= this.size) return;
      yield key;
    }
  }

  /** Returns a map with the entries of another map and additional entries, whose keys must be new. */
  static grown(map: CelMap, more: readonly (readonly [CelValue, CelValue])[]): CelEntries {
    const isLast = map instanceof CelEntries && map.#isGrown && map.#entries.size === map.size;
    const grown = new CelEntries(more, isLast ? map : CelEntries.#copyOf(map));
    grown.#isGrown = true;
    return grown;
  }

  static #copyOf(map: CelMap): CelEntries {
    spend(map.size);
    return new CelEntries([...map.keys()].map((key) => [key, map.find(key) ?? null] as const));
  }
}

/** A map whose entries are the members of a JSON object. */
export class CelRecord extends CelMap {
  readonly #record: Readonly<Record<string, unknown>>;
  readonly #convert: (value: unknown) => CelValue;
  readonly #made = new Map<string, CelValue>();
  #keys: readonly string[] | undefined;

  constructor(record: Readonly<Record<string, unknown>>, convert: (value: unknown) => CelValue) {
    super();
    this.#record = record;
    this.#convert = convert;
  }

  override get size(): number {
    return this.keys().length;
  }

  override find(key: CelValue): CelValue | undefined {
    if (typeof key !== "string") return undefined;
    spendOnText(key.length);
    if (!Object.hasOwn(this.#record, key)) return undefined;
    const made = this.#made.get(key);
    if (made !== undefined) return made;
    const value = this.#convert(this.#record[key]);
    this.#made.set(key, value);
    return value;
  }

  override keys(): readonly string[] {
    this.#keys ??= Object.keys(this.#record);
    return this.#keys;
  }
}

/** An object with declared fields. */
export class CelStruct extends CelNode {
  readonly type: CelType;
  readonly name: string;
  readonly #find: (field: string) => CelValue | undefined;
  readonly #fields: () => Iterable<string>;

  constructor(
    name: string,
    access: { find: (field: string) => CelValue | undefined; fields: () => Iterable<string> },
    type: CelType = celType.struct(name),
  ) {
    super();
    this.name = name;
    this.type = type;
    this.#find = access.find;
    this.#fields = access.fields;
  }

  /** Returns the value of a field, or `undefined` if the field is null or not set. */
  find(field: string): CelValue | undefined {
    return this.#find(field);
  }

  /** Returns the names of the fields that are set, including fields that are null. */
  fields(): Iterable<string> {
    return this.#fields();
  }

  equals(other: CelValue): boolean | CelError {
    if (!(other instanceof CelStruct) || other.name !== this.name) return false;
    const names = [...this.fields()];
    if (names.length !== [...other.fields()].length) return false;
    for (const name of names) {
      const [mine, theirs] = [this.find(name), other.find(name)];
      if (mine === undefined && theirs === undefined) continue;
      if (mine === undefined || theirs === undefined) return false;
      const same = equal(mine, theirs);
      if (same !== true) return same;
    }
    return true;
  }
}
