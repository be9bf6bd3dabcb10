import { describe, expect, it } from "vitest";
import { Mask, masked } from "./mask.ts";

describe("masked", () => {
  it("hides secrets verbatim, trimmed, escaped, in pieces and decoded", () => {
    const key = Buffer.from("-----BEGIN KEY-----\nprivate\n").toString("base64");
    const message = `got "top\\"secret" and ${key} and -----BEGIN KEY-----\\nprivate`;
    const text = masked(message, [' top"secret ', `${key}___b3RoZXI=`, undefined, ""]);
    expect(text).not.toContain("secret");
    expect(text).not.toContain(key);
    expect(text).not.toContain("private");
  });

  it("hides them in URL and base64 encoding, and before the text is cut", () => {
    const secret = "p4ss&word/secret";
    const message = `${encodeURIComponent(secret)} ${Buffer.from(secret).toString("base64")}`;
    expect(masked(message, [secret])).toBe("*** ***");
    expect(masked(`${"x".repeat(1_995)}${secret}`, [secret])).toMatch(/^x+\*\*\*$/);
  });

  it("does not hide a part of the operator's own URLs, which would reveal the secret", () => {
    const url = "GET https://10.0.0.1/cgi-bin/luci/sdewan/firewall/v1/rules/a";
    const hides = [
      (text: string) => masked(text, ["sdewan", "luci"]),
      (text: string) => new Mask(["sdewan", "luci"]).hide(text),
    ];
    for (const hide of hides) {
      expect(hide(`${url}: no sdewan, /sdewan/ nor luci`)).toBe(`${url}: no ***, /***/ nor ***`);
      expect(hide("sdewan/cgi-bin/luci/sdewan/sdewan")).toBe("***/cgi-bin/luci/sdewan/***");
      expect(hide("/cgi-bin/luci/sdewan")).toBe("/cgi-bin/***/***");
    }
    const longer = "x/cgi-bin/luci/sdewan/y";
    expect(masked(`is ${longer}`, [longer])).toBe("is ***");
    expect(new Mask([longer]).hide(`is ${longer}`)).toBe("is ***");
  });

  it("returns one line of text without terminal control characters", () => {
    expect(masked('x\n{"level":"fatal"}\r\u001b[2J\u0007\u2028\u202ey', [])).toBe('x {"level":"fatal"} [2J y');
    expect(masked(`${"x".repeat(1_999)}\u{1f600}`, []).isWellFormed()).toBe(true);
  });

  it("leaves other text unchanged, but limits its length", () => {
    expect(masked("nothing to hide", [undefined])).toBe("nothing to hide");
    expect(masked("x".repeat(5_000), []).length).toBeLessThan(2_100);
  });
});

describe("Mask", () => {
  it("hides many secrets in all spellings, also overlapping and adjacent ones", () => {
    const mask = new Mask(["alpha-beta", "beta-gamma", "tiny", "abc", undefined, ""]);
    mask.add(['p4ss&"word']);
    expect(mask.hide("alpha-beta")).toBe("***");
    expect(mask.hide("<alpha-beta-gamma> tinytiny abc")).toBe("<***> *** abc");
    expect(mask.hide(`x ${encodeURIComponent('p4ss&"word')} ${JSON.stringify('p4ss&"word')}`)).toBe('x *** "***"');
    expect(mask.hide("alpha beta")).toBe("alpha beta");
    expect(mask.hide("")).toBe("");
  });

  it("hides the beginning of a secret at the cut end of a text", () => {
    const mask = new Mask(["a-very-long-private-key", "a-very"]);
    expect(mask.hide("key: a-very-long-priv...")).toBe("key: ***...");
    expect(mask.hide("key: a-v...")).toBe("key: a-v...");
    expect(mask.hide("key: a-very-long-priv")).toBe("key: ***-long-priv");
  });

  it("hides short secrets on request", () => {
    const mask = new Mask([",", "ab", "abcd"], { short: true });
    expect(mask.hide("a,b abc abcd xab")).toBe("a***b ***c *** x***");
    expect(new Mask([",", "ab"]).hide("a,b ab")).toBe("a,b ab");
  });

  it("limits the total work for many texts, and hides the rest completely", () => {
    const hide = new Mask(Array.from({ length: 5_000 }, (_, index) => `secret-${index}-key`)).hiding();
    expect(hide("secret-17-key, and more")).toBe("***, and more");
    expect(hide("secr".repeat(5_000))).toBe("***");
    expect(hide("secret-17-key, and more")).toBe("***");
    expect(hide("nothing here")).toBe("***");
  });

  it("finds one among thousands", () => {
    const mask = new Mask(Array.from({ length: 2_000 }, (_, index) => `secret-${index * 7_919}-key`));
    const text = "Error Code: 500, Error Message: secret-7919-key ".repeat(40);
    expect(mask.hide(text)).toBe("Error Code: 500, Error Message: *** ".repeat(40));
  });
});
