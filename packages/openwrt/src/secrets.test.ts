import { describe, expect, it } from "vitest";
import { maskSecrets, secretsOf } from "./secrets.ts";

describe("secretsOf", () => {
  it("finds keys and certificates wherever they are in a record", () => {
    const record = { name: "r", pre_shared_key: "psk", connections: [{ local_private_cert: "a___b" }] };
    expect(secretsOf(record)).toEqual(["psk", "a___b", "a", "b"]);
  });
});

describe("maskSecrets", () => {
  it("masks what stands under a key that holds secrets, cut off or not", () => {
    expect(maskSecrets('{"pre_shared_key" : "k\\"1","x":"k"}', [])).toBe('{"pre_shared_key" : "***","x":"k"}');
    expect(maskSecrets('{"local_private_cert":"abc', [])).toBe('{"local_private_cert":"***"');
  });

  it("masks a log-in's token, which lets in whoever has it", () => {
    expect(maskSecrets("Cookie: sysauth=0af3; x=\"sysauth = b'\n", [])).toBe(
      "Cookie: sysauth=***; x=\"sysauth = ***'\n",
    );
  });

  it("masks a secret in every spelling", () => {
    expect(maskSecrets('ab/c"d ab\\/c\\"d ab%2Fc%22d', ['ab/c"d'])).toBe("*** *** ***");
  });
});
