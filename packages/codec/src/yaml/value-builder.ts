import { isRecord } from "@kubewright/apimachinery";
import { wrongType } from "../json/wrong-type.ts";
import { YamlError } from "./cursor.ts";
import type { Builder, Properties } from "./parser.ts";
import { scalarValue } from "./scalar-value.ts";

/** A value with an anchor. */
interface Anchored {
  readonly value: unknown;
  /** Number of values in it, with aliases expanded; `undefined` while the value is being read. */
  readonly size: number | undefined;
}

/** Maximum number of duplicate keys that are reported. */
const maxDuplicates = 1_000;
const mergeTag = "tag:yaml.org,2002:merge";

interface Collection {
  readonly anchor: string | undefined;
  /** Number of values that were read before this collection. */
  readonly start: number;
  readonly line: number;
  readonly value: unknown[] | Record<string, unknown>;
  /** The key that is waiting for its value (maps only). */
  key: Key | undefined;
}

type Key = { readonly name: string; readonly shown: string } | "merge";

/** Maximum share of values that come from aliases: 99 % in a small document, and 10 % in a document with millions of values. */
const aliasRatio = { small: 400_000, large: 4_000_000, most: 0.99, least: 0.1 } as const;

/**
 * Builds a JSON value from the parts of a YAML text. Aliases are expanded up to a limit, and each use of an alias gets
 * its own copy of the value.
 *
 * Upstream parses the whole text before it builds values, so syntax errors take precedence. Therefore, errors in values
 * are not thrown until {@link result} is read.
 *
 * @see go.yaml.in/yaml/v2 decode.go
 */
export class ValueBuilder implements Builder {
  readonly #anchors = new Map<string, Anchored>();
  readonly #open: Collection[] = [];
  readonly duplicates: string[] = [];
  #root: unknown = null;
  #error: YamlError | undefined;
  #keyError: YamlError | undefined;
  /** Number of values, including the document itself. */
  #count = 1;
  #fromAliases = 0;

  /** The value of the document. @throws {YamlError} if a value is not valid */
  get result(): unknown {
    const error = this.#error ?? this.#keyError;
    if (error) throw error;
    return this.#root;
  }

  scalar(text: string, isPlain: boolean, { anchor, tag, line }: Properties): void {
    this.#count++;
    const top = this.#open.at(-1);
    if (top && isKey(top) && text === "<<" && (tag === undefined ? isPlain : tag === mergeTag)) {
      top.key = "merge";
      return;
    }
    const value = this.#attempt(() => scalarValue(text, isPlain, tag));
    if (anchor !== undefined) this.#anchors.set(anchor, { value, size: 1 });
    this.#add(value, line);
  }

  alias(name: string, line: number): void {
    const anchored = this.#anchors.get(name);
    if (!anchored) throw new YamlError(`unknown anchor '${name}' referenced`);
    const { value, size } = anchored;
    if (size === undefined) this.#fail(`anchor '${name}' value contains itself`);
    this.#count += 1 + (size ?? 0);
    this.#fromAliases += size ?? 0;
    this.#checkAliases();
    this.#add(this.#error ? null : copied(value), line);
  }

  begin(type: "map" | "list", { anchor, line }: Properties): void {
    const value = type === "map" ? {} : [];
    if (anchor !== undefined) this.#anchors.set(anchor, { value, size: undefined });
    this.#open.push({ anchor, start: this.#count, line, value, key: undefined });
    this.#count++;
    this.#checkAliases();
  }

  end(): void {
    const collection = this.#open.pop();
    if (!collection) throw new Error("the end of a collection that was not started");
    const { anchor, value, start, line } = collection;
    if (anchor !== undefined && this.#anchors.get(anchor)?.value === value)
      this.#anchors.set(anchor, { value, size: this.#count - start });
    this.#add(value, line);
  }

  #checkAliases(): void {
    if (this.#fromAliases <= 100 || this.#count <= 1_000) return;
    const { small, large, most, least } = aliasRatio;
    const share = Math.min(1, Math.max(0, (this.#count - small) / (large - small)));
    if (this.#fromAliases / this.#count > most - (most - least) * share)
      this.#fail("document contains excessive aliasing");
  }

  /** Records a problem. Only the first one is reported, and later values are discarded. */
  #fail(problem: string): void {
    this.#error ??= new YamlError(problem);
  }

  #attempt(make: () => unknown): unknown {
    try {
      return make();
    } catch (error) {
      if (!(error instanceof YamlError)) throw error;
      this.#error ??= error;
      return null;
    }
  }

  #add(value: unknown, line: number): void {
    const top = this.#open.at(-1);
    if (!top) this.#root = value;
    else if (Array.isArray(top.value)) top.value.push(value);
    else if (top.key === undefined) top.key = this.#keyOf(value);
    else {
      const { key } = top;
      top.key = undefined;
      if (key === "merge") this.#merge(top.value, value);
      else {
        if (Object.hasOwn(top.value, key.name) && this.duplicates.length < maxDuplicates)
          this.duplicates.push(`line ${line + 1}: key ${key.shown} already set in map`);
        setMember(top.value, key.name, value);
      }
    }
  }

  #keyOf(value: unknown): Key {
    if (Array.isArray(value) || isRecord(value)) {
      this.#fail(`invalid map key: ${wrongType("", "text, a number or a boolean", value)}`);
      return { name: "", shown: "" };
    }
    if (value === null) this.#keyError ??= new YamlError("invalid map key: null");
    return { name: keyText(value), shown: typeof value === "string" ? JSON.stringify(value) : keyText(value) };
  }

  /** Merges the members of one or several mappings into another mapping. Earlier mappings take precedence over later ones. */
  #merge(into: Record<string, unknown>, from: unknown): void {
    const sources = Array.isArray(from) ? from.toReversed() : [from];
    for (const source of sources) {
      if (!isRecord(source)) {
        this.#fail("map merge requires map or sequence of maps as the value");
        return;
      }
      for (const [name, value] of Object.entries(source)) setMember(into, name, value);
    }
  }
}

const isKey = ({ value, key }: Collection): boolean => !Array.isArray(value) && key === undefined;

/** Returns the text of a key. Numbers are formatted as Go's YAML library does. */
function keyText(value: unknown): string {
  if (Number.isNaN(value)) return ".nan";
  return value === Number.POSITIVE_INFINITY ? ".inf" : value === Number.NEGATIVE_INFINITY ? "-.inf" : String(value);
}

/** Sets a member of an object. `__proto__` is treated like any other name. */
function setMember(object: Record<string, unknown>, name: string, value: unknown): void {
  if (name !== "__proto__") object[name] = value;
  else Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
}

/** Copies a value, regardless of how deeply it nests. */
function copied(value: unknown): unknown {
  const todo: (readonly [from: unknown[] | Record<string, unknown>, to: unknown[] | Record<string, unknown>])[] = [];
  const copyOf = (each: unknown): unknown => {
    if (!Array.isArray(each) && !isRecord(each)) return each;
    const copy = Array.isArray(each) ? [] : {};
    todo.push([each, copy]);
    return copy;
  };
  const result = copyOf(value);
  for (let next = todo.pop(); next; next = todo.pop()) {
    const [from, to] = next;
    if (Array.isArray(to)) for (const each of Object.values(from)) to.push(copyOf(each));
    else for (const [name, each] of Object.entries(from)) setMember(to, name, copyOf(each));
  }
  return result;
}
