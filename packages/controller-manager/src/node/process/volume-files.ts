import { posix } from "node:path";
import type { DeepReadonly } from "@kubewright/apimachinery";
import type { Pod } from "@kubewright/client/kinds";
import type { Clock } from "@kubewright/clock";
import type { PodSources, SourceData } from "../pod-sources.ts";
import { fieldValue, type PodAddresses, resourceValue } from "./downward-values.ts";
import { VolumeError } from "./volume-error.ts";

export type Volume = NonNullable<DeepReadonly<Pod>["spec"]["volumes"]>[number];
type Projection = NonNullable<NonNullable<Volume["projected"]>["sources"]>[number];
type DownwardItem = NonNullable<NonNullable<Volume["downwardAPI"]>["items"]>[number];
interface KeyToPath {
  readonly key: string;
  readonly path: string;
  readonly mode?: number | undefined;
}

/** A file in a volume. */
export interface VolumeFile {
  readonly content: Buffer;
  /** Permissions, such as `0o644`. */
  readonly mode: number;
}

/** Files, keyed by their paths within a volume, such as `deep/a.yaml`. */
export type VolumeFiles = ReadonlyMap<string, VolumeFile>;

/** A pod's volumes. */
export interface PodVolumes {
  /**
   * Reads the volumes whose files come from the API server: secret, configMap, projected and downwardAPI. Returns their
   * current files, keyed by volume name.
   *
   * @throws {VolumeError} if an object or key does not exist, or if the volumes are too large
   */
  read(): Promise<ReadonlyMap<string, VolumeFiles>>;
}

export interface VolumeParts extends PodAddresses {
  /** Returns the pod's last known state. */
  readonly pod: () => DeepReadonly<Pod>;
  readonly sources: PodSources;
  readonly clock: Clock;
}

interface ReadParts extends PodAddresses {
  readonly pod: DeepReadonly<Pod>;
  readonly sources: PodSources;
  /** Returns the token for the file at a path: the file's previous token until it is due for renewal, then a new token. */
  readonly token: (path: string, make: () => Promise<string>, expirationSeconds: number) => Promise<string>;
}

interface IssuedToken {
  readonly text: string;
  readonly freshUntil: number;
}

const defaultMode = 0o644;
const defaultTokenSeconds = 3_600;
/** Fraction of a token's lifetime after which it is renewed. @see kubernetes pkg/kubelet/token */
const freshPart = 0.8;
/** Maximum size of the files in a pod's volumes, in bytes. */
const mostBytes = 64 * 1_024 * 1_024;
/** Maximum number of files in a pod's volumes. */
const mostFiles = 10_000;

/** Returns access to a pod's volumes. */
export function podVolumes({ pod, sources, clock, ...addresses }: VolumeParts): PodVolumes {
  const tokens = new Map<string, IssuedToken>();
  const token: ReadParts["token"] = async (path, make, expirationSeconds) => {
    const now = clock.now();
    const issued = tokens.get(path);
    if (issued && now < issued.freshUntil) return issued.text;
    const text = await make();
    tokens.set(path, { text, freshUntil: now + expirationSeconds * 1_000 * freshPart });
    return text;
  };
  return {
    async read() {
      const current = pod();
      const all = new Map<string, VolumeFiles>();
      let [bytes, count] = [0, 0];
      for (const volume of current.spec.volumes ?? []) {
        const files = await volumeFiles(volume, { pod: current, sources, token, ...addresses }).catch(
          (error: unknown) => {
            const why = error instanceof Error ? error.message : String(error);
            throw new VolumeError(`MountVolume.SetUp failed for volume "${volume.name}" : ${why}`, { cause: error });
          },
        );
        if (!files) continue;
        count += files.size;
        for (const { content } of files.values()) bytes += content.length;
        if (bytes > mostBytes || count > mostFiles)
          throw new VolumeError(`the volumes contain more than ${mostFiles} files or ${mostBytes} bytes`);
        all.set(volume.name, files);
      }
      return all;
    },
  };
}

/**
 * Returns a volume's files, or `undefined` if the volume's content does not come from the API server.
 *
 * @see kubernetes pkg/volume/{secret,configmap,projected,downwardapi}
 */
async function volumeFiles(
  { name, secret, configMap, downwardAPI, projected }: Volume,
  parts: ReadParts,
): Promise<VolumeFiles | undefined> {
  if (secret) {
    const { secretName = "", optional, items, defaultMode: mode } = secret;
    return secretFiles(parts, { name: secretName, optional, items }, mode);
  }
  if (configMap) return configMapFiles(parts, configMap, configMap.defaultMode);
  if (downwardAPI) return downwardFiles(parts, downwardAPI.items, downwardAPI.defaultMode);
  if (!projected) return undefined;
  const all = new Map<string, VolumeFile>();
  for (const source of projected.sources ?? [])
    for (const [path, file] of await projectedFiles(parts, name, source, projected.defaultMode)) all.set(path, file);
  return all;
}

/**
 * Returns a path without superfluous slashes and dots, as the file system sees it.
 *
 * @throws {VolumeError} if the path leads out of the volume
 */
function pathInside(path: string): string {
  const inside = posix.normalize(path);
  if (posix.isAbsolute(inside) || /^\.\.?(\/|$)/.test(inside))
    throw new VolumeError(`path "${path}" points outside its volume`);
  return inside;
}

/** Returns a file's permissions. If the pod has an `fsGroup`, this group may read the file. @see kubernetes pkg/volume SetVolumeOwnership */
const modeFor = ({ spec }: DeepReadonly<Pod>, mode: number = defaultMode): number =>
  spec.securityContext?.fsGroup === undefined ? mode : mode | 0o440;

interface ObjectRef {
  readonly name?: string | undefined;
  readonly optional?: boolean | undefined;
  readonly items?: readonly KeyToPath[] | undefined;
}

async function secretFiles(parts: ReadParts, { name = "", optional, items }: ObjectRef, mode?: number) {
  const data = await parts.sources.secret(name);
  if (!data && !optional) throw new VolumeError(`secret "${name}" not found`);
  return chosen(parts.pod, data, items, mode, optional, (key) => `references non-existent secret key: ${key}`);
}

async function configMapFiles(parts: ReadParts, { name = "", optional, items }: ObjectRef, mode?: number) {
  const data = await parts.sources.configMap(name);
  if (!data && !optional) throw new VolumeError(`configmap "${name}" not found`);
  return chosen(
    parts.pod,
    data,
    items,
    mode,
    optional,
    (key) => `configmap references non-existent config key: ${key}`,
  );
}

function chosen(
  pod: DeepReadonly<Pod>,
  data: SourceData = new Map(),
  items: readonly KeyToPath[] | undefined,
  mode: number | undefined,
  optional: boolean | undefined,
  missing: (key: string) => string,
): Map<string, VolumeFile> {
  const wanted: readonly KeyToPath[] =
    items && items.length > 0 ? items : [...data.keys()].map((key) => ({ key, path: key }));
  const files = new Map<string, VolumeFile>();
  for (const item of wanted) {
    const content = data.get(item.key);
    if (content) files.set(pathInside(item.path), { content, mode: modeFor(pod, item.mode ?? mode) });
    else if (!optional) throw new VolumeError(missing(item.key));
  }
  return files;
}

function downwardFiles(
  { pod, ip, hostIp }: ReadParts,
  items: readonly DownwardItem[] = [],
  mode?: number,
): Map<string, VolumeFile> {
  return new Map(
    items.map((item) => {
      const { path, fieldRef, resourceFieldRef } = item;
      const [first] = pod.spec.containers;
      const text = fieldRef
        ? fieldValue(pod, fieldRef.fieldPath, { ip, hostIp })
        : resourceFieldRef && first
          ? resourceValue(pod, first, resourceFieldRef)
          : "";
      return [pathInside(path), { content: Buffer.from(text), mode: modeFor(pod, item.mode ?? mode) }];
    }),
  );
}

async function projectedFiles(
  parts: ReadParts,
  volume: string,
  { secret, configMap, downwardAPI, serviceAccountToken, ...others }: Projection,
  mode?: number,
): Promise<ReadonlyMap<string, VolumeFile>> {
  if (secret) return secretFiles(parts, secret, mode);
  if (configMap) return configMapFiles(parts, configMap, mode);
  if (downwardAPI) return downwardFiles(parts, downwardAPI.items, mode);
  if (!serviceAccountToken)
    throw new VolumeError(`volume "${volume}": projected ${Object.keys(others).join(", ")} is not supported`);
  const { path, audience, expirationSeconds = defaultTokenSeconds } = serviceAccountToken;
  const make = (): Promise<string> => parts.sources.serviceAccountToken({ audience, expirationSeconds });
  const token = await parts.token(`${volume}/${path}`, make, expirationSeconds);
  return new Map([[pathInside(path), { content: Buffer.from(token), mode: tokenMode(parts.pod, mode) }]]);
}

/** Returns the permissions of a token. @see kubernetes pkg/volume/projected collectData */
function tokenMode({ spec }: DeepReadonly<Pod>, mode: number = defaultMode): number {
  if (spec.securityContext?.fsGroup !== undefined) return 0o640;
  const users = [...(spec.initContainers ?? []), ...spec.containers].map(
    ({ securityContext }) => securityContext?.runAsUser ?? spec.securityContext?.runAsUser,
  );
  return users[0] !== undefined && users.every((user) => user === users[0]) ? 0o600 : mode;
}
