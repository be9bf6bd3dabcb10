import { gunzipSync } from "node:zlib";
import { expect, it } from "vitest";
import type { BaseImage } from "./base-image.ts";
import { type ComposedImage, composeImage } from "./compose-image.ts";
import { descriptorOf, digestOf, mediaTypes, type Platform } from "./oci/descriptor.ts";
import { parseTarHeader } from "./oci/tar.ts";
import { programLayer } from "./program-layer.ts";

const layer = programLayer(Buffer.from("program();"));
const below = descriptorOf(mediaTypes.layer, Buffer.from("below"));
const amd64 = { os: "linux", architecture: "amd64" };
const arm64 = { os: "linux", architecture: "arm64", variant: "v8" };
const source = { name: "base", root: async () => expect.unreachable(), open: async () => expect.unreachable() };

function baseOf(
  config: object,
  platforms: readonly Platform[] = [amd64],
  isDocker = false,
  name = "oci:base",
): BaseImage {
  const mediaType = isDocker ? mediaTypes.dockerManifest : mediaTypes.manifest;
  return {
    ...{ source, name, digest: digestOf(Buffer.from("base")) },
    images: platforms.map((platform) => ({
      platform,
      manifest: {
        mediaType,
        config: descriptorOf(mediaTypes.config, Buffer.from("")),
        layers: [below],
        annotations: { a: "b" },
      },
      config: { ...platform, ...config },
    })),
  };
}
const parsed = (bytes: Uint8Array) => JSON.parse(Buffer.from(bytes).toString());

/** Configuration of an image's first platform. */
async function configOf({ blobs, manifests, root }: ComposedImage) {
  const { config } = parsed((manifests[0] ?? root).bytes);
  const blob = blobs.find(({ descriptor }) => descriptor.digest === config.digest) ?? expect.unreachable();
  const parts: Uint8Array[] = [];
  for await (const part of blob.read()) parts.push(part);
  return parsed(Buffer.concat(parts));
}

it("runs the program with the base's own Node.js, or the one in PATH, as a non-root user", async () => {
  const settings = { Entrypoint: ["/nodejs/bin/node"], Cmd: ["repl"], Env: ["A=b"], User: "0", Labels: { c: "d" } };
  const whole = await configOf(composeImage(baseOf({ config: settings, os: "linux" }), layer));
  expect(whole.config).toEqual({
    ...{ Entrypoint: ["/nodejs/bin/node", "/app/operator.mjs"], WorkingDir: "/app", User: "65532:65532" },
    ...{ Env: ["A=b", "NODE_ENV=production"], Labels: { c: "d" } },
  });
  for (const [Entrypoint, wanted] of [
    [
      ["tini", "--", "node"],
      ["tini", "--", "node"],
    ],
    [["/bin/sh"], ["node"]],
    [["node", "--inspect"], ["node"]],
    [["/usr/bin/nodejs"], ["node"]],
    [[1, "/n/node"], ["/n/node"]],
    [undefined, ["node"]],
    ["node", ["node"]],
  ] as const) {
    const { config } = await configOf(composeImage(baseOf({ config: { Entrypoint } }), layer));
    expect([Entrypoint, config.Entrypoint]).toEqual([Entrypoint, [...wanted, "/app/operator.mjs"]]);
  }
  const own = await configOf(composeImage(baseOf({ config: { Env: ["NODE_ENV=test"] } }), layer));
  expect(own.config.Env).toEqual(["NODE_ENV=test"]);
  const bare = await configOf(composeImage(baseOf({}), layer));
  expect(bare.config).toMatchObject({ Env: ["NODE_ENV=production"], User: "65532:65532" });
});

it("adds its layer on top of the base, and to the history if there is one", async () => {
  const rootfs = { type: "layers", diff_ids: ["sha256:below"] };
  const image = composeImage(baseOf({ rootfs, history: [{ created_by: "base" }] }), layer);
  const config = await configOf(image);
  expect(config.rootfs).toEqual({ type: "layers", diff_ids: ["sha256:below", layer.diffId] });
  expect(config.history).toMatchObject([{ created_by: "base" }, { created_by: "kubewright image" }]);
  expect(config.created).toBe("1970-01-01T00:00:00Z");
  const { layers } = parsed(image.root.bytes);
  expect(layers).toEqual([below, descriptorOf(mediaTypes.layer, layer.bytes)]);
  expect([...image.fromBase]).toEqual([below.digest]);
  expect(await configOf(composeImage(baseOf({}), layer))).not.toHaveProperty("history");
});

it("is an index for several platforms, and a manifest for one", () => {
  const two = composeImage(baseOf({}, [amd64, arm64]), layer);
  expect(two.root.descriptor.mediaType).toBe(mediaTypes.index);
  expect(parsed(two.root.bytes).manifests).toMatchObject([{ platform: amd64 }, { platform: arm64 }]);
  expect([two.manifests.length, two.platforms]).toEqual([2, [amd64, arm64]]);
  const one = composeImage(baseOf({}), layer);
  expect([one.root.descriptor.mediaType, one.manifests]).toEqual([mediaTypes.manifest, []]);
  expect(one.root.descriptor.digest).toBe(composeImage(baseOf({}), layer).root.descriptor.digest);
});

it("annotates OCI images with digest and name of the base, but not Docker images", () => {
  const annotationsOf = (base: BaseImage) => parsed(composeImage(base, layer).root.bytes).annotations;
  const digest = digestOf(Buffer.from("base"));
  expect(annotationsOf(baseOf({}))).toEqual({ a: "b", "org.opencontainers.image.base.digest": digest });
  expect(annotationsOf(baseOf({}, [amd64], false, "gcr.io/base"))).toMatchObject({
    "org.opencontainers.image.base.name": "gcr.io/base",
  });
  const docker = composeImage(baseOf({}, [amd64, arm64], true), layer);
  expect(parsed(docker.manifests[0]?.bytes ?? Buffer.from("null"))).not.toHaveProperty("annotations");
  expect(docker.root.descriptor.mediaType).toBe(mediaTypes.dockerIndex);
  expect(parsed(docker.manifests[0]?.bytes ?? Buffer.from("null")).layers[1].mediaType).toBe(mediaTypes.dockerLayer);
});

it("contains the program in a folder, owned by the non-root user, with relative paths", () => {
  const archive = gunzipSync(layer.bytes);
  expect(layer.diffId).toBe(digestOf(archive));
  expect(parseTarHeader(archive.subarray(0, 512))).toEqual({ name: "app/", size: 0, type: "5" });
  expect(parseTarHeader(archive.subarray(512, 1_024))).toEqual({ name: "app/operator.mjs", size: 10, type: "0" });
  for (const at of [0, 512]) {
    expect(archive.toString("latin1", at + 100, at + 107)).toBe("0000755");
    for (const owner of [108, 116])
      expect(Number.parseInt(archive.toString("latin1", at + owner, at + owner + 7), 8)).toBe(65_532);
  }
});
