import { type Kind, type KubeObject, stringifyJson } from "@kubewright/apimachinery";
import type { ApplyOptions, PatchOptions, WriteOptions } from "../contract/options.ts";
import type { NamedObject, Target } from "../contract/reader-writer.ts";
import { addressOf, type ObjectCalls, typed } from "./object-calls.ts";
import { lockedPatch, patchContentType } from "./patch-request.ts";
import { type WriteDefaults, writeQuery } from "./request-query.ts";

/** The writes that objects and their subresources have in common. */
export class ObjectWrites {
  readonly #calls: ObjectCalls;
  readonly #defaults: WriteDefaults;
  readonly #subResource: string | undefined;

  constructor(calls: ObjectCalls, defaults: WriteDefaults, subResource?: string) {
    this.#calls = calls;
    this.#defaults = defaults;
    this.#subResource = subResource;
  }

  /** `body` replaces what is at `target`. */
  async update<R>(kind: Kind, target: Target, body: object, options: WriteOptions): Promise<R> {
    return this.#calls.object({
      verb: "update",
      kind,
      method: "PUT",
      ...addressOf(target),
      subResource: this.#subResource,
      query: writeQuery(options, this.#defaults),
      body: stringifyJson(body),
      signal: options.signal,
    });
  }

  /** The whole object, without the other managers' field ownership, which an update that carries only some would erase. */
  async updateObject<R>(kind: Kind, object: NamedObject, options: WriteOptions): Promise<R> {
    const { metadata, ...rest } = typed("update", kind, object);
    return this.update(kind, object, { ...rest, metadata: { ...metadata, managedFields: undefined } }, options);
  }

  async patch<R>(kind: Kind, target: Target, patch: object, options: PatchOptions): Promise<R> {
    const { type = "merge" } = options;
    return this.#calls.object({
      verb: type === "apply" ? "apply" : "patch",
      kind,
      method: "PATCH",
      ...addressOf(target),
      subResource: this.#subResource,
      query: writeQuery(options, this.#defaults),
      body: stringifyJson(lockedPatch(patch, target, options)),
      contentType: patchContentType[type],
      signal: options.signal,
    });
  }

  async apply<R>(kind: Kind, configuration: NamedObject, options: ApplyOptions): Promise<R> {
    const body: KubeObject = typed("apply", kind, configuration);
    return this.patch(kind, configuration, body, { ...options, type: "apply" });
  }
}
