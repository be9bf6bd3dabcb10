import { type DeepReadonly, isNotFound } from "@kubewright/apimachinery";
import type { Reader } from "@kubewright/client";
import { MutatingWebhookConfiguration, ValidatingWebhookConfiguration } from "@kubewright/client/kinds";
import type { WebhookDeclaration } from "../admission/declaration.ts";

/** Names of a program's configurations, keyed by type. */
export type ConfigurationNames = Readonly<Record<WebhookDeclaration["type"], readonly string[]>>;

/** The parts of an entry's rule that determine the requests it matches. */
interface EntryRule {
  readonly apiGroups: readonly string[];
  readonly apiVersions: readonly string[];
  readonly resources: readonly string[];
}

/** A webhook that API servers call at a service. */
export interface LiveEntry {
  readonly type: WebhookDeclaration["type"];
  readonly name: string;
  readonly service: { readonly namespace: string; readonly name: string };
  readonly path: string;
  readonly rules: readonly EntryRule[];
  /** The CA bundle as base64-encoded PEM; empty if there is none. */
  readonly caBundle: string;
}

/** A webhook configuration in the cluster. */
export interface LiveConfiguration {
  readonly type: WebhookDeclaration["type"];
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  /** True if the configuration has a list of webhooks, even an empty one. */
  readonly hasList: boolean;
  /** Webhooks, in the order of the configuration. A webhook that is called at a URL is represented by `undefined`. */
  readonly entries: readonly (LiveEntry | undefined)[];
}

/** Maximum number of entries that are read. A program declares fewer. */
const maxEntries = 200;

/** Reads the existing configurations with these names from the server. */
export async function liveConfigurations(
  client: Pick<Reader, "get">,
  names: ConfigurationNames,
  signal: AbortSignal,
): Promise<LiveConfiguration[]> {
  const found: LiveConfiguration[] = [];
  for (const type of ["mutating", "validating"] as const)
    for (const name of names[type])
      try {
        const kind = type === "mutating" ? MutatingWebhookConfiguration : ValidatingWebhookConfiguration;
        const { metadata, webhooks } = await client.get<MutatingWebhookConfiguration | ValidatingWebhookConfiguration>(
          kind,
          name,
          { signal },
        );
        const { labels = {}, annotations = {} } = metadata;
        const entries = (webhooks ?? []).slice(0, maxEntries).map((one) => entryOf(type, one));
        found.push({ type, name, labels, annotations, hasList: webhooks !== undefined, entries });
      } catch (error) {
        if (!isNotFound(error)) throw error;
      }
  return found;
}

type Written = NonNullable<DeepReadonly<ValidatingWebhookConfiguration>["webhooks"]>[number];

function entryOf(type: LiveEntry["type"], { name, clientConfig, rules = [] }: Written): LiveEntry | undefined {
  const { service, caBundle = "" } = clientConfig;
  if (!service) return undefined;
  const about = rules.map(({ apiGroups = [], apiVersions = [], resources = [] }) => {
    return { apiGroups, apiVersions, resources };
  });
  const { namespace, name: serviceName, path = "/" } = service;
  return { type, name, service: { namespace, name: serviceName }, path, rules: about, caBundle };
}
