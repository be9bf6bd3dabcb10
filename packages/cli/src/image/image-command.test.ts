import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterEach, beforeEach, expect, it } from "vitest";
import { defaultBase } from "../project/default-base.ts";
import { layoutFiles, testBase, writeBaseLayout } from "../testing/base-layout.ts";
import { ProjectFolder } from "../testing/project-folder.ts";
import { readBase } from "./base-image.ts";
import { documentOf, verified } from "./oci/blob-source.ts";
import { layoutSource } from "./oci/layout-source.ts";
import { parseTarHeader, tarOf } from "./oci/tar.ts";

let project: ProjectFolder;
beforeEach(() => {
  project = new ProjectFolder();
  mkdirSync(join(project.root, "src"));
  writeFileSync(join(project.root, "src/main.ts"), 'const word: string = "hello";\nconsole.log(word);\n');
  config({});
  writeBaseLayout(join(project.root, "base"));
});
afterEach(() => project[Symbol.dispose]());

const config = (more: object): void =>
  writeFileSync(
    join(project.root, "kubewright.json"),
    JSON.stringify({ name: "shop", domain: "example.com", version: "0.1.0", ...more }),
  );
const image = (...flags: string[]) => project.run("image", ...flags);
const fromBase = (...flags: string[]) => image("--base", "oci:base", ...flags);
const layoutAt = (path: string) => layoutSource(join(project.root, path), `oci:${path}`);

it("builds reproducible images for every platform of the base", async () => {
  const { code, out, err } = await image("--base", "oci:base", "--tag", "shop:v1"); // the example of --help
  expect([code, err]).toEqual([0, ""]);
  expect(out).toMatch(/^ {2}dist\/image\.tar {2}sha256:[0-9a-f]{64} {2}linux\/amd64, linux\/arm64\/v8\n$/);
  const bytes = readFileSync(join(project.root, "dist/image.tar"));
  await fromBase("--tag", "shop:v1", "--output", "again.tar", "--quiet");
  expect(readFileSync(join(project.root, "again.tar")).equals(bytes)).toBe(true);

  const source = await layoutAt("dist/image.tar");
  const { digest, images } = await readBase(source, "oci:dist/image.tar", []);
  expect(out).toContain(digest);
  expect((await source.root()).annotations).toMatchObject({ "org.opencontainers.image.ref.name": "v1" });
  const base = testBase();
  const own = images.map(({ manifest }) => manifest.layers.at(-1)?.digest);
  expect(new Set(own).size).toBe(1);
  for (const [i, { manifest, config: settings }] of images.entries()) {
    expect(manifest.layers.map(({ digest }) => digest)).toEqual([base.layers[i], own[0]]);
    expect(manifest.annotations).toEqual({ "org.opencontainers.image.base.digest": base.root.digest });
    expect(settings.config).toEqual({
      Entrypoint: ["/nodejs/bin/node", "--enable-source-maps", "/app/operator.mjs"],
      Env: ["SSL_CERT_FILE=/etc/ssl/certs/ca.crt", "NODE_ENV=production"],
      User: "65532:65532",
      WorkingDir: "/app",
    });
    expect(settings).toMatchObject({ created: "1970-01-01T00:00:00Z", history: [{ created_by: "base" }, {}] });
    for (const layer of manifest.layers)
      for await (const chunk of verified(await source.open(layer), layer, "layout"))
        expect(chunk.length).toBeGreaterThan(0);
  }
  const layer = images[0]?.manifest.layers.at(-1);
  const archive = gunzipSync(layer ? await documentOf(source, layer) : Buffer.alloc(0));
  expect(parseTarHeader(archive.subarray(0, 512))).toEqual({ name: "app/", size: 0, type: "5" });
  const file = parseTarHeader(archive.subarray(512, 1024));
  expect(file).toMatchObject({ name: "app/operator.mjs", type: "0" });
  await project.run("build");
  expect(archive.subarray(1024, 1024 + (file?.size ?? 0))).toEqual(
    readFileSync(join(project.root, "dist/operator.mjs")),
  );
  const owner = archive.toString("ascii", 512 + 108, 512 + 115);
  expect(Number.parseInt(owner, 8)).toBe(65532);

  await fromBase("--no-source-map", "--output", "plain.tar");
  const plain = await readBase(await layoutAt("plain.tar"), "oci:plain.tar", []);
  expect(plain.images[0]?.config.config).toMatchObject({ Entrypoint: ["/nodejs/bin/node", "/app/operator.mjs"] });
  const plainLayer = plain.images[0]?.manifest.layers.at(-1);
  expect(plainLayer?.size).toBeLessThan(layer?.size ?? 0);
});

it("accepts one platform, an archive, and the project's base", async () => {
  const files = [...layoutFiles(testBase())].map(([name, bytes]) => ({ name: `./${name}`, mode: 0o644, bytes }));
  writeFileSync(join(project.root, "base.tar"), tarOf(files));
  config({ base: "oci:base.tar" });
  const { code, out } = await image("--platform", "linux/arm64", "--json");
  expect(code).toBe(0);
  const [item] = JSON.parse(out).items;
  expect(item).toMatchObject({ path: "dist/image.tar", platforms: ["linux/arm64/v8"] });
  const { images, digest } = await readBase(await layoutAt("dist/image.tar"), "oci:x", []);
  expect([images.length, digest]).toEqual([1, item.digest]);
});

it("reports invalid flags in one line, and exits with 2", async () => {
  const refusals: readonly (readonly [flags: readonly string[], message: string])[] = [
    [
      ["--base", "oci:base", "--platform", "linux/s390x"],
      "--platform linux/s390x: oci:base is available only for linux/amd64, linux/arm64/v8",
    ],
    [
      ["--base", "oci:base", "--platform", "arm64"],
      '--platform "arm64": must be os/architecture, such as "linux/arm64"',
    ],
    [["--base", "oci:base", "--tag", "shop:.v1"], '".v1" is not a valid tag'],
    [["--base", "oci:base", "--tag", "Shop:v1"], '"Shop" is not a valid repository'],
    [["--base", "oci:base", "--tag", "shop:v1", "--push"], 'such as "registry.example.com/shop:v1"'],
    [["--base", "oci:base", "--tag", `shop@sha256:${"0".repeat(64)}`], "a tag must not contain a digest"],
    [["--base", "oci:nowhere"], '--base "oci:nowhere": no such folder or file'],
    [["--base", "oci:src"], "not an OCI image layout"],
    [["--base", "oci:kubewright.json"], '--base "oci:kubewright.json": not '],
    [["--base", "gcr.io/x@sha256:12"], "@ must be followed by sha256: and 64 hexadecimal digits"],
    [
      [],
      `image: --base is required because kubewright.json has no "base"; add "base": "${defaultBase}" to it, or pass a layout with --base oci:FOLDER`,
    ],
    [["--base", "oci:base", "--entry", "nowhere.ts"], '--entry "nowhere.ts" does not exist'],
  ];
  for (const [flags, message] of refusals) {
    const { code, out, err } = await image(...flags);
    expect({ flags, code, out, err }).toEqual({ flags, code: 2, out: "", err: expect.stringContaining(message) });
    expect(err.trimEnd().split("\n")).toHaveLength(1);
  }
});

it("refuses content with another digest, and leaves no partial file", async () => {
  const base = testBase();
  const [layer = ""] = base.layers;
  const at = (digest: string): string => join(project.root, "base/blobs", digest.replace(":", "/"));
  const bytes = readFileSync(at(layer));
  for (const [wrong, message] of [
    [Buffer.concat([bytes, bytes]), " is larger than the expected"],
    [bytes.subarray(1), " ended after"],
    [Buffer.from(bytes).fill(1, 0, 4), ": the digest of the content is sha256:"],
  ] as const) {
    writeFileSync(at(layer), wrong);
    const { code, err } = await fromBase();
    expect([code, err]).toEqual([1, expect.stringContaining(`oci:base: ${layer}${message}`)]);
  }
  expect(Object.keys(project.files()).filter((path) => path.startsWith("dist/"))).toEqual([]);
  writeFileSync(at(base.root.digest), "{}");
  expect((await fromBase()).err).toContain(`${base.root.digest} ended after 2 of`);
  const index = { manifests: [{ ...base.root, size: 5 * 1024 * 1024 }] };
  writeFileSync(join(project.root, "base/index.json"), JSON.stringify(index));
  expect((await fromBase()).err).toContain("the maximum is 4194304 bytes");
  writeFileSync(join(project.root, "base/index.json"), '{"manifests":[{"mediaType":"a","digest":"../../x","size":1}]}');
  expect((await fromBase()).err).toContain('manifests[0].digest: "../../x": must be sha256:');
  writeFileSync(join(project.root, "base/index.json"), "[");
  expect((await fromBase()).err).toContain("index.json is not valid JSON");
});
