interface NamedResource {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
}

/**
 * Parts of the API to enable (true) or disable (false). The keys are group versions such as `apps/v1` or `v1`, resources such as
 * `apps/v1/deployments`, or `api/all`, `api/ga`, `api/beta` and `api/alpha`.
 */
export type RuntimeConfig = Readonly<Record<string, boolean>>;

/**
 * Reports whether a resource is enabled. Every resource is enabled unless the configuration disables it. More specific settings
 * override less specific ones.
 *
 * @see apiserver pkg/server/resourceconfig MergeAPIResourceConfigs
 */
export function isSwitchedOn({ group, version, resource }: NamedResource, config: RuntimeConfig): boolean {
  const stage = version.includes("alpha") ? "alpha" : version.includes("beta") ? "beta" : "ga";
  const served = group === "" ? version : `${group}/${version}`;
  return config[`${served}/${resource}`] ?? config[served] ?? config[`api/${stage}`] ?? config["api/all"] ?? true;
}
