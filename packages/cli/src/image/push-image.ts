import type { BaseImage } from "./base-image.ts";
import type { ComposedImage } from "./compose-image.ts";
import type { Registry } from "./registry/registry.ts";

/** The number of blobs that were uploaded, and of blobs that were already present or mounted. */
export interface Pushed {
  readonly uploaded: number;
  readonly known: number;
}

/** Pushes an image to a registry: the blobs first, and the tag last. */
export async function pushImage(
  registry: Registry,
  { root, manifests, blobs, fromBase }: ComposedImage,
  base: BaseImage,
  tag: string,
): Promise<Pushed> {
  const mountFrom = registry.mountable(base.source);
  const unique = [...new Map(blobs.map((blob) => [blob.descriptor.digest, blob])).values()];
  let uploaded = 0;
  for (const blob of unique) {
    const isBase = fromBase.has(blob.descriptor.digest);
    if ((await registry.put(blob, isBase ? mountFrom : undefined)) === "uploaded") uploaded++;
  }
  for (const { descriptor, bytes } of manifests)
    await registry.putManifest(descriptor.digest, descriptor.mediaType, bytes);
  await registry.putManifest(tag, root.descriptor.mediaType, root.bytes);
  return { uploaded, known: unique.length - uploaded };
}
