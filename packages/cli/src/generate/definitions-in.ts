import { resolve } from "node:path";
import { readManifests } from "@kubewright/client/apply";
import type { CommandContext } from "../command/context.ts";
import { CommandError } from "../command/errors.ts";

/** A CRD and its source. */
export interface FoundDefinition {
  readonly source: string;
  readonly value: object;
}

/** Reads CRDs from a file, a URL, or `-` for standard input. @throws {CommandError} if reading fails, or there are no CRDs */
export async function definitionsIn(
  { io, cwd }: CommandContext,
  place: string,
  signal: AbortSignal,
): Promise<FoundDefinition[]> {
  const at = place === "-" || /^https?:/.test(place) ? place : resolve(cwd, place);
  const read = await readManifests({ files: [at] }, { signal, ...(io.stdin ? { stdin: io.stdin } : {}) });
  const [bad] = read.unreadable;
  if (bad) throw new CommandError(`${bad.source}: ${bad.error.message}`, { cause: bad.error });
  const found = read.manifests.filter(({ object }) => object.kind === "CustomResourceDefinition");
  const [other] = read.manifests;
  if (found.length === 0)
    throw new CommandError(
      `${other?.source ?? at}: kind: ${JSON.stringify(other?.object.kind)} is not CustomResourceDefinition; pass manifests that contain at least one CRD`,
    );
  return found.map(({ source, object }) => ({ source, value: object }));
}
