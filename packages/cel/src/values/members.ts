import { spend, spendOnText } from "../text/cost-meter.ts";
import { type CelError, CelUint, type CelValue } from "./value.ts";

/** Returns a string that is the same for equal map keys, or `undefined` if a value cannot be a key. */
export function mapKey(key: CelValue): string | undefined {
  if (typeof key === "string") {
    spendOnText(key.length);
    return `s${key}`;
  }
  if (typeof key === "boolean") return `b${key}`;
  if (typeof key === "bigint") return `n${key}`;
  if (key instanceof CelUint) return `n${key.value}`;
  if (typeof key === "number" && Number.isInteger(key)) return `n${BigInt(key)}`;
  return undefined;
}

interface Searchable extends Iterable<CelValue> {
  readonly length: number;
  has(value: CelValue): boolean | CelError;
}

/** The items of a list, with constant-time lookup of scalars. */
export class Members {
  readonly #list: Searchable;
  readonly #scalars = new Set<string>();
  #isPlain = true;

  constructor(list: Searchable) {
    spend(list.length);
    this.#list = list;
    for (const item of list) {
      const key = mapKey(item);
      if (key === undefined) this.#isPlain = false;
      else this.#scalars.add(key);
    }
  }

  has(item: CelValue): boolean | CelError {
    const key = mapKey(item);
    if (key !== undefined && this.#scalars.has(key)) return true;
    return this.#isPlain && key !== undefined ? false : this.#list.has(item);
  }
}

/** Reports whether all items pass a test. Stops at the first item that fails or causes an error. */
export function every(count: number, test: (index: number) => boolean | CelError): boolean | CelError {
  for (let i = 0; i < count; i++) {
    const result = test(i);
    if (result !== true) return result;
  }
  return true;
}
