/** A parameter of an operation, in the query or in the path. */
export interface Parameter {
  readonly name: string;
  readonly in: "path" | "query";
  readonly type: "string" | "boolean" | "integer";
}

const query = (type: Parameter["type"], ...names: readonly string[]): Parameter[] =>
  names.map((name) => ({ name, in: "query", type }));

const byName = (parameters: readonly Parameter[]): Parameter[] =>
  [...parameters].sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : a.in < b.in ? -1 : 1));

const write = query("string", "dryRun", "fieldManager", "fieldValidation");
const deletion = byName([
  ...query("string", "dryRun", "propagationPolicy"),
  ...query("integer", "gracePeriodSeconds"),
  ...query("boolean", "ignoreStoreReadErrorWithClusterBreakingPotential", "orphanDependents"),
]);
const list = byName([
  ...query("boolean", "allowWatchBookmarks", "sendInitialEvents", "watch"),
  ...query("string", "continue", "fieldSelector", "labelSelector", "resourceVersion", "resourceVersionMatch"),
  ...query("string", "shardSelector"),
  ...query("integer", "limit", "timeoutSeconds"),
]);
const ofWatches: ReadonlySet<string> = new Set(["allowWatchBookmarks", "watch"]);

/** Query parameters for each kind of operation: the fields of the options objects in `meta/v1`, and `pretty`. */
export const parametersOf = {
  pretty: query("string", "pretty"),
  get: query("string", "resourceVersion"),
  list,
  write,
  patch: [...write, ...query("boolean", "force")],
  deletion,
  deleteCollection: byName([...deletion, ...list.filter(({ name }) => !ofWatches.has(name))]),
} as const;

const stdio = query("boolean", "stderr", "stdin", "stdout", "tty");

/** Query parameters of connecting subresources and of logs, keyed by the kind of their options. */
const optionParameters: Readonly<Record<string, readonly Parameter[]>> = {
  PodAttachOptions: [...query("string", "container"), ...stdio],
  PodExecOptions: [...query("string", "command", "container"), ...stdio],
  PodPortForwardOptions: query("integer", "ports"),
  PodProxyOptions: query("string", "path"),
  ServiceProxyOptions: query("string", "path"),
  NodeProxyOptions: query("string", "path"),
  PodLogOptions: byName([
    ...query("string", "container", "stream"),
    ...query("boolean", "follow", "insecureSkipTLSVerifyBackend", "previous", "timestamps"),
    ...query("integer", "limitBytes", "sinceSeconds", "tailLines"),
  ]),
};

export const optionsOf = (kind: string): readonly Parameter[] => optionParameters[kind] ?? [];

export const pathParameter = (name: string): Parameter => ({ name, in: "path", type: "string" });

export const sortedByName = byName;
