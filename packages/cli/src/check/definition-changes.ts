import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { isNotFound } from "@kubewright/apimachinery";
import { readManifests } from "@kubewright/client/apply";
import { CustomResourceDefinition } from "@kubewright/client/kinds";
import { withClient } from "../cluster/connect.ts";
import type { ClusterFlags, CommandContext } from "../command/context.ts";
import { CommandError } from "../command/errors.ts";

/**
 * Reads the CRDs in a file or folder, and returns them keyed by name. @throws {CommandError} if there are no CRDs, or a
 * file cannot be read
 */
export async function definitionsOfFiles(place: string, signal: AbortSignal): Promise<Map<string, object>> {
  const { manifests, unreadable } = await readManifests({ files: [place], recursive: true }, { signal });
  // A kustomization has no name and is not an object.
  const [bad] = unreadable.filter(({ source }) => !/kustomization\.ya?ml$/.test(source));
  if (bad) throw new CommandError(`${bad.source}: ${bad.error.message}`, { cause: bad.error });
  const crds = manifests.filter(({ object }) => object.kind === "CustomResourceDefinition");
  if (crds.length === 0) throw new CommandError(`${place} contains no CustomResourceDefinition`);
  return new Map(crds.map(({ object }) => [object.metadata.name, object]));
}

/** Reads the most recently generated CRDs. Returns an empty map if there are none. */
export async function definitionsPrinted(root: string, signal: AbortSignal): Promise<Map<string, object>> {
  const place = resolve(root, "config/crd");
  return existsSync(place) ? definitionsOfFiles(place, signal) : new Map();
}

/**
 * Reads the CRDs from the cluster. Omits CRDs that do not exist there yet, because changing them cannot break anything.
 */
export function definitionsOfCluster(
  context: CommandContext,
  flags: ClusterFlags,
  names: readonly string[],
  signal: AbortSignal,
): Promise<Map<string, object>> {
  return withClient(context, flags, async (client) => {
    const found = new Map<string, object>();
    for (const name of names)
      try {
        found.set(name, await client.get(CustomResourceDefinition, name, { signal }));
      } catch (error) {
        if (!isNotFound(error)) throw error;
      }
    return found;
  });
}
