import type { Api, CallOptions } from "./api.ts";
import { isObjectNotFound, NameNotStorableError, OpenWrtError, UnexpectedAnswerError } from "./errors.ts";
import { pathSegment } from "./object-name.ts";

/** What a `create` may be spared. The reference CNF lets a second object of a name be made, so that the client looks first. */
export interface CreateOptions extends CallOptions {
  /** The caller has just seen that there is none of this name: it is not looked for again. Default false. */
  readonly knownAbsent?: boolean;
}

export interface CollectionTraits {
  /** The reference CNF lets a second object of a name be made, and never shows it. */
  readonly allowsDuplicates?: boolean;
  /** Objects are posted to the address with a slash at its end, as the reference's client does. */
  readonly slashOnCreate?: boolean;
}

/**
 * The objects of one kind on a CNF. Names are `[A-Za-z0-9_]` to be safe with every CNF; others are sent as they are where an
 * address can hold them, and end in a {@link NameNotStorableError} where the CNF cannot keep them.
 *
 * A CNF restarts no service by itself: see `OpenWrtClient.service`.
 */
export class Collection<T extends { readonly name: string }> {
  readonly #api: Api;
  /** Below `sdewan/`, such as `firewall/v1/zones`. */
  readonly path: string;
  readonly #traits: CollectionTraits;

  constructor(api: Api, path: string, traits: CollectionTraits = {}) {
    this.#api = api;
    this.path = path;
    this.#traits = traits;
  }

  /** All objects, in the CNF's order: the last changed is the last. */
  async list(options: CallOptions = {}): Promise<T[]> {
    const answer = await this.#api.call({ ...options, method: "GET", path: `sdewan/${this.path}` });
    const members: unknown = isObject(answer) ? answer[this.path.split("/").at(-1) ?? ""] : undefined;
    if (!Array.isArray(members) || !members.every(isObject)) throw this.#unexpected(200, answer);
    return members as unknown[] as T[];
  }

  /** @throws {OpenWrtError} 404 if there is none, see {@link isObjectNotFound} */
  async get(name: string, options: CallOptions = {}): Promise<T> {
    const answer = await this.#api.call({ ...options, method: "GET", path: this.#item(name) });
    return this.#object(answer, 200, name);
  }

  /**
   * Makes an object.
   *
   * @returns the object as stored
   * @throws {OpenWrtError} 409 if there is one of this name; 428 if something is missing that may come later; 400 for bad fields
   */
  async create(record: T, { knownAbsent = false, ...options }: CreateOptions = {}): Promise<T> {
    if (this.#traits.allowsDuplicates && !knownAbsent && (await this.#exists(record.name, options))) {
      throw new OpenWrtError(409, '{"message":"Conflict"}');
    }
    this.#item(record.name); // what cannot be addressed could never be changed
    const path = `sdewan/${this.path}${this.#traits.slashOnCreate ? "/" : ""}`;
    const answer = await this.#api.call({ ...options, method: "POST", path, body: record });
    return this.#object(answer, 201, record.name);
  }

  /** Replaces an object that is there. Fields left out are gone. @throws {OpenWrtError} 404 if it is not there */
  async update(name: string, record: Omit<T, "name">, options: CallOptions = {}): Promise<T> {
    await this.get(name, options);
    return this.put(name, record, options);
  }

  /**
   * Makes or replaces an object; fields left out are gone. Not atomic on the reference CNF: it deletes first, so after an error
   * the old object may be gone. Of objects that share the name on such a CNF one is left.
   *
   * @returns the object as stored
   */
  async put(name: string, record: Omit<T, "name">, options: CallOptions = {}): Promise<T> {
    const path = this.#item(name);
    const answer = await this.#api.call({ ...options, method: "PUT", path, body: { ...record, name } });
    return this.#object(answer, 200, name);
  }

  /** @throws {OpenWrtError} 404 if there is none; 400 if another object needs it */
  async delete(name: string, options: CallOptions = {}): Promise<void> {
    await this.#api.call({ ...options, method: "DELETE", path: this.#item(name) });
  }

  async #exists(name: string, options: CallOptions): Promise<boolean> {
    try {
      await this.get(name, options);
      return true;
    } catch (error) {
      if (isObjectNotFound(error)) return false;
      throw error;
    }
  }

  #item(name: string): string {
    return `sdewan/${this.path}/${pathSegment(name)}`;
  }

  #unexpected(code: number, answer: unknown): UnexpectedAnswerError {
    return new UnexpectedAnswerError(code, this.#api.masked(JSON.stringify(answer) ?? ""));
  }

  #object(answer: unknown, code: number, name: string): T {
    if (answer === null) throw new NameNotStorableError(code, name);
    if (!isRecord<T>(answer)) throw this.#unexpected(code, answer);
    return answer;
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** What the CNF sends is trusted to be what its fields say, as far as there is an object with a name. */
function isRecord<T extends { readonly name: string }>(value: unknown): value is T {
  return isObject(value) && typeof value.name === "string";
}
