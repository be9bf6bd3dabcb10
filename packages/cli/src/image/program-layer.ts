import { gzipped } from "../build/gzip.ts";
import { digestOf } from "./oci/descriptor.ts";
import { tarOf } from "./oci/tar.ts";

/**
 * ID of the user as which programs run: `nonroot` in distroless images. It is a number so that clusters can verify that
 * the user is not root.
 */
export const nonroot = 65_532;

/** Folder that contains the program in an image. */
export const programFolder = "/app";
export const programPath = `${programFolder}/operator.mjs`;

/** Layer that contains the program. It is the same for every platform, because JavaScript is portable. */
export interface ProgramLayer {
  readonly bytes: Uint8Array;
  /** Digest of the uncompressed layer. */
  readonly diffId: string;
}

/**
 * Creates the layer. The same program always gives the same bytes, because the layer contains no timestamps and all
 * files have the same owner.
 */
export function programLayer(code: Uint8Array): ProgramLayer {
  const owner = nonroot;
  const archive = tarOf([
    { name: `${programFolder.slice(1)}/`, mode: 0o755, owner },
    { name: programPath.slice(1), mode: 0o755, owner, bytes: code },
  ]);
  return { bytes: gzipped(archive), diffId: digestOf(archive) };
}
