import { existsSync, readFileSync } from "node:fs";
import { readdir, readFile, stat } from "node:fs/promises";
import { dirname } from "node:path";
import process from "node:process";
import type { DeepReadonly } from "@kubewright/apimachinery";
import type { Pod } from "@kubewright/client/kinds";
import { type Clock, systemRandom } from "@kubewright/clock";
import { ContainerConfigError, checkNonRoot } from "../container-checks.ts";
import type { Container } from "./downward-values.ts";

/** User and group of a process. The process has no supplementary groups. */
export interface ProcessUser {
  readonly uid: number;
  readonly gid: number;
}

/** Default user for containers if the control plane runs as root. It is the `nonroot` user of distroless images. */
const nonroot = 65_532;
/** Range of groups for pods that do not specify a group. Neither distributions nor systemd use this range. */
const podGroups = { first: 1_879_048_192, last: 2_147_352_575 };

/** Returns the user of this process, or `undefined` on Windows, which has no numeric user IDs. */
export function ownUser(): ProcessUser | undefined {
  const [uid, gid] = [process.geteuid?.(), process.getegid?.()];
  return uid === undefined || gid === undefined ? undefined : { uid, gid };
}

/**
 * Returns the group for all processes and files of a pod: the `runAsGroup` of the pod or its containers, if any.
 * Otherwise, the pod gets a group of its own, so that pods with the same user cannot read each other's files.
 *
 * @param own the user of this process
 *
 * @returns `undefined` if this process is not allowed to choose a group; the pod then has this process's group
 * @throws {ContainerConfigError} if a group cannot be applied
 */
export function podGroup({ spec }: DeepReadonly<Pod>, own: ProcessUser | undefined): number | undefined {
  const containers = [...spec.containers, ...(spec.initContainers ?? [])];
  const groups = new Set(
    containers.flatMap(({ securityContext }) => securityContext?.runAsGroup ?? spec.securityContext?.runAsGroup ?? []),
  );
  const [group] = groups;
  if (own?.uid !== 0) {
    if (group !== undefined && (groups.size > 1 || group !== own?.gid))
      throw notKept("runAsGroup", group, own, own?.gid);
    return undefined;
  }
  if (groups.size > 1)
    throw new ContainerConfigError(
      `runAsGroup: the containers of a pod that run as processes share its files, and need one group, not ${[...groups].join(" and ")}; set it for the pod`,
    );
  const { first, last } = podGroups;
  if (group === undefined) return isMapped(first, last) ? first + systemRandom.integer(last + 1 - first) : nonroot;
  if (group < first || group > last) return group;
  throw new ContainerConfigError(
    `runAsGroup ${group}: groups from ${first} to ${last} are reserved for pods without a group; choose another`,
  );
}

/** Reports whether all groups in a range exist in this process's user namespace. In a rootless container, many groups do not exist. */
function isMapped(first: number, last: number): boolean {
  const map = "/proc/self/gid_map";
  if (!existsSync(map)) return true;
  const ranges = readFileSync(map, "utf8").trim().split("\n");
  return ranges.some((line) => {
    const [start = 0, , length = 0] = line.trim().split(/\s+/).map(Number);
    return start <= first && last < start + length;
  });
}

/**
 * Returns the user as which a container runs: the `runAsUser` of the container or its pod. If neither is set, the user
 * is 65532 if this process runs as root, and this process's user otherwise.
 *
 * @param group the pod's group, from {@link podGroup}
 *
 * @returns `undefined` for the user of this process
 * @throws {ContainerConfigError} if a user cannot be applied
 */
export function containerUser(
  pod: DeepReadonly<Pod>,
  container: Container,
  own: ProcessUser | undefined,
  group: number | undefined,
): ProcessUser | undefined {
  checkNonRoot(pod, container);
  const uid = container.securityContext?.runAsUser ?? pod.spec.securityContext?.runAsUser;
  if (own?.uid === 0) return { uid: uid ?? nonroot, gid: group ?? nonroot };
  if (uid !== undefined && uid !== own?.uid) throw notKept("runAsUser", uid, own, own?.uid);
  return undefined;
}

function notKept(field: string, wanted: number, own: ProcessUser | undefined, actual: number | undefined): Error {
  if (!own)
    return new ContainerConfigError(
      `${field} ${wanted}: processes on Windows have no numeric user or group; remove it`,
    );
  return new ContainerConfigError(
    `${field} ${wanted}: the control plane runs as user ${own.uid} and can start processes only as that user; remove ${field}, set it to ${actual}, or run the control plane as root`,
  );
}

/** Number and interval of the checks in {@link endProcessesOf}. */
const looks = { most: 200, everyMs: 10 };

/**
 * Kills all processes in a group that {@link podGroup} reserved for a pod, including processes that have started their
 * own session. Does nothing if other processes may use the group too, or if the system has no `/proc`.
 */
export async function endProcessesOf(group: number, clock: Clock): Promise<void> {
  if (group < podGroups.first || group > podGroups.last) return;
  for (let look = 0; look < looks.most; look++) {
    const left = await processesOf(group);
    if (left.length === 0) return;
    for (const pid of left)
      try {
        process.kill(pid, "SIGKILL");
      } catch {} // the process has exited
    await clock.sleep(looks.everyMs);
  }
}

async function processesOf(group: number): Promise<number[]> {
  const entries = await readdir("/proc").catch(() => []);
  const found: number[] = [];
  for (const entry of entries.filter((name) => /^\d+$/.test(name))) {
    const status = await readFile(`/proc/${entry}/status`, "utf8").catch(() => ""); // the process has exited
    if (new RegExp(`^Gid:\\s+${group}\\s`, "m").test(status) && !/^State:\s+[ZX]/m.test(status))
      found.push(Number(entry));
  }
  return found;
}

/**
 * Checks a user's access to a path and its parent folders. Returns the first one that the user cannot enter or execute,
 * or `undefined` if the user can access all of them.
 */
export async function closedTo({ uid, gid }: ProcessUser, path: string): Promise<string | undefined> {
  const parent = dirname(path);
  const closed = parent === path ? undefined : await closedTo({ uid, gid }, parent);
  if (closed !== undefined || uid === 0) return closed;
  const found = await stat(path);
  const bit = found.uid === uid ? 0o100 : found.gid === gid ? 0o010 : 0o001;
  return (found.mode & bit) === 0 ? path : undefined;
}
