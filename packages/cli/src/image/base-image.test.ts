import { expect, it } from "vitest";
import { readBase } from "./base-image.ts";
import type { BlobSource } from "./oci/blob-source.ts";
import { type Descriptor, descriptorOf, mediaTypes } from "./oci/descriptor.ts";

/** A source with a root index that lists `counts[0]` indexes, each of which lists `counts[1]` others, and so on. */
function nested(counts: readonly number[]) {
  const blobs = new Map<string, Buffer>();
  let opened = 0;
  let listed: Descriptor = descriptorOf(mediaTypes.manifest, Buffer.from("{}"));
  for (const count of counts.toReversed()) {
    const bytes = Buffer.from(JSON.stringify({ manifests: Array.from({ length: count }, () => listed) }));
    listed = descriptorOf(mediaTypes.index, bytes);
    blobs.set(listed.digest, bytes);
  }
  const root = listed;
  const source: BlobSource = {
    name: "evil",
    root: async () => root,
    open: async ({ digest }) => {
      opened++;
      return only(blobs.get(digest) ?? Buffer.from("{}"));
    },
  };
  return { source, opened: () => opened };
}

async function* only(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

it.each<readonly [counts: readonly number[], refusal: string]>([
  [[1_000, 1_000, 1_000, 1_000], "evil contains more than 1000 images"],
  [[1_000, 1_000, 1_000, 0], "evil contains more than 100 indexes"],
  [[2, 501], "evil contains more than 1000 images"],
  [[1, 1, 1, 1, 1], /^evil: sha256:\w+ is nested in more than 4 indexes$/.source],
])("does not follow indexes that list %j others", async (counts, refusal) => {
  const { source, opened } = nested(counts);
  await expect(readBase(source, "base", [])).rejects.toThrow(new RegExp(refusal));
  expect(opened()).toBeLessThanOrEqual(100);
});

it("follows nested indexes to their images", async () => {
  const { source, opened } = nested([2, 3]);
  await expect(readBase(source, "base", [])).rejects.toThrow(/layers: must be a list/);
  expect(opened()).toBe(4); // the root, each of its two indexes, and the first image
});
