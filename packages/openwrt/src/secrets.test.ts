import { describe, expect, it } from "vitest";
import { maskSecrets, secretsOf } from "./secrets.ts";

describe("secretsOf", () => {
  it("finds keys and certificates at any place of a record", () => {
    const record = { name: "r", pre_shared_key: "psk", connections: [{ local_private_cert: "a___b" }] };
    expect(secretsOf(record)).toEqual(["psk", "a___b", "a", "b"]);
  });
});

describe("maskSecrets", () => {
  it("masks values whose key names a secret, even cut ones", () => {
    expect(maskSecrets('{"pre_shared_key" : "k\\"1","x":"k"}', [])).toBe('{"pre_shared_key" : "***","x":"k"}');
    expect(maskSecrets('{"local_private_cert":"abc', [])).toBe('{"local_private_cert":"***"');
  });

  it("masks a log-in's token, which grants access", () => {
    expect(maskSecrets("Cookie: sysauth=0af3; x=\"sysauth = b'\n", [])).toBe(
      "Cookie: sysauth=***; x=\"sysauth = ***'\n",
    );
  });

  it("masks a secret in every spelling", () => {
    expect(maskSecrets('ab/c"d ab\\/c\\"d ab%2Fc%22d', ['ab/c"d'])).toBe("*** *** ***");
  });
});
