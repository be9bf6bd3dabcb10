import { describe, expect, it } from "vitest";
import { LineSplitter } from "./line-splitter.ts";

const texts = (lines: Buffer[]): string[] => lines.map(String);

describe("LineSplitter", () => {
  it("yields several lines of one chunk", () => {
    const splitter = new LineSplitter();

    expect(texts(splitter.push(Buffer.from("one\ntwo\n\nthree")))).toEqual(["one", "two"]);
    expect(splitter.rest()?.toString()).toBe("three");
  });

  it("joins a line that arrives byte by byte, characters of several bytes included", () => {
    const splitter = new LineSplitter();
    const lines = [...Buffer.from("größe 🚀\nnext\n")].flatMap((byte) => splitter.push(Buffer.of(byte)));

    expect(texts(lines)).toEqual(["größe 🚀", "next"]);
    expect(splitter.rest()).toBeUndefined();
  });

  it("holds a line of many megabytes without copying it again with each chunk", () => {
    const splitter = new LineSplitter();
    const chunk = Buffer.alloc(64 * 1024, "x");
    for (let i = 0; i < 512; i++) expect(splitter.push(chunk)).toEqual([]);

    const [line] = splitter.push(Buffer.from("\n"));
    expect(line?.length).toBe(512 * 64 * 1024);
  });
});
