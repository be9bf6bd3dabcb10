import { ContainerConfigError } from "../container-checks.ts";
import type { Container } from "./downward-values.ts";
import { inside, volumeFolder } from "./pod-folder.ts";

/** Pattern for the characters that may precede a path. */
const before = String.raw`(?<=^|[\s=:,;'"\`([{]|\bfile://)`;
const behind = String.raw`(?=$|[/\s:,;'"\`)\]}?#])`;
/** Maximum length of a path on Linux. */
const longestPath = 4_096;

/**
 * Returns a function that replaces container paths with paths on this machine. Because a process has no mounts of its
 * own, each of the container's `mountPath`s is replaced, whether it stands alone or begins a longer path.
 *
 * @throws {ContainerConfigError} if a mount is not supported
 */
export function mountedPaths(podFolder: string, { volumeMounts = [] }: Container): (text: string) => string {
  const places = new Map<string, string>();
  for (const { name, mountPath, subPath, subPathExpr } of volumeMounts) {
    if (subPathExpr)
      throw new ContainerConfigError(
        `volumeMount "${mountPath}": subPathExpr is not supported for containers that run as processes`,
      );
    if (mountPath.length > longestPath)
      throw new ContainerConfigError(`volumeMount of "${name}": mountPath is longer than ${longestPath} characters`);
    const path = mountPath.replace(/(?<!\/)\/+$/, "");
    if (path === "")
      throw new ContainerConfigError(
        `volumeMount "${mountPath}": a container that runs as a process cannot mount a volume as its root folder`,
      );
    places.set(path, inside(volumeFolder(podFolder, name), subPath ?? "."));
  }
  if (places.size === 0) return (text) => text;
  const longestFirst = [...places.keys()].toSorted((a, b) => b.length - a.length).map(escaped);
  const pattern = new RegExp(`${before}(?:${longestFirst.join("|")})${behind}`, "g");
  return (text) => text.replace(pattern, (path) => places.get(path) ?? path);
}

const escaped = (path: string): string => path.replace(/[.*+?^${}()|[\]\\-]/g, "\\$&");
