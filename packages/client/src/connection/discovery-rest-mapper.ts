import {
  isNoMatch,
  type RESTMapper,
  type RESTMapping,
  StaleGroupVersionError,
  StaticRESTMapper,
} from "@kubewright/apimachinery";
import { type Clock, systemClock } from "@kubewright/clock";
import { type APIGroup, type Discovery, staleVersions } from "./discovery.ts";

/** Maximum number of discovery requests in a burst of lookups of unknown kinds. */
const maxTokens = 10;
/** Time until the next request is allowed after a burst. */
const tokenMs = 1_000;

/**
 * A mapper based on the server's discovery API. For an unknown kind, the mapper queries the server again, because the
 * kind may have been registered in the meantime. Concurrent lookups share one request. After a burst of ten requests,
 * at most one request per second is sent. Lookups reject with `NoMatchError` if the kind is not served, and with
 * `StaleGroupVersionError` if the kind may belong to a server that does not respond.
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

  mappingFor(kind: {
    readonly group: string;
    readonly kind: string;
    readonly version?: string | undefined;
  }): Promise<RESTMapping> {
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

  /** Repeats discovery. Returns false if no request is currently allowed. */
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
