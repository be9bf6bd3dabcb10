import { describe, expect, it } from "vitest";
import { secretText } from "./secret-text.ts";

const base64 = (text: string | Buffer): string => Buffer.from(text).toString("base64");

describe("a value of a Secret", () => {
  it("is sent without the line break at the end of a file", () => {
    expect(secretText(base64("a key\n"), "text")).toEqual({ text: "a key" });
  });

  it("is sent as base64 if it is PEM, and unchanged if it is base64 already", () => {
    const pem = "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----";
    expect(secretText(base64(`${pem}\n`), "base64")).toEqual({ text: base64(pem) });
    expect(secretText(base64(base64(pem)), "base64")).toEqual({ text: base64(pem) });
  });

  it.each([
    ["nothing", "", "text", "is empty"],
    ["blanks", " \n", "base64", "is empty"],
    ["lines", "a\nb", "text", "more than one line"],
    ["lines that are not PEM", "a\nb", "base64", "neither PEM nor base64"],
    ["bytes", Buffer.from([0xff, 0xfe, 0x61]), "text", "not text"],
    ["far too much", "x".repeat(1_025), "text", "is larger than 1024 bytes"],
    ["a file", "x".repeat(200_000), "base64", "is larger than 65536 bytes"],
  ] as const)("is refused if it is %s", (_, value, form, why) => {
    expect(secretText(base64(value), form)).toEqual({ why: expect.stringContaining(why) });
  });
});
