import {
  chmod,
  chown,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve, sep } from "node:path";
import process from "node:process";
import type { DeepReadonly } from "@kubewright/apimachinery";
import type { Pod } from "@kubewright/client/kinds";
import type { Clock, Timer } from "@kubewright/clock";
import { VolumeError } from "./volume-error.ts";
import type { PodVolumes, Volume, VolumeFiles } from "./volume-files.ts";

export interface PodFolderOptions {
  readonly pod: DeepReadonly<Pod>;
  readonly volumes: PodVolumes;
  readonly clock: Clock;
  /** Group for the pod's processes. Default: this process's group. */
  readonly group?: number | undefined;
  /** Called with errors that occur while volumes are updated. */
  readonly onError: (error: unknown) => void;
}

/** Interval at which volumes are updated, which is the same as for kubelets. */
const refreshMs = 60_000;

/**
 * A pod's folder on this machine's disk. It contains the pod's volumes and its containers' files. It is a temporary
 * folder that only its owner can enter, and is deleted together with the pod.
 *
 * If the pod's processes run as a different user, their group can also enter the folder. The pod's processes can read
 * but not change the files that this process writes; otherwise, they could redirect this process's writes with a link.
 */
export class PodFolder {
  readonly #options: PodFolderOptions;
  #path: Promise<string> | undefined;
  #ready: Promise<string> | undefined;
  #timer: Timer | undefined;
  #refreshing: Promise<void> = Promise.resolve();
  #isGone = false;

  constructor(options: PodFolderOptions) {
    this.#options = options;
  }

  /**
   * Prepares the volumes. Does so only once, even if it is called for several containers.
   *
   * @returns the path of the folder
   *
   * @throws {VolumeError} if a volume is not available; call the function again to retry
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
    await this.#ready?.catch(() => {}); // the caller of `prepare` gets the error
    await this.#refreshing;
    if (this.#path) await rm(await this.#path, { recursive: true, force: true });
  }

  async #prepare(): Promise<string> {
    this.#path ??= mkdtemp(join(tmpdir(), "kubewright-pod-")).then((path) => realpath(path)); // 0700
    const path = await this.#path;
    await this.#handOver(path, 0o750);
    await this.makeFolder(join(path, "tmp"), path, true);
    await this.#writeVolumes(path);
    this.#refreshLater(path);
    return path;
  }

  /**
   * Creates a folder and its missing parents.
   *
   * @param within existing parent folder
   *
   * @param isWritable true if the pod's processes may write in the folder; otherwise, they may only read it
   */
  async makeFolder(path: string, within: string, isWritable: boolean): Promise<void> {
    if (path === within) return;
    await this.makeFolder(dirname(path), within, false);
    const isNew = await mkdir(path).then(() => true, ignoreExisting);
    if (isNew) await this.#handOver(path, isWritable ? 0o2770 : 0o750);
  }

  /** Atomically writes a file that the pod's processes may read but not change. */
  async writeFile(path: string, content: string | Uint8Array, mode: number): Promise<void> {
    const next = join(dirname(path), "..new"); // no object's key starts with this prefix
    await writeFile(next, content, { mode: 0o600 });
    if (this.#options.group === undefined) await chmod(next, mode);
    else await this.#handOver(next, (mode & 0o755) | ((mode & 0o500) >> 3));
    await rename(next, path);
  }

  /** Makes a file or folder accessible to the group of the pod's processes. */
  async #handOver(path: string, mode: number): Promise<void> {
    const { group } = this.#options;
    if (group === undefined) return;
    await chown(path, process.geteuid?.() ?? 0, group);
    await chmod(path, mode);
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
    const { pod, volumes } = this.#options;
    const all = pod.spec.volumes ?? [];
    for (const volume of all) checkType(volume);
    const files = await volumes.read();
    for (const { name, emptyDir } of all) {
      const folder = volumeFolder(path, name);
      await this.makeFolder(folder, path, emptyDir !== undefined);
      await this.#writeFiles(folder, files.get(name));
    }
  }

  /** Makes a folder contain exactly these files. Files that already have the right content are not written again. */
  async #writeFiles(folder: string, files: VolumeFiles | undefined): Promise<void> {
    if (!files) return; // the content of an emptyDir belongs to the containers
    for (const [path, { content, mode }] of files) {
      const file = inside(folder, path);
      const before = await lstat(file).catch(() => undefined); // no volumes yet
      const isSame = before?.isFile() && before.size === content.length && (await readFile(file)).equals(content);
      if (isSame) continue;
      await this.makeFolder(dirname(file), folder, false);
      await this.writeFile(file, content, mode);
    }
    const wanted = new Set([...files.keys()].map((path) => relative(folder, inside(folder, path))));
    for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
      const file = join(entry.parentPath, entry.name);
      if (!entry.isDirectory() && !wanted.has(relative(folder, file))) await rm(file, { force: true });
    }
  }
}

/** @throws {VolumeError} if processes do not support the type of a volume */
function checkType({ name, emptyDir, secret, configMap, downwardAPI, projected, ...others }: Volume): void {
  if (emptyDir ?? secret ?? configMap ?? downwardAPI ?? projected) return;
  throw new VolumeError(
    `volume "${name}": a container that runs as a process supports secret, configMap, projected, downwardAPI and emptyDir, but not ${Object.keys(others)[0]}`,
  );
}

/** Returns the path of a volume in a pod's folder. */
export const volumeFolder = (podFolder: string, volume: string): string => inside(podFolder, join("volumes", volume));

/** Returns a path within a folder. @throws {VolumeError} if the path leads out of the folder */
export function inside(folder: string, path: string): string {
  const found = resolve(folder, path);
  if (found !== folder && !found.startsWith(folder + sep))
    throw new VolumeError(`path "${path}" points outside its volume`);
  return found;
}

function ignoreExisting(error: unknown): false {
  if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
  throw error;
}
