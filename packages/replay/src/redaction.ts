import { createHmac } from "node:crypto";
import { isRecord, parseJsonNumbers, setOwnMember, stringifyJson } from "@kubewright/apimachinery";
import { redactedPrefix } from "./format.ts";

const lastApplied = "kubectl.kubernetes.io/last-applied-configuration";
/** Minimum length of a secret whose copies in other texts are replaced. Shorter values occur by chance. */
const leastSearched = 8;
/** Members of a Secret that contain its values: in base64, and in plain text. */
const secretFields = ["data", "stringData"] as const;

/** Path of a field: names, and `*` for each item of a list and each member. */
type Path = readonly string[];

/** The properties of an object that determine how its secrets are redacted. */
export interface RedactedObject {
  /** True for an object, or a patch of an object, of the kind Secret. */
  readonly isSecret: boolean;
  /** True for a token that the API server issued. */
  readonly isToken: boolean;
}

/**
 * Replaces secrets in JSON by HMACs. Equal secrets get equal HMACs. Values in a Secret's `data` are still base64, so
 * that reconcilers can decode them.
 *
 * First, pass every object to {@link object}. Afterwards, {@link copies} replaces copies of the values that were found.
 */
export class Redaction {
  readonly #key: Buffer;
  readonly #paths: readonly Path[];
  readonly #copies = new Copies();

  /**
   * @param key random key for the HMACs
   * @throws {RangeError} if a path is empty or contains an empty name
   */
  constructor(key: Buffer, paths: readonly string[] = []) {
    this.#key = key;
    this.#paths = paths.map((path) => {
      const names = path.split(".");
      if (names.includes(""))
        throw new RangeError(`recorder: redact: "${path}" is not a field path; use a path such as spec.password`);
      return names;
    });
  }

  /** Returns the JSON of an object without its own secrets. */
  object(json: string, { isSecret, isToken }: RedactedObject): string {
    const paths = isToken ? [...this.#paths, ["status", "token"]] : this.#paths;
    if (!isSecret && paths.length === 0) return json;
    const value = parseJsonNumbers(json);
    const found = { isAny: isSecret };
    if (isSecret) this.#secret(value);
    for (const path of paths) this.#at(value, path, found);
    if (found.isAny) this.#lastApplied(value);
    return stringifyJson(value);
  }

  /** Returns JSON without copies of the secrets that were found so far. */
  copies(json: string): string {
    return this.#copies.replaced(json);
  }

  /** Replaces the values of a Secret, or of a patch of a Secret. */
  #secret(value: unknown): void {
    if (Array.isArray(value)) {
      for (const operation of value) {
        if (!isRecord(operation) || typeof operation.path !== "string") continue;
        const [, field, name] = operation.path.split("/");
        if (field === "" || field === undefined) this.#secret(operation.value);
        else if (field === "data" || field === "stringData")
          operation.value = this.#values({ [field]: operation.value }, field, name !== undefined);
      }
    } else if (isRecord(value))
      for (const field of secretFields) if (field in value) value[field] = this.#values(value, field);
  }

  /** Returns the replaced `data` or `stringData`. @param isOne true if the member is a single value */
  #values(holder: Record<string, unknown>, field: (typeof secretFields)[number], isOne = false): unknown {
    const encoding = field === "data" ? "base64" : "utf8";
    const replaced = (value: unknown) => (typeof value === "string" ? this.#text(value, encoding) : value);
    const values = holder[field];
    if (isOne || !isRecord(values)) return replaced(values);
    return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, replaced(value)]));
  }

  /** Replaces the values at a path, in an object or in the operations of a JSON patch. */
  #at(value: unknown, path: Path, found: { isAny: boolean }): void {
    if (!Array.isArray(value)) this.#below(value, path, found);
    for (const operation of Array.isArray(value) ? value : []) {
      if (!isRecord(operation) || typeof operation.path !== "string" || !("value" in operation)) continue;
      const names = operation.path.split("/").slice(1).map(unescaped);
      const isOnPath = names.every((name, at) => at >= path.length || path[at] === "*" || path[at] === name);
      if (!isOnPath) continue;
      this.#below(operation, ["value", ...path.slice(names.length)], found);
    }
  }

  #below(value: unknown, [name, ...rest]: Path, found: { isAny: boolean }): void {
    if (name === undefined || typeof value !== "object" || value === null) return;
    const names = name === "*" ? Object.keys(value) : Object.hasOwn(value, name) ? [name] : [];
    for (const each of names) {
      const member: unknown = Reflect.get(value, each);
      if (rest.length > 0) this.#below(member, rest, found);
      else {
        found.isAny = true;
        setOwnMember(value as Record<string, unknown>, each, this.#whole(member));
      }
    }
  }

  /** Returns a value in which each part is replaced. */
  #whole(value: unknown): unknown {
    if (value === null || value === undefined) return value;
    if (Array.isArray(value)) return value.map((item) => this.#whole(item));
    if (!isRecord(value)) return this.#text(String(value), "utf8");
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, this.#whole(member)]));
  }

  /** Replaces the copy of an object that kubectl stores in an annotation. */
  #lastApplied(value: unknown): void {
    if (!isRecord(value) || !isRecord(value.metadata) || !isRecord(value.metadata.annotations)) return;
    const { annotations } = value.metadata;
    const copy = annotations[lastApplied];
    if (typeof copy === "string") annotations[lastApplied] = this.#hmac(Buffer.from(copy));
  }

  #text(text: string, encoding: "base64" | "utf8"): string {
    if (text === "") return text;
    const bytes = Buffer.from(text, encoding);
    const hmac = this.#hmac(bytes);
    const encoded = Buffer.from(hmac).toString("base64");
    const plain = bytes.toString();
    this.#copies.add(plain, hmac);
    this.#copies.add(plain.trim(), hmac);
    this.#copies.add(bytes.toString("base64"), encoded);
    return encoding === "base64" ? encoded : hmac;
  }

  #hmac(bytes: Buffer): string {
    return redactedPrefix + createHmac("sha256", this.#key).update(bytes).digest("base64url");
  }
}

const unescaped = (name: string): string => name.replaceAll("~1", "/").replaceAll("~0", "~");

const [quoteMark, backslash] = [0x22, 0x5c];

/** Replaces texts in the strings of JSON. */
class Copies {
  /** Replacements by the text's first characters, with the longest text first. Texts are escaped as in JSON. */
  readonly #byStart = new Map<string, (readonly [text: string, replacement: string])[]>();
  readonly #known = new Set<string>();
  /** Marks the first two characters of the texts. */
  readonly #starts = new Uint8Array(2 ** 16);

  add(text: string, replacement: string): void {
    if (text.length < leastSearched || this.#known.has(text)) return;
    this.#known.add(text);
    const escaped = JSON.stringify(text).slice(1, -1);
    const start = escaped.slice(0, leastSearched);
    const same = this.#byStart.get(start) ?? [];
    same.push([escaped, replacement]);
    same.sort(([a], [b]) => b.length - a.length);
    this.#byStart.set(start, same);
    this.#starts[hashOf(escaped, 0)] = 1;
  }

  replaced(json: string): string {
    if (this.#byStart.size === 0) return json;
    const parts: string[] = [];
    let copied = 0;
    let isInString = false;
    for (let at = 0; at < json.length; ) {
      const code = json.charCodeAt(at);
      const found = isInString && this.#starts[hashOf(json, at)] === 1 ? this.#find(json, at) : undefined;
      if (found) {
        const [text, replacement] = found;
        parts.push(json.slice(copied, at), replacement);
        at += text.length;
        copied = at;
      } else if (code === quoteMark) {
        isInString = !isInString;
        at++;
      } else at += code === backslash ? 2 : 1;
    }
    return copied === 0 ? json : parts.join("") + json.slice(copied);
  }

  #find(json: string, at: number): readonly [text: string, replacement: string] | undefined {
    return this.#byStart.get(json.slice(at, at + leastSearched))?.find(([text]) => json.startsWith(text, at));
  }
}

const hashOf = (text: string, at: number): number => (text.charCodeAt(at) * 257 + text.charCodeAt(at + 1)) & 0xffff;
