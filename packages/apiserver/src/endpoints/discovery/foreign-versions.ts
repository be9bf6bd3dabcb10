/** A group version served by another server, with its entry in aggregated discovery. */
export interface ForeignVersion {
  readonly group: string;
  readonly version: string;
  /** An `APIVersionDiscovery` object, which is copied into the document. */
  readonly entry: Readonly<Record<string, unknown>>;
}

/** The priorities that determine a version's position in discovery. Higher priorities come first. */
export interface Priority {
  readonly group: number;
  readonly version: number;
}

/**
 * Other servers to which this server forwards requests. If a version is registered for another server, that server
 * takes precedence over this one.
 */
export interface ForeignServers {
  /** Number that increases with every change, so that derived values can be cached. */
  readonly generation: number;
  versions(): readonly ForeignVersion[];
  /** Returns the priorities of a version, or `undefined` if the version is not registered. */
  priorityOf(group: string, version: string): Priority | undefined;
  /** Returns the URLs of the other servers' OpenAPI v3 documents, keyed by path (such as `apis/example.com/v1`). */
  openApiPaths(): ReadonlyMap<string, string>;
  /** Merges the OpenAPI v2 documents of the other servers into a document, and returns the result. */
  withSwagger(document: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>>;
}

/** Placeholder used if a server does not forward requests to other servers. */
export const nobody: ForeignServers = {
  generation: 0,
  versions: () => [],
  priorityOf: () => undefined,
  openApiPaths: () => new Map(),
  withSwagger: (document) => document,
};
