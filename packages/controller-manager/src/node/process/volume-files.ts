import type { DeepReadonly } from "@kubewright/apimachinery";
import type { Pod } from "@kubewright/client/kinds";
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

export interface VolumeParts extends PodAddresses {
  readonly pod: DeepReadonly<Pod>;
  readonly sources: PodSources;
  /** Returns the token for the file at a path. Reuses the file's previous token until it is due for renewal. */
  readonly token: (path: string, make: () => Promise<string>, expirationSeconds: number) => Promise<string>;
}

/** A file in a volume. */
export interface VolumeFile {
  readonly content: Buffer;
  readonly mode: number;
}

const defaultMode = 0o644;
const defaultTokenSeconds = 3_600;

/**
 * Returns a volume's files by their paths within it.
 *
 * @returns `undefined` for an emptyDir, because its content belongs to the containers
 *
 * @throws {VolumeError} if an object does not exist, or the volume's type is not supported
 * @see kubernetes pkg/volume/{secret,configmap,projected,downwardapi,emptydir}
 */
export async function volumeFiles(
  volume: Volume,
  parts: VolumeParts,
): Promise<ReadonlyMap<string, VolumeFile> | undefined> {
  const { name, secret, configMap, downwardAPI, projected, emptyDir } = volume;
  if (emptyDir) return undefined;
  if (secret) {
    const { secretName = "", optional, items, defaultMode: mode } = secret;
    return secretFiles(parts, { name: secretName, optional, items }, mode);
  }
  if (configMap) return configMapFiles(parts, configMap, configMap.defaultMode);
  if (downwardAPI) return downwardFiles(parts, downwardAPI.items, downwardAPI.defaultMode);
  if (projected) {
    const all = new Map<string, VolumeFile>();
    for (const source of projected.sources ?? [])
      for (const [path, file] of await projectedFiles(parts, name, source, projected.defaultMode)) all.set(path, file);
    return all;
  }
  const type = Object.keys(volume).find((key) => key !== "name") ?? "nothing";
  throw new VolumeError(
    `volume "${name}": a container that runs as a process supports secret, configMap, projected, downwardAPI and emptyDir, but not ${type}`,
  );
}

interface ObjectRef {
  readonly name?: string | undefined;
  readonly optional?: boolean | undefined;
  readonly items?: readonly KeyToPath[] | undefined;
}

async function secretFiles({ sources }: VolumeParts, { name = "", optional, items }: ObjectRef, mode?: number) {
  const data = await sources.secret(name);
  if (!data && !optional) throw new VolumeError(`secret "${name}" not found`);
  return chosen(data, items, mode, optional, (key) => `references non-existent secret key: ${key}`);
}

async function configMapFiles({ sources }: VolumeParts, { name = "", optional, items }: ObjectRef, mode?: number) {
  const data = await sources.configMap(name);
  if (!data && !optional) throw new VolumeError(`configmap "${name}" not found`);
  return chosen(data, items, mode, optional, (key) => `configmap references non-existent config key: ${key}`);
}

function chosen(
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
    if (content) files.set(item.path, { content, mode: item.mode ?? mode ?? defaultMode });
    else if (!optional) throw new VolumeError(missing(item.key));
  }
  return files;
}

function downwardFiles(
  { pod, ip, hostIp }: VolumeParts,
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
      return [path, { content: Buffer.from(text), mode: item.mode ?? mode ?? defaultMode }];
    }),
  );
}

async function projectedFiles(
  parts: VolumeParts,
  volume: string,
  { secret, configMap, downwardAPI, serviceAccountToken, ...others }: Projection,
  mode?: number,
): Promise<ReadonlyMap<string, VolumeFile>> {
  if (secret) return secretFiles(parts, secret, mode);
  if (configMap) return configMapFiles(parts, configMap, mode);
  if (downwardAPI) return downwardFiles(parts, downwardAPI.items, mode);
  if (!serviceAccountToken)
    throw new VolumeError(
      `volume "${volume}": projected ${Object.keys(others).join(", ")} is not supported for containers that run as processes`,
    );
  const { path, audience, expirationSeconds = defaultTokenSeconds } = serviceAccountToken;
  const make = (): Promise<string> => parts.sources.serviceAccountToken({ audience, expirationSeconds });
  const token = await parts.token(`${volume}/${path}`, make, expirationSeconds);
  return new Map([[path, { content: Buffer.from(token), mode: 0o600 }]]);
}
