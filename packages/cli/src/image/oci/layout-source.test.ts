import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, it, onTestFinished } from "vitest";
import { descriptorOf, mediaTypes } from "./descriptor.ts";
import { layoutSource } from "./layout-source.ts";
import { tarHeader, tarOf } from "./tar.ts";

const blob = Buffer.from("hello");
const hello = descriptorOf("m", blob);
const indexOf = (...manifests: object[]) => Buffer.from(JSON.stringify({ schemaVersion: 2, manifests }));
const blobName = `blobs/${hello.digest.replace(":", "/")}`;
const layout = (index: Buffer, prefix = "") => [
  { name: `${prefix}oci-layout`, mode: 0o644, bytes: Buffer.from("{}") },
  { name: `${prefix}index.json`, mode: 0o644, bytes: index },
  { name: `${prefix}${blobName}`, mode: 0o644, bytes: blob },
];

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "kubewright-layout-"));
  onTestFinished(() => rmSync(path, { recursive: true }));
  return path;
}
function fileOf(bytes: Uint8Array): string {
  const path = join(folder(), "base.tar");
  writeFileSync(path, bytes);
  return path;
}
async function textOf(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const parts: Uint8Array[] = [];
  for await (const chunk of chunks) parts.push(chunk);
  return Buffer.concat(parts).toString();
}

it("reads folders and archives, with or without leading ./", async () => {
  const own = folder();
  for (const { name, bytes } of layout(indexOf(hello))) {
    mkdirSync(join(own, name, ".."), { recursive: true });
    writeFileSync(join(own, name), bytes);
  }
  const archives = ["", "./"].map((prefix) => fileOf(tarOf(layout(indexOf(hello), prefix))));
  for (const path of [own, ...archives]) {
    const source = await layoutSource(path, "oci:base");
    expect([source.name, await source.root()]).toEqual(["oci:base", hello]);
    expect(await textOf(await source.open(hello))).toBe("hello");
    const missing = descriptorOf("m", Buffer.from("other"));
    await expect(source.open(missing)).rejects.toThrow(
      `oci:base: blobs/${missing.digest.replace(":", "/")} is missing`,
    );
  }
});

it("has the digest of its only image, or of the index of several", async () => {
  const index = indexOf(hello, { ...hello, size: 6 });
  const several = await layoutSource(fileOf(tarOf(layout(index))), "b");
  const root = await several.root();
  expect(root).toEqual(descriptorOf(mediaTypes.index, index));
  expect(await textOf(await several.open(root))).toBe(index.toString());
  const none = await layoutSource(fileOf(tarOf(layout(indexOf()))), "b");
  expect(await none.root()).toEqual(descriptorOf(mediaTypes.index, indexOf()));
});

it("returns only regular files of an archive, never links, folders or neighboring bytes", async () => {
  const [first, index] = layout(indexOf(hello));
  const link = Buffer.concat([tarHeader({ name: blobName, size: 0, mode: 0o777 })]);
  link.write("2", 156, "latin1");
  link.write("        ", 148, "latin1");
  link.write(
    `${link
      .reduce((a, b) => a + b, 0)
      .toString(8)
      .padStart(6, "0")}\0 `,
    148,
    "latin1",
  );
  const rest = tarOf([first, index].flatMap((one) => one ?? []));
  const source = await layoutSource(fileOf(Buffer.concat([link, rest])), "b");
  await expect(source.open(hello)).rejects.toThrow("is missing");
  const empty = { name: `blobs/${hello.digest.replace(":", "/")}`, mode: 0o644, bytes: Buffer.alloc(0) };
  const hollow = await layoutSource(fileOf(tarOf([...layout(indexOf(hello)).slice(0, 2), empty])), "b");
  expect(await textOf(await hollow.open(hello))).toBe("");
});

it("reports why a path is not a layout", async () => {
  const wrong = async (path: string) => expect(layoutSource(path, "oci:x")).rejects;
  const errorFor = (problem: string) => `--base "oci:x": ${problem}`;
  const whole = tarOf(layout(indexOf(hello)));
  await (await wrong(join(folder(), "none"))).toThrow(errorFor("no such folder or file"));
  await (await wrong(folder())).toThrow(
    errorFor("not an OCI image layout: the files oci-layout and index.json are missing"),
  );
  await (await wrong(fileOf(tarOf(layout(indexOf()).slice(0, 1))))).toThrow(errorFor("not an OCI image layout"));
  await (await wrong(fileOf(tarOf(layout(indexOf()).slice(1))))).toThrow(errorFor("not an OCI image layout"));
  await (await wrong(fileOf(gzipSync(whole, { level: 0 })))).toThrow(
    errorFor("the archive is compressed; run gunzip first"),
  );
  await (await wrong(fileOf(Buffer.alloc(2_048, "x")))).toThrow(
    errorFor("the file is not a tar archive, or is corrupted"),
  );
  const long = tarHeader({ name: "a", size: 513, mode: 0o644 });
  await (await wrong(fileOf(Buffer.concat([long, Buffer.alloc(512)])))).toThrow(
    errorFor("a extends past the end of the archive"),
  );
  await (await wrong(fileOf(Buffer.alloc(100)))).toThrow(errorFor("not an OCI image layout"));
  await (await wrong(fileOf(tarOf(layout(Buffer.from("[]")))))).toThrow("oci:x: index.json is not a JSON object");
  await (await wrong(fileOf(tarOf(layout(Buffer.alloc(4 * 1024 * 1024 + 1, 32)))))).toThrow(
    "oci:x: index.json is larger than 4194304 bytes",
  );
});
