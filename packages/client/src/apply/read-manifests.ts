import { spawn } from "node:child_process";
import { constants, createReadStream, openSync } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { Socket } from "node:net";
import { join } from "node:path";
import { Readable } from "node:stream";
import { type Manifests, maxTextBytes, parseManifests, type UnreadableManifest } from "./parse-manifests.ts";

/** The sources from which to read manifests. */
export interface ManifestSources {
  /** Files, folders, `http(s)` URLs, and `-` for standard input. */
  readonly files?: readonly string[] | undefined;
  /** True to also read subfolders. Default false. */
  readonly recursive?: boolean | undefined;
  /** Folders with a `kustomization.yaml`, built with the `kubectl` on the PATH. */
  readonly kustomize?: readonly string[] | undefined;
}

/** Options for {@link readManifests}: standard input, environment and signal. */
export interface ReadManifestsOptions {
  /** Standard input. Default `process.stdin`. */
  readonly stdin?: AsyncIterable<Uint8Array | string> | undefined;
  /** Signal that stops downloads, kubectl, and reading from pipes. Incompletely read sources are returned as unreadable. */
  readonly signal?: AbortSignal | undefined;
  /** Environment in which `kubectl` is looked up. Default `process.env`. */
  readonly env?: NodeJS.ProcessEnv | undefined;
}

/** Time after which a download fails if the server sends nothing. */
const fetchTimeoutMs = 30_000;
/** Maximum number of files read from folders. */
const maxFiles = 10_000;
const maxFolders = 64;

/**
 * Reads manifests from the same kinds of sources as kubectl. The result also lists manifests that cannot be read. From
 * folders, reads the files ending in `.yaml`, `.yml` or `.json`, in alphabetical order.
 *
 * @see cli-runtime pkg/resource Builder.FilenameParam
 */
export async function readManifests(sources: ManifestSources, options: ReadManifestsOptions = {}): Promise<Manifests> {
  const parts: Manifests[] = [];
  for (const file of sources.files ?? []) parts.push(...(await readAll(file, sources.recursive ?? false, options)));
  for (const folder of sources.kustomize ?? []) parts.push(await readText(folder, () => kustomized(folder, options)));
  return {
    manifests: parts.flatMap(({ manifests }) => manifests),
    unreadable: parts.flatMap(({ unreadable }) => unreadable),
  };
}

async function readAll(file: string, isRecursive: boolean, options: ReadManifestsOptions): Promise<Manifests[]> {
  if (file === "-")
    return [await readText("standard input", () => textOf(options.stdin ?? process.stdin, options.signal))];
  if (/^https?:\/\//.test(file)) return [await readText(file, () => fetched(file, options))];
  let paths: readonly string[];
  try {
    paths = (await stat(file)).isDirectory() ? await filesIn(file, isRecursive) : [file];
  } catch (error) {
    return [unreadable(file, error)];
  }
  const parts: Manifests[] = [];
  for (const path of paths) parts.push(await readText(path, () => fileText(path, options.signal)));
  return parts;
}

async function readText(source: string, read: () => Promise<string>): Promise<Manifests> {
  try {
    return parseManifests(await read(), source);
  } catch (error) {
    return unreadable(source, error);
  }
}

function unreadable(source: string, error: unknown): Manifests {
  const isMissing = error instanceof Error && "code" in error && error.code === "ENOENT";
  const known = isMissing ? new Error("there is no such file or folder") : error;
  const one: UnreadableManifest = { source, error: known instanceof Error ? known : new Error(String(known)) };
  return { manifests: [], unreadable: [one] };
}

async function filesIn(folder: string, isRecursive: boolean): Promise<string[]> {
  const found: string[] = [];
  const waiting = [{ folder, depth: 0 }];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const entries = await readdir(next.folder, { withFileTypes: true });
    for (const entry of entries) {
      const path = join(next.folder, entry.name);
      if (entry.isDirectory() && isRecursive && next.depth < maxFolders)
        waiting.push({ folder: path, depth: next.depth + 1 });
      else if ((entry.isFile() || entry.isSymbolicLink()) && /\.(?:ya?ml|json)$/.test(entry.name)) found.push(path);
    }
    if (found.length > maxFiles) throw new Error(`contains more than ${maxFiles} files`);
  }
  if (found.length === 0)
    throw new Error(
      `contains no .yaml, .yml or .json files${isRecursive ? "" : "; use --recursive to include its subfolders"}`,
    );
  return found.sort();
}

async function fileText(path: string, signal?: AbortSignal): Promise<string> {
  const found = await stat(path);
  if (found.isFIFO()) return pipeText(path, signal);
  if (found.size > maxTextBytes) throw new Error(`is ${found.size} bytes long; the maximum is ${maxTextBytes}`);
  return textOf(createReadStream(path), signal); // a device has no size
}

/**
 * Reads a named pipe. It waits for the pipe's writer asynchronously, because a plain open would block one of the process's threads and keep
 * the process from exiting.
 */
function pipeText(path: string, signal?: AbortSignal): Promise<string> {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  return textOf(new Socket({ fd, readable: true, writable: false }), signal);
}

/** Reads until the stream ends, the size limit is exceeded, or the signal aborts. */
async function textOf(stream: AsyncIterable<Uint8Array | string>, signal?: AbortSignal): Promise<string> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  aborted.catch(() => {}); // awaited only while reading
  const onAbort = (): void => {
    reject(new Error("interrupted before the whole input was read"));
    if (stream instanceof Readable) stream.destroy();
  };
  signal?.addEventListener("abort", onAbort, { once: true });
  if (signal?.aborted) onAbort();
  try {
    return await Promise.race([aborted, wholeText(stream)]);
  } finally {
    signal?.removeEventListener("abort", onAbort);
  }
}

async function wholeText(stream: AsyncIterable<Uint8Array | string>): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    const part = Buffer.from(chunk);
    bytes += part.length;
    if (bytes > maxTextBytes) throw new Error(`is larger than ${maxTextBytes} bytes`);
    chunks.push(part);
  }
  return Buffer.concat(chunks).toString("utf8");
}

async function fetched(url: string, { signal }: ReadManifestsOptions): Promise<string> {
  const { request } = await import("undici");
  let at = url;
  for (let hops = 0; hops < 10; hops++) {
    const { statusCode, headers, body } = await request(at, {
      headersTimeout: fetchTimeoutMs,
      bodyTimeout: fetchTimeoutMs,
      ...(signal ? { signal } : {}),
    });
    const { location } = headers;
    if (statusCode >= 300 && statusCode < 400 && typeof location === "string") {
      await body.dump();
      at = new URL(location, at).href;
      if (!/^https?:/.test(at)) throw new Error(`redirects to ${at}, which is not an http or https URL`);
      continue;
    }
    if (statusCode === 200) return textOf(body);
    await body.dump();
    throw new Error(`the server responded with status ${statusCode}`);
  }
  throw new Error("redirects more than ten times");
}

/** Builds a folder with kubectl, which includes kustomize. */
async function kustomized(folder: string, { env = process.env, signal }: ReadManifestsOptions): Promise<string> {
  const child = spawn("kubectl", ["kustomize", folder], {
    env,
    stdio: ["ignore", "pipe", "pipe"],
    ...(signal ? { signal } : {}),
  });
  const { promise: ended, resolve, reject } = Promise.withResolvers<number | null>();
  child.once("error", (error: NodeJS.ErrnoException) =>
    reject(
      error.code === "ENOENT"
        ? new Error(
            "building kustomize folders requires kubectl, which is not in PATH; install it, or pipe the built manifests to -f -",
          )
        : error,
    ),
  );
  child.once("close", resolve);
  const reading = Promise.all([textOf(child.stdout), textOf(child.stderr)]);
  try {
    const [[text, stderr], code] = await Promise.all([reading, ended]);
    if (code !== 0) throw new Error(`kubectl kustomize: ${stderr.trim() || `exited with ${code}`}`);
    return text;
  } catch (error) {
    child.kill();
    throw error;
  }
}
