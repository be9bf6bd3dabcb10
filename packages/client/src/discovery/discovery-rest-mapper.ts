import {
  isNoMatch,
  type RESTMapper,
  type RESTMapping,
  StaleGroupVersionError,
  StaticRESTMapper,
} from "@kubewright/apimachinery";
import { type Clock, systemClock } from "@kubewright/clock";
import { type APIGroup, staleVersions } from "./api-group.ts";
import type { Discovery } from "./discovery.ts";

/** A burst of questions about unknown kinds asks the server so often, ... */
const maxTokens = 10;
/** ... and then once in so long. */
const tokenMs = 1_000;

/**
 * A mapper that knows what the server serves. What it does not find may have been registered since, so a miss asks the server again:
 * misses at the same time share one answer, and of others at most ten, then one a second, are asked. Rejects with `NoMatchError` if
 * nothing of the kind is served, and with `StaleGroupVersionError` if a server that does not answer may serve it.
 *
 * @see controller-runtime pkg/client/apiutil NewDynamicRESTMapper
 */
export class DiscoveryRESTMapper implements RESTMapper {
  readonly #discovery: Discovery;
  readonly #clock: Clock;
  #loaded: { readonly from: readonly APIGroup[]; readonly mapper: StaticRESTMapper } | undefined;
  #refresh: Promise<void> | undefined;
  #tokens = maxTokens;
  #filledAt: number;

  constructor(discovery: Discovery, options: { readonly clock?: Clock | undefined } = {}) {
    this.#discovery = discovery;
    this.#clock = options.clock ?? systemClock;
    this.#filledAt = this.#clock.monotonic();
  }

  mappingFor(kind: { readonly group: string; readonly kind: string; readonly version?: string }): Promise<RESTMapping> {
    return this.#find(
      (mapper) => mapper.mappingFor(kind),
      `kind "${kind.kind}"`,
      ({ group, version }) => group === kind.group && (!kind.version || version === kind.version),
    );
  }

  mappingForResource(name: string): Promise<RESTMapping> {
    const wanted = name.toLowerCase();
    return this.#find(
      (mapper) => mapper.mappingForResource(name),
      `resource type "${name}"`,
      ({ group }) => !name.includes(".") || wanted.endsWith(`.${group}`),
    );
  }

  async #find(
    ask: (mapper: StaticRESTMapper) => Promise<RESTMapping>,
    what: string,
    mayServe: (version: { readonly group: string; readonly version: string }) => boolean,
  ): Promise<RESTMapping> {
    const isFresh = !this.#discovery.hasLoaded;
    try {
      try {
        return await ask(await this.#mapper());
      } catch (error) {
        if (!isNoMatch(error) || isFresh || !(await this.#askAgain())) throw error;
      }
      return await ask(await this.#mapper());
    } catch (error) {
      const stale = isNoMatch(error) ? staleVersions(await this.#discovery.groups()).filter(mayServe) : [];
      throw stale.length > 0 ? new StaleGroupVersionError(stale, what) : error;
    }
  }

  async #mapper(): Promise<StaticRESTMapper> {
    const groups = await this.#discovery.groups();
    if (this.#loaded?.from !== groups) this.#loaded = { from: groups, mapper: mapperOf(groups) };
    return this.#loaded.mapper;
  }

  /** Whether the server was asked again. */
  async #askAgain(): Promise<boolean> {
    if (!this.#refresh) {
      if (!this.#takeToken()) return false;
      this.#discovery.invalidate();
      const refresh = this.#discovery.groups().then(() => {});
      this.#refresh = refresh.finally(() => {
        this.#refresh = undefined;
      });
    }
    await this.#refresh;
    return true;
  }

  #takeToken(): boolean {
    const now = this.#clock.monotonic();
    const earned = Math.floor((now - this.#filledAt) / tokenMs);
    if (earned > 0) {
      this.#tokens = Math.min(maxTokens, this.#tokens + earned);
      this.#filledAt += earned * tokenMs;
    }
    if (this.#tokens === 0) return false;
    this.#tokens--;
    return true;
  }
}

function mapperOf(groups: readonly APIGroup[]): StaticRESTMapper {
  return new StaticRESTMapper(groups.flatMap(({ versions }) => versions.flatMap(({ resources }) => resources)));
}
