import { posix } from "node:path";
import { isRecord } from "@kubewright/apimachinery";
import type { BaseImage, PlatformImage } from "./base-image.ts";
import { type Blob, blobFrom, blobOf } from "./oci/blob-source.ts";
import { type Descriptor, descriptorOf, mediaTypes, type Platform } from "./oci/descriptor.ts";
import type { Fields } from "./oci/documents.ts";
import { nonroot, type ProgramLayer, programFolder, programPath } from "./program-layer.ts";

/** An image for one or more platforms, ready to be written or pushed. */
export interface ComposedImage {
  /** Index or, for a single platform, the manifest. */
  readonly root: Document;
  /** Manifests that the index lists. */
  readonly manifests: readonly Document[];
  /** Layers and configurations; those of the base image come first. */
  readonly blobs: readonly Blob[];
  /** Digests of the base image's layers, which the registry may mount. */
  readonly fromBase: ReadonlySet<string>;
  readonly platforms: readonly Platform[];
}

interface Document {
  readonly descriptor: Descriptor;
  readonly bytes: Buffer;
}

/** Fixed creation time, for reproducible images. */
const created = "1970-01-01T00:00:00Z";

/**
 * Adds the program's layer to the base image for each platform. The same base and program always give the same digests.
 *
 * @param nodeFlags command-line flags for Node.js
 */
export function composeImage(base: BaseImage, layer: ProgramLayer, nodeFlags: readonly string[] = []): ComposedImage {
  const images = base.images.map((image) => composeOne(image, base, layer, nodeFlags));
  const manifests = images.map(({ manifest }) => manifest);
  const [only, ...more] = manifests;
  const isDocker = base.images.every(({ manifest }) => manifest.mediaType === mediaTypes.dockerManifest);
  const index = document(isDocker ? mediaTypes.dockerIndex : mediaTypes.index, {
    manifests: manifests.map(({ descriptor }) => descriptor),
  });
  const layers = base.images.flatMap(({ manifest }) => manifest.layers);
  return {
    root: only && more.length === 0 ? only : index,
    manifests: more.length === 0 ? [] : manifests,
    blobs: [
      ...layers.map((descriptor) => blobFrom(base.source, descriptor)),
      ...images.flatMap(({ config, own }) => [blobOf(own, layer.bytes), blobOf(config.descriptor, config.bytes)]),
    ],
    fromBase: new Set(layers.map(({ digest }) => digest)),
    platforms: base.images.map(({ platform }) => platform),
  };
}

interface ComposedPlatform {
  readonly manifest: Document;
  readonly config: Document;
  readonly own: Descriptor;
}

function composeOne(
  { platform, manifest, config }: PlatformImage,
  { name, digest }: BaseImage,
  layer: ProgramLayer,
  nodeFlags: readonly string[],
): ComposedPlatform {
  const isDocker = manifest.mediaType === mediaTypes.dockerManifest;
  const own = descriptorOf(isDocker ? mediaTypes.dockerLayer : mediaTypes.layer, layer.bytes);
  const configBytes = Buffer.from(JSON.stringify(configured(config, layer, nodeFlags)));
  const ofConfig = descriptorOf(manifest.config.mediaType, configBytes);
  const allAnnotations = {
    ...manifest.annotations,
    "org.opencontainers.image.base.digest": digest,
    ...(name.startsWith("oci:") ? {} : { "org.opencontainers.image.base.name": name }),
  };
  const made = document(manifest.mediaType, {
    config: ofConfig,
    layers: [...manifest.layers, own],
    ...(isDocker ? {} : { annotations: allAnnotations }),
  });
  return {
    manifest: { ...made, descriptor: { ...made.descriptor, platform } },
    config: { descriptor: ofConfig, bytes: configBytes },
    own,
  };
}

function document(mediaType: string, fields: object): Document {
  const bytes = Buffer.from(JSON.stringify({ schemaVersion: 2, mediaType, ...fields }));
  return { descriptor: descriptorOf(mediaType, bytes), bytes };
}

/** Returns the base image's configuration with the program's layer and a non-root user. */
function configured(
  { config, rootfs, history, ...rest }: Fields,
  { diffId }: ProgramLayer,
  nodeFlags: readonly string[],
): object {
  const { Cmd: _command, ...settings } = isRecord(config) ? config : {};
  const env = Array.isArray(settings.Env) ? settings.Env : [];
  const hasMode = env.some((one) => typeof one === "string" && one.startsWith("NODE_ENV="));
  const { diff_ids: diffIds, ...others } = isRecord(rootfs) ? rootfs : {};
  return {
    ...rest,
    created,
    config: {
      ...settings,
      Env: hasMode ? env : [...env, "NODE_ENV=production"],
      User: `${nonroot}:${nonroot}`,
      WorkingDir: programFolder,
      Entrypoint: [...nodeOf(settings.Entrypoint), ...nodeFlags, programPath],
    },
    rootfs: { ...others, diff_ids: [...(Array.isArray(diffIds) ? diffIds : []), diffId] },
    ...(Array.isArray(history)
      ? { history: [...history, { created, created_by: "kubewright image", comment: "the program, in one file" }] }
      : {}),
  };
}

/** Returns the base image's entrypoint if it starts Node.js; otherwise `node` from `PATH`. */
function nodeOf(entrypoint: unknown): readonly string[] {
  const words = Array.isArray(entrypoint) ? entrypoint.filter((one) => typeof one === "string") : [];
  return posix.basename(words.at(-1) ?? "") === "node" ? words : ["node"];
}
