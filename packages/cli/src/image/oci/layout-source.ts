import { createReadStream, existsSync, statSync } from "node:fs";
import { type FileHandle, open, stat } from "node:fs/promises";
import { join } from "node:path";
import { CommandError, UsageError } from "../../command/errors.ts";
import { type BlobSource, maxDocumentBytes } from "./blob-source.ts";
import { type Descriptor, descriptorOf, mediaTypes } from "./descriptor.ts";
import { parseFields, parseIndex } from "./documents.ts";
import { blockBytes, parseTarHeader } from "./tar.ts";

/** A layout's files, in a folder or a tar archive. */
interface Files {
  /** Returns the location of a file, or undefined if it does not exist. */
  find(name: string): { readonly path: string; readonly start: number; readonly size: number } | undefined;
}

/** Maximum number of files in an archive. */
const maxEntries = 100_000;

/**
 * Opens an OCI image layout in a folder or a tar archive.
 *
 * @param name name for messages, as given by the user
 * @throws {UsageError} if `path` does not contain a layout
 */
export async function layoutSource(path: string, name: string): Promise<BlobSource> {
  const wrong = (problem: string): UsageError => new UsageError(`--base ${JSON.stringify(name)}: ${problem}`);
  if (!existsSync(path)) throw wrong("no such folder or file");
  const files = (await stat(path)).isDirectory()
    ? folderFiles(path)
    : await archiveFiles(path).catch((error: unknown) => {
        throw wrong(error instanceof Error ? error.message : String(error));
      });
  if (!files.find("oci-layout") || !files.find("index.json"))
    throw wrong(
      "not an OCI image layout: the files oci-layout and index.json are missing; create one with, for example, skopeo copy … oci:DIR",
    );
  const read = (file: string): AsyncIterable<Uint8Array> => {
    const found = files.find(file);
    if (!found) throw new CommandError(`${name}: ${file} is missing`);
    if (found.size === 0) return emptyFile();
    return createReadStream(found.path, { start: found.start, end: found.start + found.size - 1 });
  };
  const index = await indexOf(read("index.json"), name);
  const only = parseIndex(parseFields(index, `${name}: index.json`), `${name}: index.json`);
  const whole = descriptorOf(mediaTypes.index, index);
  return {
    name,
    // A layout index with a single entry only names that entry.
    root: async () => (only.length === 1 && only[0] ? only[0] : whole),
    open: async ({ digest }: Descriptor) =>
      digest === whole.digest ? read("index.json") : read(`blobs/${digest.replace(":", "/")}`),
  };
}

async function* emptyFile(): AsyncGenerator<Uint8Array> {}

async function indexOf(chunks: AsyncIterable<Uint8Array>, name: string): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > maxDocumentBytes)
      throw new CommandError(`${name}: index.json is larger than ${maxDocumentBytes} bytes`);
    parts.push(chunk);
  }
  return Buffer.concat(parts);
}

function folderFiles(folder: string): Files {
  return {
    find(name) {
      const path = join(folder, name);
      const found = statSync(path, { throwIfNoEntry: false });
      return found?.isFile() ? { path, start: 0, size: found.size } : undefined;
    },
  };
}

/** Finds the files in an archive by reading only its headers. */
async function archiveFiles(path: string): Promise<Files> {
  const places = new Map<string, { readonly start: number; readonly size: number }>();
  const { size: length } = await stat(path);
  const file = await open(path);
  try {
    for (let at = 0, count = 0; at + blockBytes <= length; count++) {
      if (count > maxEntries) throw new Error(`the archive contains more than ${maxEntries} entries`);
      const block = await blockAt(file, at);
      if (at === 0 && block[0] === 0x1f && block[1] === 0x8b)
        throw new Error("the archive is compressed; run gunzip first");
      const header = parseTarHeader(block);
      if (!header) break;
      const start = at + blockBytes;
      if (start + header.size > length) throw new Error(`${header.name} extends past the end of the archive`);
      if (header.type === "0") places.set(header.name.replace(/^\.\//, ""), { start, size: header.size });
      at = start + Math.ceil(header.size / blockBytes) * blockBytes;
    }
  } finally {
    await file.close();
  }
  return {
    find(name) {
      const place = places.get(name);
      return place && { path, ...place };
    },
  };
}

async function blockAt(file: FileHandle, position: number): Promise<Buffer> {
  const block = Buffer.alloc(blockBytes);
  const { bytesRead } = await file.read(block, 0, blockBytes, position);
  if (bytesRead < blockBytes) throw new Error("the archive ends in the middle of a header");
  return block;
}
