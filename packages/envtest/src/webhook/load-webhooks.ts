import { documentsAt } from "../bed/manifests.ts";
import { type Configuration, isConfiguration, type WebhookSource } from "./webhook-source.ts";

/**
 * Loads webhook configurations from sources. If several configurations have the same name, the last one wins. Ignores
 * documents of other kinds in files.
 *
 * @throws {Error} if an object is not a webhook configuration, or if a path does not exist or contains no webhook configuration
 * @see controller-runtime pkg/envtest WebhookInstallOptions
 */
export function loadWebhooks(sources: readonly WebhookSource[]): Configuration[] {
  const byName = new Map<string, Configuration>();
  for (const source of sources)
    for (const one of typeof source === "string" ? fromPath(source) : [fromObject(source)])
      byName.set(`${one.kind}/${one.metadata.name}`, one);
  return [...byName.values()];
}

function fromObject(value: object): Configuration {
  if (isConfiguration(value)) return value;
  throw new Error(`not a webhook configuration: ${JSON.stringify(value)?.slice(0, 200)}`);
}

function fromPath(path: string): Configuration[] {
  const documents = documentsAt(path);
  if (!documents) throw new Error(`no webhook configurations found at ${path}: no such file or folder`);
  const found = documents.filter(isConfiguration);
  if (found.length === 0)
    throw new Error(
      `no webhook configurations found at ${path}: it contains no MutatingWebhookConfiguration or ValidatingWebhookConfiguration`,
    );
  return found;
}
