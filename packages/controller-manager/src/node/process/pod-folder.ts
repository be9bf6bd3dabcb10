import { chmod, mkdir, mkdtemp, readdir, readFile, realpath, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve, sep } from "node:path";
import type { DeepReadonly } from "@kubewright/apimachinery";
import type { Pod } from "@kubewright/client/kinds";
import type { Clock, Timer } from "@kubewright/clock";
import { VolumeError } from "./volume-error.ts";
import { type VolumeFile, type VolumeParts, volumeFiles } from "./volume-files.ts";

export interface PodFolderOptions extends Omit<VolumeParts, "token"> {
  readonly clock: Clock;
  /** Told what became of keeping the volumes up to date. */
  readonly onError: (error: unknown) => void;
}

/** As kubelets look again at what is in volumes. */
const refreshMs = 60_000;
/** Of a token's life, after which there is a new one. @see kubernetes pkg/kubelet/token */
const freshPart = 0.8;

interface IssuedToken {
  readonly text: string;
  readonly freshUntil: number;
}

/**
 * What a pod has on this machine's disk: its volumes and what its containers write. A folder among the machine's temporary ones that its owner
 * alone may enter; gone with the pod.
 */
export class PodFolder {
  readonly #options: PodFolderOptions;
  readonly #tokens = new Map<string, IssuedToken>();
  #path: Promise<string> | undefined;
  #ready: Promise<string> | undefined;
  #timer: Timer | undefined;
  #refreshing: Promise<void> = Promise.resolve();
  #isGone = false;

  constructor(options: PodFolderOptions) {
    this.#options = options;
  }

  /**
   * Makes the volumes ready, once for all containers.
   *
   * @returns the folder
   * @throws {VolumeError} where one cannot be had; asking again tries again
   */
  prepare(): Promise<string> {
    this.#ready ??= this.#prepare().catch((error: unknown) => {
      this.#ready = undefined;
      throw error;
    });
    return this.#ready;
  }

  async remove(): Promise<void> {
    this.#isGone = true;
    this.#timer?.cancel();
    await this.#ready?.catch(() => {}); // whoever asked for it was told
    await this.#refreshing;
    if (this.#path) await rm(await this.#path, { recursive: true, force: true });
  }

  async #prepare(): Promise<string> {
    this.#path ??= mkdtemp(join(tmpdir(), "kubewright-pod-")).then((path) => realpath(path)); // 0700
    const path = await this.#path;
    await mkdir(join(path, "tmp"), { recursive: true });
    await this.#writeVolumes(path);
    this.#refreshLater(path);
    return path;
  }

  #refreshLater(path: string): void {
    if (this.#isGone) return;
    this.#timer = this.#options.clock.after(refreshMs, () => {
      this.#refreshing = this.#writeVolumes(path)
        .catch(this.#options.onError)
        .then(() => this.#refreshLater(path));
    });
  }

  async #writeVolumes(path: string): Promise<void> {
    const { clock: _, onError: _onError, ...parts } = this.#options;
    for (const volume of volumesOf(this.#options.pod)) {
      const folder = volumeFolder(path, volume.name);
      await mkdir(folder, { recursive: true });
      const files = await volumeFiles(volume, { ...parts, token: (...asked) => this.#token(...asked) }).catch(
        (error: unknown) => {
          const why = error instanceof Error ? error.message : String(error);
          throw new VolumeError(`MountVolume.SetUp failed for volume "${volume.name}" : ${why}`, { cause: error });
        },
      );
      if (files) await writeFiles(folder, files);
    }
  }

  async #token(path: string, make: () => Promise<string>, expirationSeconds: number): Promise<string> {
    const now = this.#options.clock.now();
    const issued = this.#tokens.get(path);
    if (issued && now < issued.freshUntil) return issued.text;
    const text = await make();
    this.#tokens.set(path, { text, freshUntil: now + expirationSeconds * 1_000 * freshPart });
    return text;
  }
}

const volumesOf = ({ spec }: DeepReadonly<Pod>) => spec.volumes ?? [];

/** Where a volume is in a pod's folder. */
export const volumeFolder = (podFolder: string, volume: string): string => inside(podFolder, join("volumes", volume));

/** A path in a folder. @throws {VolumeError} for one that leads out of it */
export function inside(folder: string, path: string): string {
  const found = resolve(folder, path);
  if (found !== folder && !found.startsWith(folder + sep))
    throw new VolumeError(`path "${path}" leads out of its volume`);
  return found;
}

/** Makes a folder hold these files and no others. What has not changed is not touched, and what has is never seen half written. */
async function writeFiles(folder: string, files: ReadonlyMap<string, VolumeFile>): Promise<void> {
  for (const [path, { content, mode }] of files) {
    const file = inside(folder, path);
    const before = await readFile(file).catch(() => undefined); // none yet
    if (before?.equals(content)) continue;
    await mkdir(dirname(file), { recursive: true });
    const next = `${file}.new`;
    await writeFile(next, content, { mode: 0o600 });
    await chmod(next, mode);
    await rename(next, file);
  }
  const wanted = new Set([...files.keys()].map((path) => relative(folder, inside(folder, path))));
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const file = join(entry.parentPath, entry.name);
    if (!entry.isDirectory() && !wanted.has(relative(folder, file))) await rm(file, { force: true });
  }
}
