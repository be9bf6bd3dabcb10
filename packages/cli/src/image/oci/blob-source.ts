import { createHash } from "node:crypto";
import { NotSoError } from "../../command/errors.ts";
import type { Descriptor } from "./descriptor.ts";

/** Where blobs are read from: a layout, a registry, memory. */
export interface BlobSource {
  /** Whose blobs they are, for messages: `oci:base`, `gcr.io/distroless/nodejs24`. */
  readonly name: string;
  /** What the index of all is; its `digest` is what a base is named by. */
  root(): Promise<Descriptor>;
  /** The bytes, as they come; whoever reads them checks them with {@link verified}. */
  open(descriptor: Descriptor): Promise<AsyncIterable<Uint8Array>>;
}

/** A blob of an image, and how it is read. */
export interface Blob {
  readonly descriptor: Descriptor;
  /** The bytes from the beginning, checked; it may be called again. */
  readonly read: () => AsyncIterable<Uint8Array>;
}

/** A blob that is in memory. */
export const blobOf = (descriptor: Descriptor, bytes: Uint8Array): Blob => ({
  descriptor,
  read: async function* () {
    yield bytes;
  },
});

/** A blob that is read from where it is. */
export const blobFrom = (source: BlobSource, descriptor: Descriptor): Blob => ({
  descriptor,
  read: async function* () {
    yield* verified(await source.open(descriptor), descriptor, source.name);
  },
});

/** Manifests, indexes and configurations are no longer than this. */
export const maxDocumentBytes = 4 * 1024 * 1024;

/**
 * Passes on what is read as long as it can still be what it must be, and fails at the end if it was not.
 *
 * @throws {NotSoError} if its length or its hash is another
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
    if (bytes > size) throw new NotSoError(`${from}: ${digest}: is longer than the ${size} bytes it should have`);
    hash.update(chunk);
    yield chunk;
  }
  if (bytes < size) throw new NotSoError(`${from}: ${digest}: ended after ${bytes} of ${size} bytes`);
  const found = `sha256:${hash.digest("hex")}`;
  if (found !== digest) throw new NotSoError(`${from}: ${digest}: what came is ${found}`);
}

/** A whole document, checked. @throws {NotSoError} if it is not what it must be, or longer than documents are */
export async function documentOf(source: BlobSource, descriptor: Descriptor): Promise<Buffer> {
  const { digest, size } = descriptor;
  if (size > maxDocumentBytes)
    throw new NotSoError(`${source.name}: ${digest}: has ${size} bytes, at most ${maxDocumentBytes} are read`);
  const chunks: Uint8Array[] = [];
  for await (const chunk of verified(await source.open(descriptor), descriptor, source.name)) chunks.push(chunk);
  return Buffer.concat(chunks);
}
