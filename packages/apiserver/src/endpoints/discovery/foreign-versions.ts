/** A version of a group that another server serves, as aggregated discovery shows it. */
export interface ForeignVersion {
  readonly group: string;
  readonly version: string;
  /** An `APIVersionDiscovery`, as it is written into the document. */
  readonly entry: Readonly<Record<string, unknown>>;
}

/** Where a version stands in discovery: higher first. */
export interface Priority {
  readonly group: number;
  readonly version: number;
}

/** What other servers serve behind this one. What is registered for a version of this server's own stands before that. */
export interface ForeignServers {
  /** Rises with every change: what is computed from the rest can be kept until then. */
  readonly generation: number;
  versions(): readonly ForeignVersion[];
  /** `undefined` for a version that nobody has registered. */
  priorityOf(group: string, version: string): Priority | undefined;
  /** Documents of OpenAPI v3 by path, such as `apis/example.com/v1`, and where each is. */
  openApiPaths(): ReadonlyMap<string, string>;
  /** The document of OpenAPI v2, with what the others add to it. */
  withSwagger(document: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>>;
}

/** Nobody stands behind. */
export const nobody: ForeignServers = {
  generation: 0,
  versions: () => [],
  priorityOf: () => undefined,
  openApiPaths: () => new Map(),
  withSwagger: (document) => document,
};
