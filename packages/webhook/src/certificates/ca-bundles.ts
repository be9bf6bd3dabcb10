import {
  isConflict,
  isInvalid,
  isNotFound,
  type JsonPatchOperation,
  type ManagedFieldsEntry,
} from "@kubewright/apimachinery";
import {
  CustomResourceDefinition,
  MutatingWebhookConfiguration,
  ValidatingWebhookConfiguration,
} from "@kubewright/client/kinds";
import type { CertificateClient } from "./certificate-client.ts";

/** A configuration that calls the server, and so has to trust it. */
export interface CaBundleTarget {
  readonly kind: "MutatingWebhookConfiguration" | "ValidatingWebhookConfiguration" | "CustomResourceDefinition";
  readonly name: string;
}

/** A configuration as it was read. */
export interface ReadTarget extends CaBundleTarget {
  readonly resourceVersion: string | undefined;
  /** The names of its webhooks; none for a definition. */
  readonly webhooks: readonly string[];
  /** The bundle of each place that has one, base64; empty where there is none. */
  readonly bundles: readonly string[];
  /** Index of the injector in `managedFields`; absent if it owns nothing, or nobody else owns anything. */
  readonly owner: number | undefined;
}

const fieldOwner = "kubewright-ca-injector";

/**
 * What the configurations trust, read live. One that does not exist, and a definition that is not converted by a webhook, calls nobody and
 * is left out.
 */
export async function readTargets(
  client: CertificateClient,
  targets: readonly CaBundleTarget[],
  signal: AbortSignal,
): Promise<ReadTarget[]> {
  const read: ReadTarget[] = [];
  for (const target of targets) {
    const found = await readTarget(client, target, signal).catch((error: unknown) => {
      if (isNotFound(error)) return undefined;
      throw error;
    });
    if (found && found.bundles.length > 0) read.push(found);
  }
  return read;
}

async function readTarget(
  client: CertificateClient,
  { kind, name }: CaBundleTarget,
  signal: AbortSignal,
): Promise<ReadTarget> {
  if (kind === "CustomResourceDefinition") {
    const { metadata, spec } = await client.get(CustomResourceDefinition, name, { signal });
    const { strategy, webhook } = spec?.conversion ?? {};
    const bundles = strategy === "Webhook" ? [webhook?.clientConfig?.caBundle ?? ""] : [];
    const owner = ownerIn(metadata.managedFields);
    return { kind, name, resourceVersion: metadata.resourceVersion, webhooks: [], bundles, owner };
  }
  const read =
    kind === "MutatingWebhookConfiguration"
      ? client.get(MutatingWebhookConfiguration, name, { signal })
      : client.get(ValidatingWebhookConfiguration, name, { signal });
  const { metadata, webhooks = [] } = await read;
  return {
    kind,
    name,
    resourceVersion: metadata.resourceVersion,
    webhooks: webhooks.map((each) => each.name),
    bundles: webhooks.map(({ clientConfig }) => clientConfig.caBundle ?? ""),
    owner: ownerIn(metadata.managedFields),
  };
}

/** An API server puts the list back if it becomes empty. */
function ownerIn(entries: readonly Pick<ManagedFieldsEntry, "manager">[] = []): number | undefined {
  const index = entries.findIndex(({ manager }) => manager === fieldOwner);
  return index < 0 || entries.length < 2 ? undefined : index;
}

/** Whether all that was read trusts exactly this bundle, in PEM. */
export function isInjected(targets: readonly ReadTarget[], bundle: string): boolean {
  const wanted = Buffer.from(bundle).toString("base64");
  return targets.every(({ bundles }) => bundles.every((each) => each === wanted));
}

/**
 * Makes a configuration trust the bundle, and changes nothing else of it. It is written only over the version that was read: whoever read
 * the Secret after that version knew of every bundle that had been put there, so none is put back to an older one.
 *
 * @returns false if it was changed meanwhile
 */
export async function injectBundle(
  client: CertificateClient,
  { kind, name, resourceVersion, webhooks }: ReadTarget,
  bundle: string,
  signal: AbortSignal,
): Promise<boolean> {
  const caBundle = Buffer.from(bundle).toString("base64");
  const metadata = { name, ...(resourceVersion === undefined ? {} : { resourceVersion }) };
  const options = { fieldOwner, force: true, signal };
  const clientConfig = { caBundle };
  try {
    if (kind === "CustomResourceDefinition")
      await client.apply(
        CustomResourceDefinition,
        { metadata, spec: { conversion: { webhook: { clientConfig } } } },
        options,
      );
    else {
      const applied = { metadata, webhooks: webhooks.map((webhook) => ({ name: webhook, clientConfig })) };
      if (kind === "MutatingWebhookConfiguration") await client.apply(MutatingWebhookConfiguration, applied, options);
      else await client.apply(ValidatingWebhookConfiguration, applied, options);
    }
    return true;
  } catch (error) {
    if (isConflict(error) || isNotFound(error)) return false;
    throw error;
  }
}

/**
 * Gives up the injector's fields, whose values stay. Were it still an owner of an entry, whoever applies the configuration without that entry would
 * leave `name` and `caBundle` of it behind, which is not a valid webhook.
 *
 * @returns false if somebody else changed the configuration meanwhile
 */
export async function releaseBundle(
  client: CertificateClient,
  { kind, name, owner }: ReadTarget,
  signal: AbortSignal,
): Promise<boolean> {
  if (owner === undefined) return false;
  const entry = `/metadata/managedFields/${owner}`;
  const release: readonly JsonPatchOperation[] = [
    { op: "test", path: `${entry}/manager`, value: fieldOwner },
    { op: "remove", path: entry },
  ];
  const options = { type: "json", fieldOwner, signal } as const;
  try {
    if (kind === "CustomResourceDefinition") await client.patch(CustomResourceDefinition, name, release, options);
    else if (kind === "MutatingWebhookConfiguration")
      await client.patch(MutatingWebhookConfiguration, name, release, options);
    else await client.patch(ValidatingWebhookConfiguration, name, release, options);
    return true;
  } catch (error) {
    if (isConflict(error) || isInvalid(error) || isNotFound(error)) return false;
    throw error;
  }
}
