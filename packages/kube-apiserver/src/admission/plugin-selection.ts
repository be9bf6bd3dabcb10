import { quote } from "@kubewright/apimachinery";
import type { AdmissionPlugin } from "@kubewright/apiserver/admission";
import { pluginLines } from "./plugin-lines.ts";

const lines = pluginLines
  .trim()
  .split("\n")
  .map((line) => line.split(" "));

/** Names of all of kube-apiserver's plugins, in its order. @see kubernetes pkg/kubeapiserver/options AllOrderedPlugins */
const pluginOrder: readonly string[] = lines.map(([name = ""]) => name);

const offByDefault: ReadonlySet<string> = new Set(
  lines.flatMap(([name = "", state]) => (state === "off" ? [name] : [])),
);

/**
 * Position of the first plugin for policies and webhooks. The user's in-process plugins run just before it, so policies and webhooks see
 * the changes that these plugins make.
 */
const firstOfTheLast = pluginOrder.indexOf("MutatingAdmissionPolicy");

/**
 * Selects built-in plugins, identified by their names in kube-apiserver. Plugins that are enabled by default need not
 * be listed.
 */
export interface PluginSelection {
  readonly enable?: readonly string[] | undefined;
  readonly disable?: readonly string[] | undefined;
}

/**
 * Returns the errors in a selection of plugins, with kube-apiserver's messages.
 *
 * @see apiserver pkg/server/options AdmissionOptions.Validate
 */
export function selectionErrors({ enable = [], disable = [] }: PluginSelection): string[] {
  const known = new Set(pluginOrder);
  const unknown = (flag: string, names: readonly string[]): string[] =>
    names.filter((name) => !known.has(name)).map((name) => `${flag} plugin ${quote(name)} is unknown`);
  const both = [...new Set(enable)].filter((name) => disable.includes(name)).sort();
  return [
    ...unknown("enable-admission-plugins", enable),
    ...unknown("disable-admission-plugins", disable),
    ...(both.length > 0
      ? [`[${both.join(" ")}] in enable-admission-plugins and disable-admission-plugins overlapped`]
      : []),
  ];
}

/**
 * Returns the active plugins in kube-apiserver's order, regardless of the order of `builtIn`. The user's own plugins
 * run just before policies and webhooks.
 *
 * @throws {Error} if a name in the selection or in `builtIn` is not a kube-apiserver plugin, if a name is both enabled
 *   and disabled, or if a plugin that must be enabled is not in `builtIn`
 */
export function selectPlugins(
  builtIn: readonly AdmissionPlugin[],
  selection: PluginSelection = {},
  custom: readonly AdmissionPlugin[] = [],
): AdmissionPlugin[] {
  const { enable = [], disable = [] } = selection;
  const errors = selectionErrors(selection);
  for (const name of enable)
    if (errors.length === 0 && offByDefault.has(name) && !builtIn.some((plugin) => plugin.name === name))
      errors.push(`enable-admission-plugins plugin ${quote(name)} is not part of this server`);
  if (errors.length > 0) throw new Error(errors.length === 1 ? errors[0] : `[${errors.join(", ")}]`);
  const isOn = ({ name }: AdmissionPlugin): boolean =>
    enable.includes(name) || !(offByDefault.has(name) || disable.includes(name));
  const place = ({ name }: AdmissionPlugin): number => {
    const at = pluginOrder.indexOf(name);
    if (at === -1)
      throw new Error(
        `admission plugin ${quote(name)} is not a plugin of kube-apiserver, so its position in the order is unknown; remove it, or run npm run upstream`,
      );
    return at;
  };
  builtIn.forEach(place);
  const ordered = builtIn.filter(isOn).toSorted((a, b) => place(a) - place(b));
  return [
    ...ordered.filter((plugin) => place(plugin) < firstOfTheLast),
    ...custom,
    ...ordered.filter((plugin) => place(plugin) >= firstOfTheLast),
  ];
}
