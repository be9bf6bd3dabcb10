import type { DeepReadonly } from "@kubewright/apimachinery";
import type { Pod } from "@kubewright/client/kinds";
import type { ProcessWorld } from "./shell/process-world.ts";

export type Container = DeepReadonly<Pod>["spec"]["containers"][number];

/** Returns an image's name without registry, folders, tag and digest. */
export const baseName = (image: string): string => /([^/:@]+)(:[^/]*)?(@.*)?$/.exec(image)?.[1] ?? "";

/** Files that simulated containers write: to directories on their node, to a pod's volumes, or to a container's own layer. */
export class SimulatedFiles {
  readonly #files = new Map<string, string>();

  /** Returns one container's files. @param run number of the container's run, because each run has its own layer */
  of(pod: DeepReadonly<Pod>, container: Container, run: number): ProcessWorld["files"] {
    const at = (path: string): string => placeOf(pod, container, run, path);
    return {
      has: (path) => this.#files.has(at(path)),
      read: (path) => this.#files.get(at(path)) ?? "",
      write: (path, text) => void this.#files.set(at(path), text),
      remove: (path) => void this.#files.delete(at(path)),
    };
  }

  /** Deletes a pod's files. */
  forget(podUid: string): void {
    for (const place of this.#files.keys()) if (place.startsWith(`pod:${podUid}:`)) this.#files.delete(place);
  }
}

function placeOf({ metadata, spec }: DeepReadonly<Pod>, container: Container, run: number, path: string): string {
  const own = `pod:${metadata.uid}:`;
  const mount = (container.volumeMounts ?? [])
    .filter(({ mountPath }) => path.startsWith(`${mountPath}/`))
    .toSorted((a, b) => b.mountPath.length - a.mountPath.length)[0];
  const volume = mount && spec.volumes?.find(({ name }) => name === mount.name);
  if (!mount || !volume) return `${own}container:${container.name}:${run}:${path}`;
  const inside = path.slice(mount.mountPath.length);
  return volume.hostPath
    ? `host:${spec.nodeName}:${volume.hostPath.path}${inside}`
    : `${own}volume:${volume.name}:${inside}`;
}
