import { isRecord } from "@kubewright/apimachinery";
import { CommandError } from "../../command/errors.ts";
import { type BlobSource, documentOf } from "./blob-source.ts";
import { type Descriptor, parseDescriptor } from "./descriptor.ts";

/** A JSON object. */
export type Fields = Readonly<Record<string, unknown>>;

/** Manifest of a single-platform image. */
export interface ImageManifest {
  readonly mediaType: string;
  readonly config: Descriptor;
  readonly layers: readonly Descriptor[];
  readonly annotations: Fields;
}

/** Maximum numbers of images in an index and of layers in an image. Real images stay below them. */
const maxImages = 1_000;
const maxLayers = 500;

/** Parses a JSON object. @throws {CommandError} if the bytes are not a JSON object */
export function parseFields(bytes: Uint8Array, what: string): Fields {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (cause) {
    throw new CommandError(`${what} is not valid JSON: ${cause instanceof Error ? cause.message : cause}`, { cause });
  }
  if (!isRecord(value)) throw new CommandError(`${what} is not a JSON object`);
  return value;
}

/** Parses the descriptors of the images in an index. */
export function parseIndex(fields: Fields, what: string): Descriptor[] {
  const { manifests } = fields;
  if (!Array.isArray(manifests) || manifests.length > maxImages)
    throw new CommandError(`${what}: manifests: must be a list of at most ${maxImages} items`);
  return manifests.map((one: unknown, i) => parseDescriptor(one, `${what}: manifests[${i}]`));
}

/**
 * Reads a manifest.
 *
 * @throws {CommandError} if it is not valid, or its `mediaType` differs from the descriptor's
 */
export async function readManifest(source: BlobSource, descriptor: Descriptor): Promise<ImageManifest> {
  const what = `${source.name}: manifest ${descriptor.digest}`;
  const { config, layers, annotations, mediaType } = parseFields(await documentOf(source, descriptor), what);
  if (mediaType !== undefined && mediaType !== descriptor.mediaType)
    throw new CommandError(
      `${what}: mediaType: ${JSON.stringify(mediaType)} does not match its descriptor, which has ${descriptor.mediaType}`,
    );
  if (!Array.isArray(layers) || layers.length > maxLayers)
    throw new CommandError(`${what}: layers: must be a list of at most ${maxLayers} items`);
  return {
    mediaType: descriptor.mediaType,
    config: parseDescriptor(config, `${what}: config`),
    layers: layers.map((one: unknown, i) => parseDescriptor(one, `${what}: layers[${i}]`)),
    annotations: isRecord(annotations) ? annotations : {},
  };
}
