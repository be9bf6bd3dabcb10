import { describe, expect, it } from "vitest";
import { masked } from "./mask.ts";

describe("masked", () => {
  it("hides secrets as they are, trimmed, escaped, in pieces and decoded", () => {
    const key = Buffer.from("-----BEGIN KEY-----\nprivate\n").toString("base64");
    const said = `got "top\\"secret" and ${key} and -----BEGIN KEY-----\\nprivate`;
    const text = masked(said, [' top"secret ', `${key}___b3RoZXI=`, undefined, ""]);
    expect(text).not.toContain("secret");
    expect(text).not.toContain(key);
    expect(text).not.toContain("private");
  });

  it("leaves other text alone, but not endless", () => {
    expect(masked("nothing to hide", [undefined])).toBe("nothing to hide");
    expect(masked("x".repeat(5_000), []).length).toBeLessThan(2_100);
  });
});
