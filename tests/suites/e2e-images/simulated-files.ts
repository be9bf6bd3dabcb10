import { posix } from "node:path";
import type { DeepReadonly } from "@kubewright/apimachinery";
import type { Pod } from "@kubewright/client/kinds";
import type { ContainerContext, VolumeFiles } from "@kubewright/controller-manager";
import type { ProcessFiles } from "./shell/process-world.ts";

export type Container = DeepReadonly<Pod>["spec"]["containers"][number];

/** Returns an image's name without registry, folders, tag and digest. */
export const baseName = (image: string): string => /([^/:@]+)(:[^/]*)?(@.*)?$/.exec(image)?.[1] ?? "";

/** Properties of a file or folder. */
export interface FileStatus {
  readonly isFolder: boolean;
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
}

interface StoredFile extends FileStatus {
  readonly content: Buffer;
}

export interface ContainerUser {
  readonly uid: number;
  readonly gid: number;
  /** All groups of the user. */
  readonly groups: readonly number[];
}

/** Returns the user that runs a container. The images' own user is root. */
export function userOf({ spec }: DeepReadonly<Pod>, { securityContext }: Container): ContainerUser {
  const uid = Number(securityContext?.runAsUser ?? spec.securityContext?.runAsUser ?? 0);
  const gid = Number(securityContext?.runAsGroup ?? spec.securityContext?.runAsGroup ?? 0);
  const { fsGroup, supplementalGroups = [] } = spec.securityContext ?? {};
  return { uid, gid, groups: [gid, ...supplementalGroups, ...(fsGroup === undefined ? [] : [fsGroup])].map(Number) };
}

/** Files that simulated containers write: to directories on their node, to a pod's volumes, or to a container's own layer. */
export class SimulatedFiles {
  readonly #files = new Map<string, StoredFile>();

  /** Returns a container's files. @param env variables in the paths of its mounts */
  async of(context: ContainerContext, container: Container, env: ReadonlyMap<string, string>): Promise<ContainerFiles> {
    const files = new ContainerFiles(this.#files, context, container, env);
    await files.refresh();
    return files;
  }

  /** Deletes a pod's files. */
  forget(podUid: string): void {
    for (const place of this.#files.keys()) if (place.startsWith(`pod:${podUid}:`)) this.#files.delete(place);
  }
}

type Volume = NonNullable<DeepReadonly<Pod>["spec"]["volumes"]>[number];

interface Mount {
  readonly volume: Volume;
  /** Path in the container. */
  readonly at: string;
  /** Path in the volume. */
  readonly within: string;
  readonly isReadOnly: boolean;
}

/** Location of a path. */
interface Place {
  /** Key of the location, which is the same for all containers that mount the volume. */
  readonly key: string;
  /** Path within a volume, if the path is in a volume. */
  readonly inside?: string;
  readonly volume?: Volume;
  readonly isReadOnly: boolean;
}

const imageFolders = new Set(["/", "/bin", "/dev", "/etc", "/home", "/proc", "/root", "/sys", "/tmp", "/usr", "/var"]);
/** Maximum size of all files that containers have written, in bytes. */
const mostBytes = 64 * 1_024 * 1_024;
const mostFiles = 10_000;
/** Numbers of file systems as `statfs` returns them; `mounttest` prints the name of only one. */
const ext4 = "61267";
const tmpfs = "tmpfs";

/** The files that one container sees: those of its volumes as the node mounts them, and those that containers have written. */
export class ContainerFiles implements ProcessFiles {
  readonly #written: Map<string, StoredFile>;
  readonly #context: ContainerContext;
  readonly #container: Container;
  readonly #mounts: readonly Mount[];
  readonly user: ContainerUser;
  #volumes: ReadonlyMap<string, VolumeFiles> = new Map();

  constructor(
    written: Map<string, StoredFile>,
    context: ContainerContext,
    container: Container,
    env: ReadonlyMap<string, string>,
  ) {
    this.#written = written;
    this.#context = context;
    this.#container = container;
    this.user = userOf(context.pod, container);
    this.#mounts = (container.volumeMounts ?? [])
      .map(({ name, mountPath, subPath = "", subPathExpr, readOnly = false }) => ({
        volume: context.pod.spec.volumes?.find((volume) => volume.name === name) ?? { name },
        at: mountPath.replace(/\/+$/, ""),
        within: context.expand([subPathExpr ?? ""], env)[0] || subPath,
        isReadOnly: readOnly,
      }))
      .toSorted((a, b) => b.at.length - a.at.length);
    for (const { at, within } of this.#mounts) if (within !== "") this.makeFolder(at);
  }

  /** Reads the volumes again. */
  async refresh(): Promise<void> {
    this.#volumes = await this.#context.volumes.read();
  }

  has(path: string): boolean {
    return this.#find(path)?.isFolder === false;
  }

  isFolder(path: string): boolean {
    return this.#find(path)?.isFolder ?? false;
  }

  read(path: string): string {
    return this.#find(path)?.content.toString() ?? "";
  }

  /** Returns the bytes of a file, or the reason that the container's user cannot read it. */
  open(path: string): Buffer | string {
    const found = this.#find(path);
    if (!found) return "no such file or directory";
    const { uid, groups } = this.user;
    const bits = uid === 0 ? 4 : (found.mode >> (uid === found.uid ? 6 : groups.includes(found.gid) ? 3 : 0)) & 4;
    return bits === 0 ? "permission denied" : found.content;
  }

  status(path: string): FileStatus | undefined {
    return this.#find(path);
  }

  /** Returns the type of a path's file system. */
  fileSystem(path: string): string {
    const { volume } = this.#placeOf(path);
    return volume && (volume.emptyDir ? volume.emptyDir.medium === "Memory" : !volume.hostPath) ? tmpfs : ext4;
  }

  refusal(path: string): string | undefined {
    const { isReadOnly } = this.#placeOf(path);
    if (isReadOnly) return "Read-only file system";
    if (this.isFolder(path)) return "Is a directory";
    const bytes = [...this.#written.values()].reduce((sum, { content }) => sum + content.length, 0);
    return bytes > mostBytes || this.#written.size > mostFiles ? "No space left on device" : undefined;
  }

  write(path: string, text: string, mode: number = 0o644): void {
    const { key, volume } = this.#placeOf(path);
    const fsGroup = volume?.emptyDir && this.#context.pod.spec.securityContext?.fsGroup;
    const gid = fsGroup === undefined ? this.user.gid : Number(fsGroup);
    this.#written.set(key, { isFolder: false, mode, uid: this.user.uid, gid, content: Buffer.from(text) });
  }

  makeFolder(path: string): void {
    const { key } = this.#placeOf(path);
    if (this.#find(path)) return;
    const { uid, gid } = this.user;
    this.#written.set(key, { isFolder: true, mode: 0o755, uid, gid, content: Buffer.alloc(0) });
  }

  remove(path: string): void {
    this.#written.delete(this.#placeOf(path).key);
  }

  #find(path: string): StoredFile | undefined {
    const { key, inside, volume } = this.#placeOf(path);
    const { fsGroup = 0 } = this.#context.pod.spec.securityContext ?? {};
    const folder = (mode: number): StoredFile => ({
      isFolder: true,
      mode,
      uid: 0,
      gid: Number(fsGroup),
      content: Buffer.alloc(0),
    });
    const files = volume && this.#volumes.get(volume.name);
    if (files && inside !== undefined) {
      const file = files.get(inside);
      if (file) return { isFolder: false, uid: 0, gid: Number(fsGroup), ...file };
      return inside === "" || [...files.keys()].some((each) => each.startsWith(`${inside}/`))
        ? folder(0o777)
        : undefined;
    }
    if (inside === "") return folder(0o777);
    const own = this.#written.get(key);
    if (own) return own;
    if (path === "/etc/hosts") return { ...folder(0o644), isFolder: false, content: Buffer.from(this.#hosts()) };
    const isFolder = imageFolders.has(path) || [...this.#written.keys()].some((each) => each.startsWith(`${key}/`));
    return isFolder ? folder(0o755) : undefined;
  }

  #placeOf(path: string): Place {
    const { pod, restartCount } = this.#context;
    const full = posix.resolve(this.#container.workingDir ?? "/", path);
    const own = `pod:${pod.metadata.uid}:`;
    const mount = this.#mounts.find(({ at }) => full === at || full.startsWith(`${at}/`));
    if (!mount) {
      const { name, securityContext, terminationMessagePath } = this.#container;
      const isReadOnly = securityContext?.readOnlyRootFilesystem === true && full !== terminationMessagePath;
      return { key: `${own}container:${name}:${restartCount}:${full}`, isReadOnly };
    }
    const { volume, at, within } = mount;
    const inside = posix.join(within, full.slice(at.length)).replace(/^\.?\/*|\/+$/g, "");
    const isReadOnly = mount.isReadOnly || this.#volumes.has(volume.name);
    const root = volume.hostPath ? `host:${pod.spec.nodeName}:${volume.hostPath.path}` : `${own}volume:${volume.name}:`;
    return { key: `${root}/${inside}`, inside, volume, isReadOnly };
  }

  /** Returns `/etc/hosts`. @see kubernetes pkg/kubelet managedHostsFileContent */
  #hosts(): string {
    const { pod, ip } = this.#context;
    const aliases = (pod.spec.hostAliases ?? []).map(({ ip, hostnames = [] }) => [ip, ...hostnames].join("\t"));
    return [
      "# Kubernetes-managed hosts file.",
      "127.0.0.1\tlocalhost",
      "::1\tlocalhost ip6-localhost ip6-loopback",
      `${ip}\t${pod.spec.hostname ?? pod.metadata.name}`,
      ...(aliases.length > 0 ? ["", "# Entries added by HostAliases.", ...aliases] : []),
      "",
    ].join("\n");
  }
}
