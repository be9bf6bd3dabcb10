import type { Connection } from "../connection/connection.ts";
import { objectIn } from "../connection/object-in.ts";
import { statusErrorFrom } from "../connection/status-from-response.ts";
import type { APIGroup, APIResource } from "./api-group.ts";
import { aggregatedGroups } from "./discovery-aggregated.ts";
import { legacyGroups } from "./discovery-legacy.ts";

/** Kubernetes version of a server. @see apimachinery version.Info */
export interface ServerVersion {
  readonly major: string;
  /** May end in `+`. */
  readonly minor: string;
  /** For example `v1.36.3`. */
  readonly gitVersion: string;
}

/**
 * The API groups and resources of a server. Fetched on first use and kept until `invalidate`: with two requests if the server supports
 * aggregated discovery, otherwise with one more per group and version. Methods reject with `StatusError` or `ConnectionError`; a failure
 * is not kept.
 *
 * @see client-go discovery CachedDiscoveryInterface
 */
export class Discovery {
  readonly #connection: Connection;
  #groups: Promise<readonly APIGroup[]> | undefined;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** True if the next query is answered from memory. */
  get hasLoaded(): boolean {
    return this.#groups !== undefined;
  }

  /** Returns all groups, in the server's order. */
  groups(): Promise<readonly APIGroup[]> {
    if (this.#groups) return this.#groups;
    const groups = this.#load();
    this.#groups = groups;
    groups.catch(() => {
      if (this.#groups === groups) this.#groups = undefined;
    });
    return groups;
  }

  /** Returns all resources of all groups and versions, those of the preferred version first within their group. */
  async resources(): Promise<readonly APIResource[]> {
    return (await this.groups()).flatMap((group) => group.versions.flatMap((version) => version.resources));
  }

  /** Drops the cached groups, so that the next query goes to the server. */
  invalidate(): void {
    this.#groups = undefined;
  }

  /** Returns the version of the server, fetched with each call. */
  async serverVersion(): Promise<ServerVersion> {
    const request = { path: "/version", what: "get the server's version" };
    const response = await this.#connection.request(request);
    if (response.status >= 400) throw statusErrorFrom(response, request);
    return objectIn(response.body, request.what) as ServerVersion;
  }

  async #load(): Promise<readonly APIGroup[]> {
    return (await aggregatedGroups(this.#connection)) ?? legacyGroups(this.#connection);
  }
}
