import { type DeepReadonly, isInternalError, isNotFound } from "@kubewright/apimachinery";
import type { Client } from "@kubewright/client";
import { CustomResourceDefinition } from "@kubewright/client/kinds";
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

/** Without a conversion the API server reads them as they are stored, and can delete them. Nobody is to read them any more. */
export async function endConversion(
  client: Client,
  { name }: DeadConversion,
  options: { readonly dryRun?: boolean | undefined; readonly signal: AbortSignal },
): Promise<void> {
  const none = { strategy: "None", webhook: null } as const;
  await client.patch(CustomResourceDefinition, { name }, { spec: { conversion: none } }, options);
}
