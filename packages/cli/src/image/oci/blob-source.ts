import { createHash } from "node:crypto";
import { CommandError } from "../../command/errors.ts";
import type { Descriptor } from "./descriptor.ts";

/** A source of blobs: a layout, a registry or memory. */
export interface BlobSource {
  /** Name for messages, such as `oci:base` or `gcr.io/distroless/nodejs24`. */
  readonly name: string;
  /** Returns the descriptor of the top-level index or manifest. Its `digest` identifies a base image. */
  root(): Promise<Descriptor>;
  /** Opens a blob. The caller must check the bytes with {@link verified}. */
  open(descriptor: Descriptor): Promise<AsyncIterable<Uint8Array>>;
}

/** A blob in an image, and a function that reads it. */
export interface Blob {
  readonly descriptor: Descriptor;
  /** Reads the verified bytes from the beginning. May be called several times. */
  readonly read: () => AsyncIterable<Uint8Array>;
}

/** Creates a blob of bytes in memory. */
export const blobOf = (descriptor: Descriptor, bytes: Uint8Array): Blob => ({
  descriptor,
  read: async function* () {
    yield bytes;
  },
});

/** Creates a blob that is read from a source. */
export const blobFrom = (source: BlobSource, descriptor: Descriptor): Blob => ({
  descriptor,
  read: async function* () {
    yield* verified(await source.open(descriptor), descriptor, source.name);
  },
});

/** Maximum size of manifests, indexes and configurations, in bytes. */
export const maxDocumentBytes = 4 * 1024 * 1024;

/**
 * Yields a blob's chunks, and verifies its length and hash. Fails as soon as the blob is too long; all other errors are
 * detected at the end.
 *
 * @throws {CommandError} if the length or the hash differs
 */
export async function* verified(
  chunks: AsyncIterable<Uint8Array>,
  { digest, size }: Pick<Descriptor, "digest" | "size">,
  from: string,
): AsyncGenerator<Uint8Array, void, undefined> {
  const hash = createHash("sha256");
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > size) throw new CommandError(`${from}: ${digest} is larger than the expected ${size} bytes`);
    hash.update(chunk);
    yield chunk;
  }
  if (bytes < size) throw new CommandError(`${from}: ${digest} ended after ${bytes} of ${size} bytes`);
  const found = `sha256:${hash.digest("hex")}`;
  if (found !== digest) throw new CommandError(`${from}: ${digest}: the digest of the content is ${found}`);
}

/** Reads and verifies a complete document. @throws {CommandError} if the length or the hash differs, or the document is too large */
export async function documentOf(source: BlobSource, descriptor: Descriptor): Promise<Buffer> {
  const { digest, size } = descriptor;
  if (size > maxDocumentBytes)
    throw new CommandError(`${source.name}: ${digest} is ${size} bytes long; the maximum is ${maxDocumentBytes} bytes`);
  const chunks: Uint8Array[] = [];
  for await (const chunk of verified(await source.open(descriptor), descriptor, source.name)) chunks.push(chunk);
  return Buffer.concat(chunks);
}
