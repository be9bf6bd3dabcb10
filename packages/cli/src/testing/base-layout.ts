import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { descriptorOf, digestOf, mediaTypes, type Platform } from "../image/oci/descriptor.ts";
import { tarOf } from "../image/oci/tar.ts";

/** A base image for tests: its index, and its blobs, keyed by digest. */
export interface TestBase {
  readonly blobs: ReadonlyMap<string, Buffer>;
  readonly root: { readonly mediaType: string; readonly digest: string; readonly size: number };
  /** Digests of the layers, one per platform. */
  readonly layers: readonly string[];
}

const linux = (architecture: string, variant?: string): Platform => ({
  os: "linux",
  architecture,
  ...(variant ? { variant } : {}),
});

/**
 * Returns a base image that, like distroless images, has one layer per platform. It also contains an attestation, which
 * is not an image.
 */
export function testBase(platforms: readonly Platform[] = [linux("amd64"), linux("arm64", "v8")]): TestBase {
  const blobs = new Map<string, Buffer>();
  const add = (mediaType: string, value: Buffer | object) => {
    const bytes = Buffer.isBuffer(value) ? value : Buffer.from(JSON.stringify(value));
    const descriptor = descriptorOf(mediaType, bytes);
    blobs.set(descriptor.digest, bytes);
    return descriptor;
  };
  const layers: string[] = [];
  const manifests = platforms.map((platform) => {
    const archive = tarOf([{ name: "etc/arch", mode: 0o644, bytes: Buffer.from(JSON.stringify(platform)) }]);
    const layer = add("application/vnd.oci.image.layer.v1.tar", archive);
    layers.push(layer.digest);
    const config = add(mediaTypes.config, {
      ...platform,
      config: {
        Entrypoint: ["/nodejs/bin/node"],
        Cmd: ["repl"],
        Env: ["SSL_CERT_FILE=/etc/ssl/certs/ca.crt"],
        User: "0",
      },
      rootfs: { type: "layers", diff_ids: [digestOf(archive)] },
      history: [{ created_by: "base" }],
    });
    return {
      ...add(mediaTypes.manifest, { schemaVersion: 2, mediaType: mediaTypes.manifest, config, layers: [layer] }),
      platform,
    };
  });
  const unknown = {
    ...add(mediaTypes.manifest, { schemaVersion: 2 }),
    platform: { os: "unknown", architecture: "unknown" },
  };
  const root = add(mediaTypes.index, {
    schemaVersion: 2,
    mediaType: mediaTypes.index,
    manifests: [...manifests, unknown],
  });
  return { blobs, root, layers };
}

/** Returns the files in a layout, keyed by name. */
export const layoutFiles = ({ blobs, root }: TestBase): Map<string, Buffer> =>
  new Map([
    ["oci-layout", Buffer.from('{"imageLayoutVersion":"1.0.0"}')],
    ["index.json", Buffer.from(JSON.stringify({ schemaVersion: 2, manifests: [root] }))],
    ...[...blobs].map(([digest, bytes]) => [`blobs/${digest.replace(":", "/")}`, bytes] as const),
  ]);

export function writeBaseLayout(folder: string, base: TestBase = testBase()): void {
  mkdirSync(join(folder, "blobs/sha256"), { recursive: true });
  for (const [name, bytes] of layoutFiles(base)) writeFileSync(join(folder, name), bytes);
}
