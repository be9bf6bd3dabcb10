import { isRecord } from "@kubewright/apimachinery";
import { NotSoError } from "../../command/errors.ts";
import { type BlobSource, documentOf } from "./blob-source.ts";
import { type Descriptor, parseDescriptor } from "./descriptor.ts";

/** A JSON object, as it was written. */
export type Fields = Readonly<Record<string, unknown>>;

/** An image of one platform: where its configuration and its layers are. */
export interface ImageManifest {
  readonly mediaType: string;
  readonly config: Descriptor;
  readonly layers: readonly Descriptor[];
  readonly annotations: Fields;
}

/** More images than platforms exist, more layers than a file system can stack, are refused. */
const maxImages = 1_000;
const maxLayers = 500;

/** @throws {NotSoError} if it is no JSON object */
export function parseFields(bytes: Uint8Array, what: string): Fields {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (cause) {
    throw new NotSoError(`${what}: is no JSON: ${cause instanceof Error ? cause.message : cause}`, { cause });
  }
  if (!isRecord(value)) throw new NotSoError(`${what}: is no object`);
  return value;
}

/** The images that an index lists. */
export function parseIndex(fields: Fields, what: string): Descriptor[] {
  const { manifests } = fields;
  if (!Array.isArray(manifests) || manifests.length > maxImages)
    throw new NotSoError(`${what}: manifests: must be a list of at most ${maxImages}`);
  return manifests.map((one: unknown, i) => parseDescriptor(one, `${what}: manifests[${i}]`));
}

/** @param mediaType what it was called by who named it; the document may say so itself */
export async function readManifest(source: BlobSource, descriptor: Descriptor): Promise<ImageManifest> {
  const what = `${source.name}: manifest ${descriptor.digest}`;
  const { config, layers, annotations, mediaType } = parseFields(await documentOf(source, descriptor), what);
  if (mediaType !== undefined && mediaType !== descriptor.mediaType)
    throw new NotSoError(`${what}: mediaType: ${JSON.stringify(mediaType)}: was announced as ${descriptor.mediaType}`);
  if (!Array.isArray(layers) || layers.length > maxLayers)
    throw new NotSoError(`${what}: layers: must be a list of at most ${maxLayers}`);
  return {
    mediaType: descriptor.mediaType,
    config: parseDescriptor(config, `${what}: config`),
    layers: layers.map((one: unknown, i) => parseDescriptor(one, `${what}: layers[${i}]`)),
    annotations: isRecord(annotations) ? annotations : {},
  };
}
