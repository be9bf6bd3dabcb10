import { gzipped } from "../build/gzip.ts";
import { digestOf } from "./oci/descriptor.ts";
import { tarOf } from "./oci/tar.ts";

/** Who programs run as: `nonroot` of distroless images. A number, so that a cluster can see that it is not root. */
export const nonroot = 65_532;

/** Where the program is in an image. */
export const programFolder = "/app";
export const programPath = `${programFolder}/operator.mjs`;

/** The one layer that is ours. JavaScript has no architecture: it serves every platform. */
export interface ProgramLayer {
  readonly bytes: Uint8Array;
  /** Of what is compressed in it. */
  readonly diffId: string;
}

/** The same program gives the same bytes: no times, one owner. */
export function programLayer(code: Uint8Array): ProgramLayer {
  const owner = nonroot;
  const archive = tarOf([
    { name: `${programFolder.slice(1)}/`, mode: 0o755, owner },
    { name: programPath.slice(1), mode: 0o755, owner, bytes: code },
  ]);
  return { bytes: gzipped(archive), diffId: digestOf(archive) };
}
