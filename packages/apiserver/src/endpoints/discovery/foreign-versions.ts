/** Another server's group version, as aggregated discovery shows it. */
export interface ForeignVersion {
  readonly group: string;
  readonly version: string;
  /** An `APIVersionDiscovery`, copied into the document. */
  readonly entry: Readonly<Record<string, unknown>>;
}

/** A version's priorities in discovery. Higher priorities come first. */
export interface Priority {
  readonly group: number;
  readonly version: number;
}

/** Resources of other servers behind this one. A registration overrides a version that this server serves itself. */
export interface ForeignServers {
  /** Increases with every change, so that derived values can be cached. */
  readonly generation: number;
  versions(): readonly ForeignVersion[];
  /** Returns `undefined` for an unregistered version. */
  priorityOf(group: string, version: string): Priority | undefined;
  /** Returns OpenAPI v3 documents by path, such as `apis/example.com/v1`, with their URLs. */
  openApiPaths(): ReadonlyMap<string, string>;
  /** Returns the OpenAPI v2 document with the additions of the other servers. */
  withSwagger(document: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>>;
}

/** No other servers. */
export const nobody: ForeignServers = {
  generation: 0,
  versions: () => [],
  priorityOf: () => undefined,
  openApiPaths: () => new Map(),
  withSwagger: (document) => document,
};
