import { isExpired } from "@kubewright/apimachinery";
import { type FullList, ListPager } from "../source/list-pager.ts";
import type { ListerWatcher } from "../source/lister-watcher.ts";
import type { VersionMemory } from "./version-memory.ts";
import { isTooLargeResourceVersion } from "./watch-errors.ts";

/**
 * Lists the whole state, at least as new as the last known version; if the server does not have that version, the newest state.
 *
 * @see client-go tools/cache Reflector.list
 */
export class StateLister<O> {
  readonly #source: ListerWatcher<O>;
  readonly #version: VersionMemory;
  readonly #pageSize: number | undefined;
  /** True if the first list had several pages: this server reads from storage anyway, so later lists may be paged as well. */
  #isPaginated = false;

  constructor(source: ListerWatcher<O>, version: VersionMemory, pageSize: number | undefined) {
    this.#source = source;
    this.#version = version;
    this.#pageSize = pageSize;
  }

  /** @throws any error of the list request; the signal's reason */
  async list(signal: AbortSignal): Promise<FullList<O>> {
    const resourceVersion = this.#version.forRelist();
    const listed = await this.#listFrom(resourceVersion, signal).catch((error: unknown) => {
      if (!isExpired(error) && !isTooLargeResourceVersion(error)) throw error;
      this.#version.isUnavailable = true;
      return this.#listFrom(this.#version.forRelist(), signal);
    });
    if (resourceVersion === "0" && listed.isPaginated) this.#isPaginated = true;
    this.#version.isUnavailable = false;
    return listed;
  }

  #listFrom(resourceVersion: string, signal: AbortSignal): Promise<FullList<O>> {
    const isAtKnownVersion = resourceVersion !== "" && resourceVersion !== "0";
    // At a known version the server can answer from memory, but only if the list has no limit.
    const pageSize = this.#pageSize ?? (isAtKnownVersion && !this.#isPaginated ? 0 : undefined);
    return new ListPager<O>((request) => this.#source.list(request), { pageSize }).list({ resourceVersion, signal });
  }
}
