import { isDns1123Label } from "@kubewright/apimachinery";
import { errorText } from "@kubewright/log";
import { labelSelectorOf } from "../store/lister.ts";
import { allNamespaces, type CacheConfig, type NamespaceConfigs } from "./cache-config.ts";
import { fieldSelectorOf } from "./field-index.ts";

/** The settings that are validated. */
type Checked = Pick<CacheConfig, "labels" | "fields" | "resyncMs">;

/**
 * Validates settings.
 *
 * @param where owner of the fields, for messages
 * @throws {RangeError} for an invalid setting; the message contains field, value and remedy
 */
export function checkSettings(
  where: string,
  settings: Checked & { readonly namespaces?: NamespaceConfigs<Checked> | undefined },
): void {
  checkConfig(where, settings);
  for (const [namespace, config] of entriesOf<Checked>(settings.namespaces ?? [])) {
    const field = `${where}: namespaces`;
    if (namespace !== allNamespaces && isDns1123Label(namespace).length > 0)
      throw new RangeError(
        `${field}: ${JSON.stringify(namespace)} is not a valid namespace name; use a namespace, or "" (allNamespaces) for all others`,
      );
    checkConfig(`${field}[${JSON.stringify(namespace)}]`, config);
  }
}

/** Returns the namespaces and the settings of each. */
export const entriesOf = <C extends object>(
  namespaces: NamespaceConfigs<C>,
): readonly (readonly [namespace: string, config: C | Record<never, never>])[] =>
  isList(namespaces) ? namespaces.map((namespace) => [namespace, {}] as const) : Object.entries(namespaces);

const isList = (namespaces: NamespaceConfigs<unknown>): namespaces is readonly string[] => Array.isArray(namespaces);

function checkConfig(where: string, { labels, fields, resyncMs }: Checked): void {
  if (resyncMs !== undefined && !(resyncMs >= 0 && Number.isFinite(resyncMs)))
    throw new RangeError(`${where}: resyncMs: ${resyncMs} is not a valid period; use milliseconds, or 0 for never`);
  check(`${where}: labels`, labels, 'app=shop or { app: "shop" }', () => labelSelectorOf(labels));
  check(
    `${where}: fields`,
    fields,
    'status.phase!=Failed or { "spec.nodeName": "a" }',
    () => fields === undefined || fieldSelectorOf(fields),
  );
}

function check(field: string, value: unknown, remedy: string, parse: () => unknown): void {
  try {
    parse();
  } catch (cause) {
    const said = errorText(cause);
    throw new RangeError(`${field}: ${JSON.stringify(value)} is not a valid selector: ${said}; write ${remedy}`, {
      cause,
    });
  }
}
