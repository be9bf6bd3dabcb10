import type { Kind, KubeObject, Stored } from "@kubewright/apimachinery";
import type { ApplyOptions, GetOptions, PatchOptions, WriteOptions } from "../contract/options.ts";
import type { ApplyConfiguration, PatchBody, StatusOf } from "../contract/patch-body.ts";
import type { StatusWriter, Target, Writable } from "../contract/reader-writer.ts";
import { addressOf, type ObjectCalls } from "./object-calls.ts";
import { ObjectWrites } from "./object-writes.ts";
import type { WriteDefaults } from "./request-query.ts";

/** The status of objects, at the API server. */
export class StatusClient implements StatusWriter {
  readonly #calls: ObjectCalls;
  readonly #writes: ObjectWrites;

  constructor(calls: ObjectCalls, defaults: WriteDefaults) {
    this.#calls = calls;
    this.#writes = new ObjectWrites(calls, defaults, "status");
  }

  /** The whole object, as its status subresource shows it. */
  async get<T extends KubeObject>(kind: Kind<T>, target: Target, options: GetOptions = {}): Promise<Stored<T>> {
    const { signal, resourceVersion } = options;
    return this.#calls.object({
      verb: "get",
      kind,
      ...addressOf(target),
      subResource: "status",
      query: { resourceVersion },
      signal,
    });
  }

  async update<T extends KubeObject>(
    kind: Kind<T>,
    object: Writable<T>,
    options: WriteOptions = {},
  ): Promise<Stored<T>> {
    return this.#writes.updateObject(kind, object, options);
  }

  async patch<T extends KubeObject>(
    kind: Kind<T>,
    target: Target,
    patch: PatchBody<StatusOf<NoInfer<T>>>,
    options: PatchOptions = {},
  ): Promise<Stored<T>> {
    return this.#writes.patch(kind, target, Array.isArray(patch) ? patch : { status: patch }, options);
  }

  async apply<T extends KubeObject>(
    kind: Kind<T>,
    configuration: ApplyConfiguration<NoInfer<T>>,
    options: ApplyOptions = {},
  ): Promise<Stored<T>> {
    return this.#writes.apply(kind, configuration, options);
  }
}
