import { expect, it } from "vitest";
import { type BlobSource, blobFrom, blobOf, documentOf, maxDocumentBytes, verified } from "./blob-source.ts";
import { type Descriptor, descriptorOf } from "./descriptor.ts";
import { parseFields, parseIndex, readManifest } from "./documents.ts";

async function* sent(...pieces: readonly (string | Buffer)[]): AsyncGenerator<Uint8Array> {
  for (const piece of pieces) yield Buffer.from(piece);
}
async function read(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const parts: Uint8Array[] = [];
  for await (const chunk of chunks) parts.push(chunk);
  return Buffer.concat(parts).toString();
}
const sourceOf = (...pieces: readonly (string | Buffer)[]): BlobSource & { readonly opened: Descriptor[] } => {
  const opened: Descriptor[] = [];
  return {
    ...{ name: "base", opened, root: async () => expect.unreachable() },
    open: async (descriptor) => {
      opened.push(descriptor);
      return sent(...pieces);
    },
  };
};
const hello = descriptorOf("m", Buffer.from("hello"));

it("passes on valid content in any chunks", async () => {
  expect(await read(verified(sent("hello"), hello, "base"))).toBe("hello");
  expect(await read(verified(sent("he", "", "llo"), hello, "base"))).toBe("hello");
  expect(await read(verified(sent(), descriptorOf("m", Buffer.alloc(0)), "base"))).toBe("");
  const blob = blobFrom(sourceOf("hel", "lo"), hello);
  expect([await read(blob.read()), await read(blob.read())]).toEqual(["hello", "hello"]);
  expect(await read(blobOf(hello, Buffer.from("hello")).read())).toBe("hello");
});

it("fails if content is shorter, longer or different, and passes on no excess bytes", async () => {
  const failing = async (...pieces: string[]) => {
    const passed: string[] = [];
    try {
      for await (const chunk of verified(sent(...pieces), hello, "base")) passed.push(Buffer.from(chunk).toString());
    } catch (error) {
      return [passed.join(""), error instanceof Error ? error.message : error];
    }
    return expect.unreachable();
  };
  const of = `base: ${hello.digest} `;
  expect(await failing("hell")).toEqual(["hell", `${of}ended after 4 of 5 bytes`]);
  expect(await failing("hello", "!")).toEqual(["hello", `${of}is larger than the expected 5 bytes`]);
  expect(await failing("hello!")).toEqual(["", `${of}is larger than the expected 5 bytes`]);
  expect(await failing("hallo")).toEqual([
    "hallo",
    expect.stringMatching(/: the digest of the content is sha256:[0-9a-f]{64}$/),
  ]);
});

it("reads documents of at most four megabytes", async () => {
  expect((await documentOf(sourceOf("he", "llo"), hello)).toString()).toBe("hello");
  const most = Buffer.alloc(maxDocumentBytes, 32);
  expect((await documentOf(sourceOf(most), descriptorOf("m", most))).length).toBe(4 * 1024 * 1024);
  const source = sourceOf("x");
  await expect(documentOf(source, { ...hello, size: maxDocumentBytes + 1 })).rejects.toThrow(
    "is 4194305 bytes long; the maximum is 4194304 bytes",
  );
  expect(source.opened).toEqual([]);
});

it("accepts only objects and lists of limited length", () => {
  expect(parseFields(Buffer.from('{"a":1}'), "d")).toEqual({ a: 1 });
  for (const [text, problem] of [
    ["{", "d is not valid JSON: "],
    ["[]", "d is not a JSON object"],
    ["null", "d is not a JSON object"],
    [Buffer.from([0x22, 0xff, 0x22]), "d is not valid JSON: "],
  ] as const)
    expect(() => parseFields(Buffer.from(text), "d")).toThrow(problem);
  const one = { ...hello };
  expect(parseIndex({ manifests: Array(1_000).fill(one) }, "i")).toHaveLength(1_000);
  for (const manifests of [undefined, {}, Array(1_001).fill(one)])
    expect(() => parseIndex({ manifests }, "i")).toThrow("i: manifests: must be a list of at most 1000");
  expect(() => parseIndex({ manifests: [one, {}] }, "i")).toThrow("i: manifests[1].mediaType");
});

it("reads a manifest of the announced type with at most 500 layers", async () => {
  const manifest = async (fields: object, mediaType = "m") => {
    const bytes = Buffer.from(JSON.stringify(fields));
    return readManifest(sourceOf(bytes), descriptorOf(mediaType, bytes));
  };
  const whole = { config: hello, layers: Array(500).fill(hello) };
  expect(await manifest(whole)).toEqual({ ...whole, mediaType: "m", annotations: {} });
  expect(await manifest({ ...whole, mediaType: "m", annotations: { a: "b" } })).toMatchObject({
    annotations: { a: "b" },
  });
  await expect(manifest({ ...whole, mediaType: "other" })).rejects.toThrow(
    'mediaType: "other" does not match its descriptor, which has m',
  );
  for (const layers of [undefined, "x", Array(501).fill(hello)])
    await expect(manifest({ ...whole, layers })).rejects.toThrow("layers: must be a list of at most 500");
  await expect(manifest({ layers: [] })).rejects.toThrow(": config.mediaType");
  await expect(manifest({ config: hello, layers: [hello, 1] })).rejects.toThrow(": layers[1].mediaType");
});
