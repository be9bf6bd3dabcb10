interface NamedResource {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
}

/** What of the API is served: `apps/v1`, `v1`, `group/version/resource` or `api/all|ga|beta|alpha`, and whether it is. */
export type RuntimeConfig = Readonly<Record<string, boolean>>;

/**
 * Whether a resource that is served by default still is: what is said of more counts before what is said of less.
 *
 * @see apiserver pkg/server/resourceconfig MergeAPIResourceConfigs
 */
export function isSwitchedOn({ group, version, resource }: NamedResource, config: RuntimeConfig): boolean {
  const stage = version.includes("alpha") ? "alpha" : version.includes("beta") ? "beta" : "ga";
  const served = group === "" ? version : `${group}/${version}`;
  return config[`${served}/${resource}`] ?? config[served] ?? config[`api/${stage}`] ?? config["api/all"] ?? true;
}
