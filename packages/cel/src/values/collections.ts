import { type CelType, celType } from "./type.ts";
import { type CelError, CelNode, CelUint, type CelValue, equal, isError } from "./value.ts";

/** How items of a list are told apart; a plain list knows only their order. */
type ListTopology = { readonly type: "set" } | { readonly type: "map"; readonly keyOf: (item: CelValue) => string };

/** A list; items are made when they are asked for. */
export class CelList extends CelNode {
  readonly type: CelType = celType.list(celType.dyn);
  readonly length: number;
  readonly topology: ListTopology | undefined;
  readonly #items: (CelValue | undefined)[];
  readonly #make: ((index: number) => CelValue) | undefined;

  constructor(items: CelValue[] | { length: number; make: (index: number) => CelValue }, topology?: ListTopology) {
    super();
    this.length = items.length;
    this.#items = Array.isArray(items) ? items : new Array(items.length);
    this.#make = Array.isArray(items) ? undefined : items.make;
    this.topology = topology;
  }

  at(index: number): CelValue {
    const made = this.#items[index];
    if (made !== undefined) return made;
    const value = this.#make?.(index) ?? null;
    this.#items[index] = value;
    return value;
  }

  *[Symbol.iterator](): Generator<CelValue> {
    for (let i = 0; i < this.length; i++) yield this.at(i);
  }

  equals(other: CelValue): boolean | CelError {
    if (!(other instanceof CelList) || other.length !== this.length) return false;
    if (this.topology) return this.#equalsUnordered(other, this.topology);
    return every(this.length, (i) => equal(this.at(i), other.at(i)));
  }

  #equalsUnordered(other: CelList, topology: ListTopology): boolean | CelError {
    if (topology.type === "set") return every(this.length, (i) => other.has(this.at(i)));
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

  /** Both lists one after the other; sets and lists with keys take each item once. */
  concat(other: CelList): CelList {
    const items = [...this];
    const { topology } = this;
    if (!topology) return new CelList([...items, ...other]);
    if (topology.type === "set") {
      const added = [...other].filter((item) => this.has(item) !== true);
      return new CelList([...items, ...added], topology);
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
}

function every(count: number, test: (index: number) => boolean | CelError): boolean | CelError {
  for (let i = 0; i < count; i++) {
    const result = test(i);
    if (result !== true) return result;
  }
  return true;
}

/** A map with keys of any scalar type. */
export abstract class CelMap extends CelNode {
  readonly type: CelType = celType.map(celType.dyn, celType.dyn);
  abstract readonly size: number;
  /** What a key holds; numbers of any type find each other. */
  abstract find(key: CelValue): CelValue | undefined;
  abstract keys(): Iterable<CelValue>;

  equals(other: CelValue): boolean | CelError {
    if (!(other instanceof CelMap) || other.size !== this.size) return false;
    for (const key of this.keys()) {
      const theirs = other.find(key);
      if (theirs === undefined) return false;
      const same = equal(this.find(key) ?? null, theirs);
      if (same !== true) return same;
    }
    return true;
  }
}

/** Text that is equal for equal keys; `undefined` for what cannot be a key. */
function mapKey(key: CelValue): string | undefined {
  if (typeof key === "string") return `s${key}`;
  if (typeof key === "boolean") return `b${key}`;
  if (typeof key === "bigint") return `n${key}`;
  if (key instanceof CelUint) return `n${key.value}`;
  if (typeof key === "number" && Number.isInteger(key)) return `n${BigInt(key)}`;
  return undefined;
}

/** A map that an expression wrote down. */
export class CelEntries extends CelMap {
  readonly #entries = new Map<string, readonly [CelValue, CelValue]>();

  constructor(entries: Iterable<readonly [CelValue, CelValue]> = []) {
    super();
    for (const entry of entries) this.#entries.set(mapKey(entry[0]) ?? "", entry);
  }

  override get size(): number {
    return this.#entries.size;
  }

  override find(key: CelValue): CelValue | undefined {
    const text = mapKey(key);
    return text === undefined ? undefined : this.#entries.get(text)?.[1];
  }

  override *keys(): Generator<CelValue> {
    for (const [key] of this.#entries.values()) yield key;
  }
}

/** A JSON object seen as a map. */
export class CelRecord extends CelMap {
  readonly #record: Readonly<Record<string, unknown>>;
  readonly #convert: (value: unknown) => CelValue;
  readonly #made = new Map<string, CelValue>();

  constructor(record: Readonly<Record<string, unknown>>, convert: (value: unknown) => CelValue) {
    super();
    this.#record = record;
    this.#convert = convert;
  }

  override get size(): number {
    return Object.keys(this.#record).length;
  }

  override find(key: CelValue): CelValue | undefined {
    if (typeof key !== "string" || !Object.hasOwn(this.#record, key)) return undefined;
    const made = this.#made.get(key);
    if (made !== undefined) return made;
    const value = this.#convert(this.#record[key]);
    this.#made.set(key, value);
    return value;
  }

  override keys(): Iterable<CelValue> {
    return Object.keys(this.#record);
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

  /** A field that is set; `undefined` otherwise. */
  find(field: string): CelValue | undefined {
    return this.#find(field);
  }

  /** The names of the fields that are set. */
  fields(): Iterable<string> {
    return this.#fields();
  }

  equals(other: CelValue): boolean | CelError {
    if (!(other instanceof CelStruct) || other.name !== this.name) return false;
    const names = [...this.fields()];
    if (names.length !== [...other.fields()].length) return false;
    for (const name of names) {
      const [mine, theirs] = [this.find(name), other.find(name)];
      if (mine === undefined || theirs === undefined) return false;
      const same = equal(mine, theirs);
      if (same !== true) return same;
    }
    return true;
  }
}
