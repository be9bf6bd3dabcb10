import type { Api, CnfCallOptions } from "./api.ts";
import { isObjectNotFound, NameNotStorableError, OpenWrtError, UnexpectedResponseError } from "./errors.ts";
import { pathSegment } from "./object-name.ts";

/**
 * Options for `create`. The reference CNF creates a second object if the name already exists. Therefore, the client
 * first checks whether the name exists.
 */
export interface CreateOptions extends CnfCallOptions {
  /** True to skip the check whether the name is in use, because the caller has just made sure that it is not. Default false. */
  readonly knownAbsent?: boolean | undefined;
}

/** Peculiarities of a collection in the reference CNF's REST API. */
export interface CollectionTraits {
  /** True if the reference CNF accepts a second object with the same name, which it then never shows. */
  readonly allowsDuplicates?: boolean | undefined;
  /** True if new objects are posted to an address with a trailing slash, as the reference implementation's client does. */
  readonly slashOnCreate?: boolean | undefined;
}

/**
 * The objects of one kind on a CNF. Names consisting only of the characters `[A-Za-z0-9_]` work with every CNF. Other
 * names are sent unchanged if they can be part of a URL; if the CNF cannot store such a name, the call rejects with a
 * {@link NameNotStorableError}.
 *
 * A CNF does not restart services on its own; see `OpenWrtClient.service`.
 */
export class Collection<T extends { readonly name: string }> {
  readonly #api: Api;
  /** Path below `sdewan/`, such as `firewall/v1/zones`. */
  readonly path: string;
  readonly #traits: CollectionTraits;

  constructor(api: Api, path: string, traits: CollectionTraits = {}) {
    this.#api = api;
    this.path = path;
    this.#traits = traits;
  }

  /** Returns all objects in the CNF's order: the most recently changed object comes last. */
  async list(options: CnfCallOptions = {}): Promise<T[]> {
    const answer = await this.#api.call({ ...options, method: "GET", path: `sdewan/${this.path}` });
    const members: unknown = isObject(answer) ? answer[this.path.split("/").at(-1) ?? ""] : undefined;
    if (!Array.isArray(members) || !members.every(isObject)) throw this.#unexpected(200, answer);
    return members as unknown[] as T[];
  }

  /** Returns an object by its name. @throws {OpenWrtError} 404 if the object does not exist, see {@link isObjectNotFound} */
  async get(name: string, options: CnfCallOptions = {}): Promise<T> {
    const answer = await this.#api.call({ ...options, method: "GET", path: this.#item(name) });
    return this.#object(answer, 200, name);
  }

  /**
   * Creates an object.
   *
   * @returns the object as stored
   * @throws {OpenWrtError} 409 if the name already exists, 428 if a prerequisite that may be created later is missing, 400 for invalid
   *   fields
   */
  async create(record: T, { knownAbsent = false, ...options }: CreateOptions = {}): Promise<T> {
    if (this.#traits.allowsDuplicates && !knownAbsent && (await this.#exists(record.name, options))) {
      throw new OpenWrtError(409, '{"message":"Conflict"}');
    }
    this.#item(record.name); // checks the name, because an object whose name cannot be part of a URL could never be changed or deleted
    const path = `sdewan/${this.path}${this.#traits.slashOnCreate ? "/" : ""}`;
    const answer = await this.#api.call({ ...options, method: "POST", path, body: record });
    return this.#object(answer, 201, record.name);
  }

  /**
   * Replaces an existing object. Fields that `record` omits are removed.
   *
   * @throws {OpenWrtError} 404 if the object does not exist
   */
  async update(name: string, record: Omit<T, "name">, options: CnfCallOptions = {}): Promise<T> {
    await this.get(name, options);
    return this.put(name, record, options);
  }

  /**
   * Creates or replaces an object. Fields that `record` omits are removed. This is not atomic on the reference CNF: it deletes the object
   * first, so the object may be missing after an error. If several objects on such a CNF have the same name, only one remains.
   *
   * @returns the object as stored
   */
  async put(name: string, record: Omit<T, "name">, options: CnfCallOptions = {}): Promise<T> {
    const path = this.#item(name);
    const answer = await this.#api.call({ ...options, method: "PUT", path, body: { ...record, name } });
    return this.#object(answer, 200, name);
  }

  /** Deletes an object. @throws {OpenWrtError} 404 if the object does not exist; 400 if another object needs it */
  async delete(name: string, options: CnfCallOptions = {}): Promise<void> {
    await this.#api.call({ ...options, method: "DELETE", path: this.#item(name) });
  }

  async #exists(name: string, options: CnfCallOptions): Promise<boolean> {
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

  #unexpected(code: number, answer: unknown): UnexpectedResponseError {
    return new UnexpectedResponseError(code, this.#api.masked(JSON.stringify(answer) ?? ""));
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

/** Reports whether a value is an object with a name. The other fields in the CNF's response are trusted. */
function isRecord<T extends { readonly name: string }>(value: unknown): value is T {
  return isObject(value) && typeof value.name === "string";
}
