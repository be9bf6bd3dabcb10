import { type DeepReadonly, isForbidden, isInternalError, isNotFound, isRecord } from "@kubewright/apimachinery";
import type { Client } from "@kubewright/client";
import { CustomResourceDefinition, Service } from "@kubewright/client/kinds";
import { NotSoError } from "../command/errors.ts";
import { objectsOf } from "./objects-of.ts";

type Definition = DeepReadonly<CustomResourceDefinition>;

/** A definition whose objects cannot be read: a webhook is to convert them, and does not. */
export interface DeadConversion {
  /** `sites.shop.example.com` */
  readonly name: string;
  /** In the API server's words. */
  readonly reason: string;
}

/**
 * Those of the definitions that have objects which nobody converts. Where all are stored at one version nobody needs to.
 *
 * @param namespace whose objects are asked for; default: all
 */
export async function deadConversions(
  client: Client,
  definitions: readonly Definition[],
  namespace?: string,
): Promise<DeadConversion[]> {
  const dead: DeadConversion[] = [];
  for (const definition of definitions) {
    if (definition.spec.conversion?.strategy !== "Webhook") continue;
    const reason = await whyUnread(client, definition, namespace);
    if (reason !== undefined) dead.push({ name: definition.metadata.name, reason });
  }
  return dead;
}

async function whyUnread(client: Client, definition: Definition, namespace?: string): Promise<string | undefined> {
  try {
    await objectsOf(client, definition, { namespace, everyPage: true });
    return undefined;
  } catch (error) {
    // Nobody serves a definition any more whose last object has just gone.
    if (isNotFound(error)) return undefined;
    if (isInternalError(error) && error instanceof Error) return error.message;
    throw error;
  }
}

/** @throws {NotSoError} if there are any, with what can be done; `remedy` is that of who asks */
export function refuseDead(dead: readonly DeadConversion[], remedy: string): void {
  if (dead.length === 0) return;
  const lines = dead.map(
    ({ name, reason }) => `${name}: its objects cannot be read, for nobody converts them: ${reason}`,
  );
  throw new NotSoError([...lines, `  kubewright deploy brings back what converts them; ${remedy}`].join("\n"));
}

interface ServiceKey {
  readonly namespace: string;
  readonly name: string;
}

/**
 * Refuses definitions whose versions are converted by a service that does not exist. Once they are applied, nobody can read or delete an
 * object at another version than the one it is stored at.
 *
 * @param manifests that are about to be applied
 * @throws {NotSoError} with the remedy
 */
export async function refuseUnserved(
  client: Client,
  manifests: readonly { readonly object: Readonly<Record<string, unknown>> }[],
  remedy: string,
): Promise<void> {
  const lines: string[] = [];
  for (const { object } of manifests) {
    const { spec } = object;
    const service = isRecord(spec) ? conversionService(spec) : undefined;
    const versions = isRecord(spec) && Array.isArray(spec.versions) ? spec.versions.filter(isRecord) : [];
    if (!service || versions.length < 2 || (await hasService(client, service, true))) continue;
    const { name } = isRecord(object.metadata) ? object.metadata : {};
    const names = versions.map((version) => version.name).join(", ");
    lines.push(
      `${name}: not applied: its objects are converted between ${names} by the service ${service.namespace}/${service.name}, which does not exist, so they could not be read or deleted at a version that they are not stored at`,
    );
  }
  if (lines.length > 0) throw new NotSoError([...lines, `  ${remedy}`].join("\n"));
}

function conversionService({ conversion }: Readonly<Record<string, unknown>>): ServiceKey | undefined {
  if (!isRecord(conversion) || conversion.strategy !== "Webhook" || !isRecord(conversion.webhook)) return undefined;
  const { clientConfig } = conversion.webhook;
  const { namespace, name } = isRecord(clientConfig) && isRecord(clientConfig.service) ? clientConfig.service : {};
  return typeof namespace === "string" && typeof name === "string" ? { namespace, name } : undefined;
}

/** @param ifUnknown the answer where services may not be read; default: the error is thrown */
export async function hasService(
  client: Client,
  { namespace, name }: ServiceKey,
  ifUnknown?: boolean,
): Promise<boolean> {
  try {
    await client.get(Service, { namespace, name });
    return true;
  } catch (error) {
    if (isNotFound(error)) return false;
    if (ifUnknown !== undefined && isForbidden(error)) return ifUnknown;
    throw error;
  }
}

/** Without a conversion the API server reads them as they are stored, and can delete them. Nobody is to read them any more. */
export async function endConversion(
  client: Client,
  { name }: DeadConversion,
  options: { readonly dryRun?: boolean | undefined; readonly signal: AbortSignal },
): Promise<void> {
  const none = { strategy: "None", webhook: null } as const;
  await client.patch(CustomResourceDefinition, { name }, { spec: { conversion: none } }, options);
}
