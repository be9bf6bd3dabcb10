import type { Connection } from "../connection/connection.ts";
import { objectIn } from "../connection/object-in.ts";
import { statusErrorFrom } from "../connection/status-from-response.ts";
import type { APIGroup, APIResource } from "./api-group.ts";
import { aggregatedGroups } from "./discovery-aggregated.ts";
import { legacyGroups } from "./discovery-legacy.ts";

/** Which version of Kubernetes a server is of. @see apimachinery version.Info */
export interface ServerVersion {
  readonly major: string;
  /** May end in `+`. */
  readonly minor: string;
  /** Such as `v1.36.3`. */
  readonly gitVersion: string;
}

/**
 * What an API server serves. Asked for on first use and kept until `invalidate`: two requests where the server offers aggregated
 * discovery, else one more per group and version. Methods reject with `StatusError` or `ConnectionError`; a failure is not kept.
 *
 * @see client-go discovery CachedDiscoveryInterface
 */
export class Discovery {
  readonly #connection: Connection;
  #groups: Promise<readonly APIGroup[]> | undefined;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Whether the next question is answered from memory. */
  get hasLoaded(): boolean {
    return this.#groups !== undefined;
  }

  /** All groups, in the server's order. */
  groups(): Promise<readonly APIGroup[]> {
    if (this.#groups) return this.#groups;
    const groups = this.#load();
    this.#groups = groups;
    groups.catch(() => {
      if (this.#groups === groups) this.#groups = undefined;
    });
    return groups;
  }

  /** All resources of all groups and versions, those of the preferred version first within their group. */
  async resources(): Promise<readonly APIResource[]> {
    return (await this.groups()).flatMap((group) => group.versions.flatMap((version) => version.resources));
  }

  /** Forgets what was answered: the next question goes to the server. */
  invalidate(): void {
    this.#groups = undefined;
  }

  /** The version of the server, asked for each time. */
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
