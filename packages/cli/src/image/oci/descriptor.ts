import { createHash } from "node:crypto";
import { isRecord } from "@kubewright/apimachinery";
import { CommandError } from "../../command/errors.ts";

/** Media type, digest and size of a blob. */
export interface Descriptor {
  readonly mediaType: string;
  /** Digest of the blob: `sha256:` followed by 64 hexadecimal digits. */
  readonly digest: string;
  /** Size in bytes. */
  readonly size: number;
  readonly platform?: Platform | undefined;
  readonly annotations?: Readonly<Record<string, string>> | undefined;
}

export interface Platform {
  readonly os: string;
  readonly architecture: string;
  readonly variant?: string | undefined;
}

/** Media types, as defined by OCI and Docker. */
export const mediaTypes = {
  index: "application/vnd.oci.image.index.v1+json",
  manifest: "application/vnd.oci.image.manifest.v1+json",
  config: "application/vnd.oci.image.config.v1+json",
  layer: "application/vnd.oci.image.layer.v1.tar+gzip",
  dockerIndex: "application/vnd.docker.distribution.manifest.list.v2+json",
  dockerManifest: "application/vnd.docker.distribution.manifest.v2+json",
  dockerLayer: "application/vnd.docker.image.rootfs.diff.tar.gzip",
} as const;

export const isIndexType = (mediaType: string): boolean =>
  mediaType === mediaTypes.index || mediaType === mediaTypes.dockerIndex;
export const isManifestType = (mediaType: string): boolean =>
  mediaType === mediaTypes.manifest || mediaType === mediaTypes.dockerManifest;

/** Maximum size of a blob. Real layers are smaller. */
const maxBlobBytes = 1024 ** 4;

export const isDigest = (text: unknown): text is string =>
  typeof text === "string" && /^sha256:[0-9a-f]{64}$/.test(text);

export const digestOf = (bytes: Uint8Array): string => `sha256:${createHash("sha256").update(bytes).digest("hex")}`;

export const descriptorOf = (mediaType: string, bytes: Uint8Array): Descriptor => ({
  mediaType,
  digest: digestOf(bytes),
  size: bytes.length,
});

/**
 * Parses and validates a descriptor.
 *
 * @param what name for messages, such as `manifest sha256:…: layers[2]`
 * @throws {CommandError} if a field is not valid
 */
export function parseDescriptor(value: unknown, what: string): Descriptor {
  const { mediaType, digest, size, platform, annotations, urls } = isRecord(value) ? value : {};
  const wrong = (field: string, found: unknown, wanted: string): CommandError =>
    new CommandError(`${what}.${field}: ${JSON.stringify(found)?.slice(0, 200)}: ${wanted}`);
  if (typeof mediaType !== "string") throw wrong("mediaType", mediaType, "must be a string");
  if (!isDigest(digest)) throw wrong("digest", digest, "must be sha256: followed by 64 hexadecimal digits");
  if (typeof size !== "number" || !Number.isSafeInteger(size) || size < 0 || size > maxBlobBytes)
    throw wrong("size", size, `must be a whole number of at most ${maxBlobBytes}`);
  if (Array.isArray(urls) && urls.length > 0)
    throw wrong("urls", urls, "external layers cannot be copied; choose another base");
  return {
    mediaType,
    digest,
    size,
    ...(isRecord(platform) ? { platform: parsePlatformObject(platform, `${what}.platform`) } : {}),
    ...(isRecord(annotations) ? { annotations: textsOf(annotations) } : {}),
  };
}

/** Parses a platform. @throws {CommandError} if the operating system or architecture is missing */
export function parsePlatformObject({ os, architecture, variant }: Readonly<Record<string, unknown>>, what: string) {
  if (typeof os !== "string" || typeof architecture !== "string" || os === "" || architecture === "")
    throw new CommandError(`${what}: ${JSON.stringify({ os, architecture })}: must contain os and architecture`);
  return { os, architecture, ...(typeof variant === "string" && variant ? { variant } : {}) } satisfies Platform;
}

const textsOf = (record: Readonly<Record<string, unknown>>): Record<string, string> =>
  Object.fromEntries(Object.entries(record).filter((entry): entry is [string, string] => typeof entry[1] === "string"));

/** Formats a platform, such as `linux/arm64/v8`. */
export const platformText = ({ os, architecture, variant }: Platform): string =>
  `${os}/${architecture}${variant ? `/${variant}` : ""}`;

/** Reports whether a platform matches the requested one. If `wanted` has no variant, any variant matches. */
export const isPlatform = (platform: Platform, wanted: Platform): boolean =>
  platform.os === wanted.os &&
  platform.architecture === wanted.architecture &&
  (wanted.variant === undefined || wanted.variant === platform.variant);
