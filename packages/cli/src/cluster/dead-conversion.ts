import { type DeepReadonly, isForbidden, isInternalError, isNotFound, isRecord } from "@kubewright/apimachinery";
import type { Client } from "@kubewright/client";
import { CustomResourceDefinition, Service } from "@kubewright/client/kinds";
import { CommandError } from "../command/errors.ts";
import { objectsOf } from "./objects-of.ts";

type Definition = DeepReadonly<CustomResourceDefinition>;

/** A CRD whose objects cannot be read because the webhook that converts them does not respond. */
export interface DeadConversion {
  /** Name of the CRD, such as `sites.shop.example.com`. */
  readonly name: string;
  /** Error message of the API server. */
  readonly reason: string;
}

/**
 * Returns the CRDs whose objects the API server cannot convert. If all objects are stored in one version, no conversion
 * is needed.
 *
 * @param namespace namespace of the objects to read; default: all
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
    // The CRD was deleted in the meantime, and its objects with it.
    if (isNotFound(error)) return undefined;
    if (isInternalError(error) && error instanceof Error) return error.message;
    throw error;
  }
}

/**
 * Throws if there are CRDs whose objects cannot be read.
 *
 * @throws {CommandError} if `dead` is not empty; the message ends with `remedy`
 */
export function refuseDead(dead: readonly DeadConversion[], remedy: string): void {
  if (dead.length === 0) return;
  const lines = dead.map(
    ({ name, reason }) => `${name}: its objects cannot be read because no webhook converts them: ${reason}`,
  );
  throw new CommandError([...lines, `  kubewright deploy restores the webhook; ${remedy}`]);
}

interface ServiceKey {
  readonly namespace: string;
  readonly name: string;
}

/**
 * Rejects CRDs whose conversion service does not exist. If such a CRD were applied, its objects could be read and
 * deleted only in their stored version.
 *
 * @param manifests manifests to be applied
 * @throws {CommandError} with the remedy
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
      `${name} was not applied: the service ${service.namespace}/${service.name}, which converts its objects between ${names}, does not exist, so objects could be read or deleted only in their stored version`,
    );
  }
  if (lines.length > 0) throw new CommandError([...lines, `  ${remedy}`]);
}

function conversionService({ conversion }: Readonly<Record<string, unknown>>): ServiceKey | undefined {
  if (!isRecord(conversion) || conversion.strategy !== "Webhook" || !isRecord(conversion.webhook)) return undefined;
  const { clientConfig } = conversion.webhook;
  const { namespace, name } = isRecord(clientConfig) && isRecord(clientConfig.service) ? clientConfig.service : {};
  return typeof namespace === "string" && typeof name === "string" ? { namespace, name } : undefined;
}

/**
 * Reports whether the service exists.
 *
 * @param ifUnknown result if reading services is forbidden; default: throws the error
 */
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

/**
 * Sets the conversion to None, so that the API server can delete objects even though no webhook converts them. Their
 * content is no longer needed.
 */
export async function endConversion(
  client: Client,
  { name }: DeadConversion,
  options: { readonly dryRun?: boolean | undefined; readonly signal: AbortSignal },
): Promise<void> {
  const none = { strategy: "None", webhook: null } as const;
  await client.patch(CustomResourceDefinition, { name }, { spec: { conversion: none } }, options);
}
