import { expect, it } from "vitest";
import { redacted, redactedText } from "./redacted.ts";

it("hides secrets, and shows references to secrets", () => {
  const shown = redacted({
    apiVersion: "v1",
    kind: "Site",
    metadata: {
      name: "a",
      managedFields: [{}],
      annotations: { "kubectl.kubernetes.io/last-applied-configuration": "x" },
    },
    ...{ spec: { preSharedKey: "x", secretName: "vpn", peers: [{ password: "x", name: "b" }], tokenSeconds: 3 } },
  });
  expect(shown).toEqual({
    apiVersion: "v1",
    kind: "Site",
    metadata: { name: "a", annotations: { "kubectl.kubernetes.io/last-applied-configuration": "(hidden)" } },
    spec: {
      preSharedKey: "(hidden)",
      secretName: "vpn",
      peers: [{ password: "(hidden)", name: "b" }],
      tokenSeconds: 3,
    },
  });
});

it("hides secrets with any spelling of the name, single or many", () => {
  const spec = {
    ...{ pre_shared_key: "x", "private-key": "x", API_KEY: "x", local_private_cert: "x", clientSecret: "x" },
    ...{ passwords: ["x", "y"], auth: { tokens: { a: "x" } }, env: [{ name: "DB_PASSWORD", value: "x" }] },
    ...{ secret: "x", secretName: "vpn", publicKey: "p", keys: ["k"], passwordSecretRef: { name: "vpn", key: "k" } },
  };
  const annotations = { kept: '{"spec":{"pre_shared_key":"x","a":1}}', text: "{not json", plain: "a" };
  const metadata = { name: "a", annotations };
  const shown = redacted({ apiVersion: "v1", kind: "Site", metadata, ...{ spec } }) as {
    metadata: object;
    spec: Record<string, unknown>;
  };
  expect(shown.metadata).toEqual({
    name: "a",
    annotations: { kept: '{"spec":{"pre_shared_key":"(hidden)","a":1}}', text: "{not json", plain: "a" },
  });
  const hidden = "(hidden)";
  expect(shown.spec).toEqual({
    ...{
      pre_shared_key: hidden,
      "private-key": hidden,
      API_KEY: hidden,
      local_private_cert: hidden,
      clientSecret: hidden,
    },
    ...{ passwords: [hidden, hidden], auth: { tokens: { a: hidden } }, env: [{ name: "DB_PASSWORD", value: hidden }] },
    ...{ secret: hidden, secretName: "vpn", publicKey: "p", keys: ["k"], passwordSecretRef: { name: "vpn", key: "k" } },
  });
});

const specOf = (spec: object, crd?: Parameters<typeof redacted>[1]) => {
  const shown = redacted({ apiVersion: "shop.example.com/v1", kind: "Site", ...{ spec } }, crd);
  return (shown as { readonly spec: object }).spec;
};

it.each([
  ...[
    "sharedSecret",
    "webhookSecret",
    "encryptionKey",
    "dbPass",
    "dbpass",
    "DB_PASSWORD",
    "apikey",
    "api-key",
    "APIKey",
  ],
  ...["kubeconfig", "kubeConfig", "authorization", "bearer", "passwordHash", "secretValue", "privateKeyPem", "psk1"],
  ...["hmacKey", "tlsKey", "sshKey", "sessionKey", "aes256Key", "client-key-data", "pwd", "cookie", "pin", "JWT"],
  ...["example.com/access-token", "mysecrets", "DBPassword", "credentials", "wireguard_key", "jwt"],
])("hides a field named %s", (name) => {
  expect(specOf({ [name]: "x", list: [{ name, value: "x" }] })).toEqual({
    [name]: "(hidden)",
    list: [{ name, value: "(hidden)" }],
  });
});

it.each([
  ...["passthrough", "bypass", "compass", "tokenReviewPath", "secretName", "secretRef", "secretNamespace", "publicKey"],
  ...["key", "keys", "topologyKey", "sortKey", "tokenSeconds", "passwordPolicy", "authorizationMode", "accessKeyId"],
  ...["kubeconfigPath", "token.example.com/kind", "certificate", "secretStoreRef", "author", "keyboard", "pinned"],
])("shows a field named %s", (name) => {
  const spec = { [name]: "x", list: [{ name, value: "x" }] };
  expect(specOf(spec)).toEqual(spec);
});

it("shows references to Secrets, and hides objects with secret names that contain more", () => {
  const references = {
    imagePullSecrets: [{ name: "registry" }],
    token: { name: "api", key: "token" },
    volumes: [{ secret: { secretName: "tls", items: [{ key: "tls.crt", path: "crt" }], defaultMode: 420 } }],
  };
  expect(specOf(references)).toEqual(references);
  expect(specOf({ token: { name: "api", data: "x" }, secrets: [{ value: "x" }], passwords: { key: "x" } })).toEqual({
    token: { name: "(hidden)", data: "(hidden)" },
    secrets: [{ value: "(hidden)" }],
    passwords: { key: "(hidden)" },
  });
});

it("hides fields with format: password, regardless of their name", () => {
  const password = { type: "string", format: "password" };
  const openAPIV3Schema = {
    type: "object",
    properties: {
      spec: {
        type: "object",
        properties: {
          greeting: password,
          peers: { type: "array", items: { type: "object", properties: { phrase: password } } },
          byName: { type: "object", additionalProperties: password },
        },
      },
    },
  };
  const versions = [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema } }];
  const crd = { spec: { versions } } as unknown as Parameters<typeof redacted>[1];
  const spec = { greeting: "x", peers: [{ phrase: "x", name: "a" }], byName: { a: "x" }, other: "y" };
  expect(specOf(spec, crd)).toEqual({
    greeting: "(hidden)",
    peers: [{ phrase: "(hidden)", name: "a" }],
    byName: { a: "(hidden)" },
    other: "y",
  });
  expect(specOf(spec)).toEqual(spec);
});

it.each([
  ["postgres://u:x@db:5432/a?b=c", "postgres://u:(hidden)@db:5432/a?b=c"],
  ["https://ghp_x@github.com/a", "https://(hidden)@github.com/a"],
  ["ssh://git@github.com/a", "ssh://git@github.com/a"],
  ['dial "https://u:x:x@h/a?token=x&b=c": EOF', 'dial "https://u:(hidden)@h/a?token=(hidden)&b=c": EOF'],
  ["host=db password=x user=a", "host=db password=(hidden) user=a"],
  ["run --db-pass x --name a", "run --db-pass (hidden) --name a"],
  ["curl -H 'Authorization: Digest x x' h", "curl -H 'Authorization: (hidden)' h"],
  ["sent Bearer xxxxxxxx to h", "sent Bearer (hidden) to h"],
  ["a: 1\npassword: |\n  x\n  x\nb: 2", "a: 1\npassword: (hidden)\nb: 2"],
  ["- name: DB_PASS\n  value: x\n- name: A\n  value: b", "- name: DB_PASS\n  value: (hidden)\n- name: A\n  value: b"],
  ["users:\n- user:\n    client-key-data: x\n    a: b", "users:\n- user:\n    client-key-data: (hidden)\n    a: b"],
  ["-----BEGIN EC PRIVATE KEY-----\nx\n-----END EC PRIVATE KEY-----\na", "(hidden)\na"],
  [
    '{"a":{"password":"x","b":"{\\"token\\":\\"x\\"}"}}',
    '{"a":{"password":"(hidden)","b":"{\\"token\\":\\"(hidden)\\"}"}}',
  ],
  ['{"password": "x x", no json', '{"password": (hidden), no json'],
  ["dial tcp 10.0.0.1:443: i/o timeout at 12:30:01", "dial tcp 10.0.0.1:443: i/o timeout at 12:30:01"],
  ["the token is too old: ask for another", "the token is too old: ask for another"],
])("hides secrets in the text %j", (text, shown) => {
  expect(redactedText(text)).toBe(shown);
  expect(specOf({ text })).toEqual({ text: shown });
});

it("hides content that is nested too deeply", () => {
  const nested = (levels: number): unknown => (levels === 0 ? "a" : [nested(levels - 1)]);
  const deepest = (value: unknown): unknown => (Array.isArray(value) ? deepest(value[0]) : value);
  const found = [62, 63].map((levels) => deepest(Object.values(specOf({ of: nested(levels) }))[0]));
  expect(found).toEqual(["a", "(hidden)"]);
});

it("hides the argument after a flag with a secret name", () => {
  const args = ["--token", "x", "--password=x", "--name", "a", "--secret", "--verbose"];
  expect(specOf({ args })).toEqual({
    args: ["--token", "(hidden)", "--password=(hidden)", "--name", "a", "--secret", "--verbose"],
  });
});

it("searches half a megabyte, hides the rest, and is not slowed down by crafted texts", () => {
  const started = performance.now();
  for (const piece of ["x=", "a:", "\n:", '"a":"', "bearer ", "http://a:", "-----BEGIN PRIVATE KEY", "a@", "- a:\n"])
    expect(redactedText(piece.repeat((512 * 1024) / piece.length))).not.toBe("");
  const long = 100 * 1024;
  for (const text of [
    `a:${" ".repeat(long)}b\rc`,
    `x${" ".repeat(long)}\u2028:`,
    `${"a://".padEnd(1_540, "x")} `.repeat(300),
  ])
    expect(redactedText(text)).toBe(text);
  expect(performance.now() - started).toBeLessThan(20_000);
  expect(redactedText(`a: ${"b".repeat(512 * 1024)}`)).toBe("(hidden)");
  const texts = Array.from({ length: 3 }, () => `a: ${"b".repeat(200 * 1024)}`);
  expect(specOf({ texts })).toEqual({ texts: [texts[0], texts[1], "(hidden)"] });
  const many = Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`f${at}`, "a"]));
  expect(Object.values(specOf(many)).filter((value) => value === "a").length).toBeLessThan(512 * 32);
});

it("hides secrets in lines that end like those of Windows, and in long addresses", () => {
  expect(redactedText("key: a\r\nprivateKey: |\r\n  abc\r\n  def\r\nuser: b\r\n")).toBe(
    "key: a\r\nprivateKey: (hidden)\nuser: b\r\n",
  );
  const long = "t".repeat(3_000);
  expect(redactedText(`see https://${long}@a.example/x@y`)).toBe("see https://(hidden)@a.example/x@y");
  expect(redactedText(`ftp://me:${long}:a@b@a.example:21`)).toBe("ftp://me:(hidden)@a.example:21");
  expect(redactedText("https://a@b@c.example:8443/d")).toBe("https://(hidden)@c.example:8443/d");
});
