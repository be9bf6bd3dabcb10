import { isRecord, type Unstructured } from "@kubewright/apimachinery";
import type { DescribedProgram } from "../generate/describe-program.ts";

/** A webhook in a configuration, reduced to the fields that are compared here. */
export interface Entry {
  readonly name: string;
  readonly type: "mutating" | "validating";
  /** Path of the service that API servers call. Undefined if the webhook has a URL instead of a service. */
  readonly path: string | undefined;
  readonly service: string | undefined;
  readonly rules: readonly {
    readonly groups: readonly string[];
    readonly versions: readonly string[];
    readonly resources: readonly string[];
  }[];
  /** The complete webhook, as in the configuration. */
  readonly webhook: Readonly<Record<string, unknown>>;
}

const textsIn = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : []);
const recordsIn = (value: unknown): Readonly<Record<string, unknown>>[] =>
  Array.isArray(value) ? value.filter(isRecord) : [];

export const isConfiguration = ({ kind, apiVersion }: Pick<Unstructured, "kind" | "apiVersion">): boolean =>
  apiVersion.startsWith("admissionregistration.k8s.io/") && kind.endsWith("ingWebhookConfiguration");

/** Returns the webhooks in a configuration. */
export function entriesOf(object: Pick<Unstructured, "kind"> & { readonly webhooks?: unknown }): Entry[] {
  const type = object.kind.startsWith("Mutating") ? "mutating" : "validating";
  return recordsIn(object.webhooks).map((webhook) => {
    const { service } = isRecord(webhook.clientConfig) ? webhook.clientConfig : {};
    const called = isRecord(service) ? service : undefined;
    const rules = recordsIn(webhook.rules).map((rule) => {
      return {
        groups: textsIn(rule.apiGroups),
        versions: textsIn(rule.apiVersions),
        resources: textsIn(rule.resources),
      };
    });
    return {
      name: String(webhook.name),
      type,
      path: called ? String(called.path ?? "/") : undefined,
      service: called ? `${String(called.namespace)}/${String(called.name)}` : undefined,
      rules,
      webhook,
    };
  });
}

/** Reports whether API servers send the same requests to both entries. */
export const isSameEntry = (a: Entry, b: Entry): boolean =>
  a.name === b.name && a.path === b.path && JSON.stringify(a.rules) === JSON.stringify(b.rules);

/** Returns the resources in the rules, such as `sites.shop.example.com`. */
export const resourcesOf = ({ rules }: Entry): string[] => [
  ...new Set(
    rules.flatMap(({ groups, resources }) =>
      groups.flatMap((group) => resources.map((resource) => (group === "" ? resource : `${resource}.${group}`))),
    ),
  ),
];

/**
 * Reports whether the program's pods can respond to calls from an entry in the deployed webhook configuration. This is
 * the case if the entry uses one of the program's paths, if the entry's kind no longer has a webhook (so that all
 * objects are allowed), or if the program can convert the version of the kind in the entry.
 */
export function isServed(
  entry: Entry,
  program: Pick<DescribedProgram, "webhooks" | "kinds" | "webhookConfigurations" | "certificates">,
): boolean {
  const { webhooks, certificates } = program;
  if (webhooks.some(({ path }) => path === entry.path)) return true;
  if (webhooks.length === 0 || !certificates?.secret) return false;
  return entry.rules.every(({ groups, versions, resources }) =>
    groups.every((group) =>
      resources.every((resource) =>
        versions.every((version) => hasWebhook({ ...entry, group, resource, version }, program)),
      ),
    ),
  );
}

interface Call extends Pick<Entry, "type"> {
  readonly group: string;
  readonly resource: string;
  readonly version: string;
}

function hasWebhook(
  { type, group, resource, version }: Call,
  { webhooks, kinds, webhookConfigurations }: Pick<DescribedProgram, "webhooks" | "kinds" | "webhookConfigurations">,
): boolean {
  const [plural] = resource.split("/");
  const about = webhooks.filter((one) => one.resource.group === group && one.resource.plural === plural);
  const present = about.filter((one) => one.type === type);
  if (present.length === 0 || present.some((one) => one.resource.version === version)) return true;
  // For a kind with a conversion, the webhooks' manifests contain a CRD that lists every version.
  const crds = [...webhookConfigurations, ...kinds.map(({ crd }) => crd)].filter(isRecord).filter(({ metadata }) => {
    return isRecord(metadata) && metadata.name === `${plural}.${group}`;
  });
  const spec = isRecord(crds[0]?.spec) ? crds[0].spec : {};
  return recordsIn(spec.versions).some(({ name }) => name === version);
}
