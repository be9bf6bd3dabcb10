import { createWriteStream } from "node:fs";
import { mkdir, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Blob } from "./blob-source.ts";
import { type Descriptor, mediaTypes } from "./descriptor.ts";
import { tarEnd, tarHeader, tarPadding } from "./tar.ts";

/**
 * Writes an OCI image layout as a tar archive. The same image always gives the same file. On failure, no file is left
 * behind.
 *
 * @param root descriptor that the layout's index lists under `reference`
 */
export async function writeLayout(
  path: string,
  root: Descriptor,
  reference: string,
  blobs: readonly Blob[],
  signal: AbortSignal,
): Promise<void> {
  const annotations = {
    "io.containerd.image.name": reference,
    "org.opencontainers.image.ref.name": reference.slice(reference.lastIndexOf(":") + 1),
  };
  const { mediaType, digest, size } = root;
  const index = {
    schemaVersion: 2,
    mediaType: mediaTypes.index,
    manifests: [{ mediaType, digest, size, annotations }],
  };
  const draft = `${path}.${process.pid}.part`;
  await mkdir(dirname(path), { recursive: true });
  try {
    await pipeline(Readable.from(archive(index, blobs)), createWriteStream(draft), { signal });
    await rename(draft, path);
  } finally {
    await rm(draft, { force: true });
  }
}

async function* archive(index: object, blobs: readonly Blob[]): AsyncGenerator<Uint8Array> {
  yield* file("oci-layout", Buffer.from('{"imageLayoutVersion":"1.0.0"}'));
  yield* file("index.json", Buffer.from(JSON.stringify(index)));
  for (const name of ["blobs/", "blobs/sha256/"]) yield tarHeader({ name, size: 0, mode: 0o755 });
  const unique = new Map(blobs.map((blob) => [blob.descriptor.digest, blob]));
  for (const [digest, { descriptor, read }] of [...unique].sort(([a], [b]) => (a < b ? -1 : 1))) {
    yield tarHeader({ name: `blobs/${digest.replace(":", "/")}`, size: descriptor.size, mode: 0o644 });
    yield* read();
    yield tarPadding(descriptor.size);
  }
  yield tarEnd;
}

function* file(name: string, bytes: Buffer): Generator<Uint8Array> {
  yield tarHeader({ name, size: bytes.length, mode: 0o644 });
  yield bytes;
  yield tarPadding(bytes.length);
}
