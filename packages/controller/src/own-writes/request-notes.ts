import { isNotFound, type Kind, splitKey } from "@kubewright/apimachinery";
import type { DeleteCollectionOptions, NamedObject, Target } from "@kubewright/client";
import type { OwnWrites } from "./own-writes.ts";
import { keyOfTarget } from "./target-key.ts";

interface Rehearsable {
  readonly dryRun?: boolean | undefined;
}

/** Takes notes of the writes made for one request. Dry runs change nothing, and are not noted. */
export class RequestNotes<R> {
  readonly #ownWrites: OwnWrites<R>;
  readonly #request: R;

  constructor(ownWrites: OwnWrites<R>, request: R) {
    this.#ownWrites = ownWrites;
    this.#request = request;
  }

  /** Notes the object that a write answers. */
  async written<T extends NamedObject>(kind: Kind, writing: Promise<T>, options?: Rehearsable): Promise<T> {
    const stored = await writing;
    if (!options?.dryRun) this.#ownWrites.note(this.#request, kind, stored);
    return stored;
  }

  /** Notes what a write to a subresource answers, which may be the object, or something that carries its version, or neither. */
  async writtenBelow<B extends object>(
    kind: Kind,
    target: Target,
    writing: Promise<B>,
    options?: Rehearsable,
  ): Promise<B> {
    const body = await writing;
    const { resourceVersion, ...rest } = ("metadata" in body ? body.metadata : {}) as Partial<NamedObject["metadata"]>;
    if (options?.dryRun || !resourceVersion) return body;
    const metadata = { ...rest, ...splitKey(keyOfTarget(target)), resourceVersion };
    this.#ownWrites.note(this.#request, kind, { metadata });
    return body;
  }

  /** Notes a deletion. One that finds nothing has learned as much: the cache is behind. */
  async deleted<A>(
    kind: Kind,
    target: Target,
    deleting: () => Promise<A>,
    options: Rehearsable & { readonly uid?: string | undefined } = {},
  ): Promise<A> {
    if (options.dryRun) return deleting();
    const key = keyOfTarget(target);
    const gone = this.#ownWrites.expectDeletion(this.#request, kind, key, options.uid);
    const note = (): void => this.#ownWrites.noteDeletion(this.#request, kind, key, gone);
    try {
      const answer = await deleting();
      note();
      return answer;
    } catch (error) {
      if (isNotFound(error)) note();
      throw error;
    }
  }

  async deletedAll(kind: Kind, deleting: () => Promise<void>, options: DeleteCollectionOptions = {}): Promise<void> {
    const expected = options.dryRun ? [] : this.#ownWrites.expectDeletions(kind, options);
    await deleting();
    for (const [key, gone] of expected) this.#ownWrites.noteDeletion(this.#request, kind, key, gone);
  }
}
