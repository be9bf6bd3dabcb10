interface NamedResource {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
}

/** Parts of the API to enable (true) or disable (false): `apps/v1`, `v1`, `group/version/resource` or `api/all|ga|beta|alpha`. */
export type RuntimeConfig = Readonly<Record<string, boolean>>;

/**
 * Reports whether a default resource is enabled. More specific settings override less specific ones.
 *
 * @see apiserver pkg/server/resourceconfig MergeAPIResourceConfigs
 */
export function isSwitchedOn({ group, version, resource }: NamedResource, config: RuntimeConfig): boolean {
  const stage = version.includes("alpha") ? "alpha" : version.includes("beta") ? "beta" : "ga";
  const served = group === "" ? version : `${group}/${version}`;
  return config[`${served}/${resource}`] ?? config[served] ?? config[`api/${stage}`] ?? config["api/all"] ?? true;
}
