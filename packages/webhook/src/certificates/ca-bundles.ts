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

/** A configuration that contains the server's CA bundle. */
export interface CaBundleTarget {
  readonly kind: "MutatingWebhookConfiguration" | "ValidatingWebhookConfiguration" | "CustomResourceDefinition";
  readonly name: string;
}

/** A configuration as read from the API server. */
export interface ReadTarget extends CaBundleTarget {
  readonly resourceVersion: string | undefined;
  /** Names of its webhooks; empty for a CRD. */
  readonly webhooks: readonly string[];
  /** The base64-encoded bundle from each field that can contain one; an empty string if the field is empty. */
  readonly bundles: readonly string[];
  /** Index of the injector in `managedFields`. Absent if the injector owns nothing, or is the only owner. */
  readonly owner: number | undefined;
}

const fieldOwner = "kubewright-ca-injector";

/** Reads the configurations' CA bundles from the server. Skips configurations that do not exist, and CRDs without a conversion webhook. */
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

/**
 * Returns the index of the injector's entry. If it is the only entry, returns `undefined`, because the API server would restore an empty
 * list.
 */
function ownerIn(entries: readonly Pick<ManagedFieldsEntry, "manager">[] = []): number | undefined {
  const index = entries.findIndex(({ manager }) => manager === fieldOwner);
  return index < 0 || entries.length < 2 ? undefined : index;
}

/** Reports whether all given configurations contain exactly this bundle (PEM). */
export function isInjected(targets: readonly ReadTarget[], bundle: string): boolean {
  const wanted = Buffer.from(bundle).toString("base64");
  return targets.every(({ bundles }) => bundles.every((each) => each === wanted));
}

/**
 * Writes the bundle into a configuration and changes nothing else. The write fails if the configuration has changed
 * since it was read. Replicas read the Secret after the configuration, so the bundle to write is never older than the
 * one in the configuration.
 *
 * @returns false if the configuration was changed in the meantime
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
 * Gives up the injector's ownership of its fields; the fields keep their values. If the injector still owned fields in
 * an entry, applying the configuration without this entry would leave its `name` and `caBundle` behind, which are not a
 * valid webhook.
 *
 * @returns false if the configuration was changed in the meantime
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
