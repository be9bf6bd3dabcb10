import { type Kind, stringifyJson } from "@kubewright/apimachinery";
import type { GetOptions, PatchOptions, WriteOptions } from "../contract/options.ts";
import type { PatchBody } from "../contract/patch-body.ts";
import type { Target } from "../contract/reader-writer.ts";
import {
  type SendableBody,
  type SubResourceBody,
  type SubResourceWriter,
  typeOfSubResource,
} from "../contract/sub-resource.ts";
import { addressOf, type ObjectCalls } from "./object-calls.ts";
import { ObjectWrites } from "./object-writes.ts";
import { type WriteDefaults, writeQuery } from "./request-query.ts";

/** One subresource, at the API server. */
export class SubResourceClient<N extends string> implements SubResourceWriter<N> {
  readonly #calls: ObjectCalls;
  readonly #defaults: WriteDefaults;
  readonly #writes: ObjectWrites;
  readonly #name: N;

  constructor(calls: ObjectCalls, defaults: WriteDefaults, name: N) {
    this.#calls = calls;
    this.#defaults = defaults;
    this.#writes = new ObjectWrites(calls, defaults, name);
    this.#name = name;
  }

  async get(kind: Kind, target: Target, options: GetOptions = {}): Promise<SubResourceBody<N>> {
    const { signal, resourceVersion } = options;
    const query = { resourceVersion };
    return this.#calls.object({ verb: "get", kind, ...addressOf(target), subResource: this.#name, query, signal });
  }

  async getText(
    kind: Kind,
    target: Target,
    options: GetOptions & { readonly query?: Readonly<Record<string, string>> | undefined } = {},
  ): Promise<string> {
    const { signal, query } = options;
    const call = { verb: "get", kind, ...addressOf(target), subResource: this.#name, query, signal };
    return (await this.#calls.send(call)).body.toString();
  }

  async create(
    kind: Kind,
    target: Target,
    body: SendableBody<N>,
    options: WriteOptions = {},
  ): Promise<SubResourceBody<N>> {
    return this.#calls.object({
      verb: "create",
      kind,
      method: "POST",
      ...addressOf(target),
      subResource: this.#name,
      query: writeQuery(options, this.#defaults),
      body: stringifyJson(this.#complete(target, body)),
      signal: options.signal,
    });
  }

  async update(
    kind: Kind,
    target: Target,
    body: SendableBody<N>,
    options: WriteOptions = {},
  ): Promise<SubResourceBody<N>> {
    return this.#writes.update(kind, target, this.#complete(target, body), options);
  }

  async patch(
    kind: Kind,
    target: Target,
    patch: PatchBody<SubResourceBody<N>>,
    options: PatchOptions = {},
  ): Promise<SubResourceBody<N>> {
    return this.#writes.patch(kind, target, patch, options);
  }

  /** With the type and the name that the body must carry, where the caller left them out. */
  #complete(target: Target, body: object): object {
    const metadata = "metadata" in body && typeof body.metadata === "object" ? body.metadata : {};
    const known = { ...typeOfSubResource(this.#name), ...present(body) };
    return { ...known, metadata: { ...addressOf(target), ...present(metadata ?? {}) } };
  }
}

/** Without the members that are undefined, which are no more than absent. */
const present = (members: object): object =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
