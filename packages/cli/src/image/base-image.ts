import { CommandError, UsageError } from "../command/errors.ts";
import { type BlobSource, documentOf } from "./oci/blob-source.ts";
import {
  type Descriptor,
  isIndexType,
  isManifestType,
  isPlatform,
  type Platform,
  parsePlatformObject,
  platformText,
} from "./oci/descriptor.ts";
import { type Fields, type ImageManifest, parseFields, parseIndex, readManifest } from "./oci/documents.ts";

/** A program's base image, with one image per platform. */
export interface BaseImage {
  readonly source: BlobSource;
  /** Name of the base image, as given by the user. */
  readonly name: string;
  readonly digest: string;
  readonly images: readonly PlatformImage[];
}

export interface PlatformImage {
  readonly platform: Platform;
  readonly manifest: ImageManifest;
  /** The image's configuration: environment, user, layers. */
  readonly config: Fields;
}

/** Maximum nesting of indexes. */
const maxDepth = 4;
/** Maximum numbers of indexes and images in a base. Without them, nested indexes could list the same index billions of times. */
const maxIndexes = 100;
const maxImages = 1_000;

/**
 * Reads a base image's manifests and configurations, but not its layers.
 *
 * @param wanted platforms; if empty, all of the base's platforms
 * @throws {UsageError} if a requested platform is missing; the message lists the available ones
 * @throws {CommandError} if a document is invalid
 */
export async function readBase(source: BlobSource, name: string, wanted: readonly Platform[]): Promise<BaseImage> {
  const root = await source.root();
  const listed = await imagesIn(source, root);
  // Indexes also list attestations, with an unknown platform.
  const known = listed.filter(({ platform }) => platform?.os !== "unknown");
  const placed: { readonly descriptor: Descriptor; readonly platform: Platform }[] = [];
  for (const descriptor of known)
    placed.push({ descriptor, platform: descriptor.platform ?? (await platformOf(source, descriptor)) });
  const chosen = wanted.length === 0 ? placed : wanted.map((one) => only(placed, one, name));
  rejectDuplicates(chosen, name);
  const images: PlatformImage[] = [];
  for (const { descriptor, platform } of chosen) {
    const manifest = await readManifest(source, descriptor);
    images.push({ platform, manifest, config: await configOf(source, manifest) });
  }
  if (images.length === 0) throw new CommandError(`${name} contains no images`);
  return { source, name, digest: root.digest, images };
}

/** Returns the images in an index and its nested indexes, in order. */
async function imagesIn(source: BlobSource, root: Descriptor): Promise<Descriptor[]> {
  const found: Descriptor[] = [];
  let indexes = 0;
  const visit = async (descriptor: Descriptor, depth: number): Promise<void> => {
    const { mediaType, digest } = descriptor;
    if (!isIndexType(mediaType)) {
      if (found.push(descriptor) > maxImages)
        throw new CommandError(`${source.name} contains more than ${maxImages} images`);
      return;
    }
    if (depth === 0) throw new CommandError(`${source.name}: ${digest} is nested in more than ${maxDepth} indexes`);
    if (++indexes > maxIndexes) throw new CommandError(`${source.name} contains more than ${maxIndexes} indexes`);
    const what = `${source.name}: index ${digest}`;
    for (const one of parseIndex(parseFields(await documentOf(source, descriptor), what), what))
      await visit(one, depth - 1);
  };
  if (!isManifestType(root.mediaType) && !isIndexType(root.mediaType))
    throw new CommandError(`${source.name}: ${root.digest}: ${root.mediaType} is not an image or index`);
  await visit(root, maxDepth);
  return found;
}

async function platformOf(source: BlobSource, descriptor: Descriptor): Promise<Platform> {
  const manifest = await readManifest(source, descriptor);
  const what = `${source.name}: configuration ${manifest.config.digest}`;
  return parsePlatformObject(await configOf(source, manifest), what);
}

async function configOf(source: BlobSource, { config, layers }: ImageManifest): Promise<Fields> {
  const what = `${source.name}: configuration ${config.digest}`;
  const fields = parseFields(await documentOf(source, config), what);
  const { rootfs } = fields;
  const diffIds = typeof rootfs === "object" && rootfs !== null && "diff_ids" in rootfs ? rootfs.diff_ids : undefined;
  if (!Array.isArray(diffIds) || diffIds.length !== layers.length)
    throw new CommandError(`${what}: rootfs.diff_ids must list all ${layers.length} layers in the manifest`);
  return fields;
}

function only<T extends { readonly platform: Platform }>(placed: readonly T[], wanted: Platform, name: string): T {
  const found = placed.find(({ platform }) => isPlatform(platform, wanted));
  if (!found)
    throw new UsageError(
      `--platform ${platformText(wanted)}: ${name} is available only for ${placed.map(({ platform }) => platformText(platform)).join(", ")}`,
    );
  return found;
}

function rejectDuplicates(chosen: readonly { readonly platform: Platform }[], name: string): void {
  const names = chosen.map(({ platform }) => platformText(platform));
  const twin = names.find((one, i) => names.indexOf(one) < i);
  if (twin) throw new UsageError(`${name} contains several images for ${twin}; choose a base with only one`);
}
