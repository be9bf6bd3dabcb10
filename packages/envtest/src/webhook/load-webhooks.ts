import { documentsAt } from "../bed/manifests.ts";
import { type Configuration, isConfiguration, type WebhookSource } from "./webhook-source.ts";

/**
 * The webhook configurations that the sources mean. One that is named twice is taken once, in the form named last. Documents of other
 * kinds in a file are passed over.
 *
 * @throws {Error} if an object is no webhook configuration, or a path is not there or has none
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
  throw new Error(`this is no webhook configuration: ${JSON.stringify(value)?.slice(0, 200)}`);
}

function fromPath(path: string): Configuration[] {
  const documents = documentsAt(path);
  if (!documents) throw new Error(`there are no webhook configurations at ${path}: no such file or folder`);
  const found = documents.filter(isConfiguration);
  if (found.length === 0)
    throw new Error(`there are no webhook configurations at ${path}: no object there is of such a kind`);
  return found;
}
