import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { KubeConfigError } from "./kubeconfig-error.ts";

/** A part of a parsed kubeconfig with its position, so that every error contains the file and the field. */
export class ConfigNode {
  readonly #value: unknown;
  readonly #source: string;
  readonly #path: string;

  constructor(value: unknown, source: string, path = "") {
    this.#value = value;
    this.#source = source;
    this.#path = path;
  }

  get isAbsent(): boolean {
    return this.#value === undefined || this.#value === null;
  }

  fail(problem: string, cause?: unknown): never {
    const where = this.#path === "" ? this.#source : `${this.#source}: ${this.#path}`;
    throw new KubeConfigError(`${where}: ${problem}`, cause === undefined ? undefined : { cause });
  }

  /** Returns a field of a mapping; absent in an absent mapping. */
  field(name: string): ConfigNode {
    return new ConfigNode(this.mapping()[name], this.#source, this.#path === "" ? name : `${this.#path}.${name}`);
  }

  mapping(): Readonly<Record<string, unknown>> {
    if (this.isAbsent) return {};
    if (typeof this.#value !== "object" || this.#value === null || Array.isArray(this.#value))
      return this.fail(`expected a mapping, got ${shown(this.#value)}`);
    return Object.fromEntries(Object.entries(this.#value));
  }

  items(): ConfigNode[] {
    if (this.isAbsent) return [];
    if (!Array.isArray(this.#value)) return this.fail(`expected a list, got ${shown(this.#value)}`);
    return this.#value.map((item: unknown, index) => new ConfigNode(item, this.#source, `${this.#path}[${index}]`));
  }

  text(): string | undefined {
    if (this.isAbsent || this.#value === "") return undefined;
    if (typeof this.#value !== "string") return this.fail(`expected a string, got ${shown(this.#value)}`);
    return this.#value;
  }

  required(): string {
    return this.text() ?? this.fail("is missing or empty");
  }

  flag(): boolean {
    if (this.isAbsent) return false;
    return typeof this.#value === "boolean"
      ? this.#value
      : this.fail(`expected true or false, got ${shown(this.#value)}`);
  }

  texts(): string[] {
    return this.items().map((item) => item.required());
  }

  /** Returns a path, relative to the file that contains it. */
  filePath(): string | undefined {
    const path = this.text();
    return path === undefined ? undefined : resolve(dirname(this.#source), path);
  }

  /** Returns PEM text from the field `<name>-data` (base64), or from the file in the field `<name>`. */
  pem(name: string): string | undefined {
    const data = this.field(`${name}-data`);
    const encoded = data.text();
    if (encoded !== undefined) return data.#pemOf(decoded(encoded) ?? data.fail("is not base64"));
    const file = this.field(name);
    const path = file.filePath();
    if (path === undefined) return undefined;
    try {
      return file.#pemOf(readFileSync(path, "utf8"));
    } catch (error) {
      if (error instanceof KubeConfigError) throw error;
      return file.fail(`cannot read ${path}: ${error instanceof Error ? error.message : String(error)}`, error);
    }
  }

  #pemOf(text: string): string {
    return text.includes("-----BEGIN ") ? text : this.fail("does not contain a PEM block");
  }
}

const shown = (value: unknown): string =>
  Array.isArray(value) ? "a list" : typeof value === "object" ? "a mapping" : typeof value;

function decoded(base64: string): string | undefined {
  const compact = base64.replace(/\s+/g, "");
  return /^[A-Za-z0-9+/]+=*$/.test(compact) ? Buffer.from(compact, "base64").toString() : undefined;
}
