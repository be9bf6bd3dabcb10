import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { webhookUsersOf } from "./webhook-users.ts";

const plugin = "ValidatingAdmissionWebhook";
const [certificate, key] = ["the certificate", "the key"];

/** Writes these files, and returns a function that returns the path of one. */
function folder(files: Readonly<Record<string, unknown>>): (name: string) => string {
  const dir = mkdtempSync(join(tmpdir(), "webhook-users-"));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  const pathOf = (name: string): string => join(dir, name);
  for (const [name, content] of Object.entries(files))
    writeFileSync(pathOf(name), typeof content === "string" ? content : JSON.stringify(content));
  return pathOf;
}

const group = "apiserver.config.k8s.io/v1";
const hooks = (kubeConfigFile: string) => ({
  apiVersion: group,
  kind: "WebhookAdmissionConfiguration",
  kubeConfigFile,
});
const admission = (...plugins: readonly object[]) => ({ apiVersion: group, kind: "AdmissionConfiguration", plugins });

function users(kubeconfig: object, files: Readonly<Record<string, string>> = {}) {
  const pathOf = folder({ kubeconfig, ...files });
  writeFileSync(
    pathOf("config"),
    JSON.stringify(admission({ name: plugin, configuration: hooks(pathOf("kubeconfig")) })),
  );
  return webhookUsersOf(pathOf("config"), plugin);
}

it("selects a user like kube-apiserver: by address, by wildcard, without port 443, and the default", () => {
  const named = (name: string) => ({ name, user: { token: name } });
  const names = ["a.shop.svc:8443", "*.shop.svc:443", "b.shop.svc", "*.example.com", "*"];
  const userOf = users({ users: names.map(named) });
  const tokens = [
    ["a.shop.svc:8443", "a.shop.svc:8443"],
    ["a.shop.svc:443", "*.shop.svc:443"],
    ["b.shop.svc:443", "*.shop.svc:443"],
    ["b.shop.svc:444", "*"],
    ["x.y.example.com:443", "*.example.com"],
    ["x.y.example.com:444", "*"],
  ];
  for (const [hostPort = "", token] of tokens) expect([hostPort, userOf(hostPort)]).toEqual([hostPort, { token }]);
  const withContext = users({
    users: [named("admin"), named("b.shop.svc")],
    contexts: [{ name: "c", context: { user: "admin" } }],
    "current-context": "c",
  });
  expect([withContext("b.shop.svc:443"), withContext("x:443")]).toEqual([{ token: "b.shop.svc" }, { token: "admin" }]);
  expect(users({ users: [named("a")] })("b:443")).toBeUndefined();
});

it("reads certificates, keys and tokens from the kubeconfig or from files next to it", () => {
  const base64 = (text: string): string => Buffer.from(text).toString("base64");
  const inline = { "client-certificate-data": base64(certificate), "client-key-data": base64(key) };
  const files = { "client-certificate": "tls.crt", "client-key": "tls.key", tokenFile: "token" };
  const kubeconfig = {
    users: [
      { name: "inline", user: inline },
      { name: "files", user: files },
    ],
  };
  const userOf = users(kubeconfig, { "tls.crt": certificate, "tls.key": key, token: "secret\n" });
  expect(userOf("inline:443")).toEqual({ certificate, key });
  expect(userOf("files:443")).toEqual({ certificate, key, token: "secret" });
});

it("reads the configuration of a plugin from a file next to the first one, and ignores other plugins", () => {
  const pathOf = folder({
    config: admission({ name: plugin, path: "hooks" }, { name: "PodSecurity", configuration: { a: 1 } }),
    kubeconfig: { users: [{ name: "*", user: { token: "t" } }] },
  });
  writeFileSync(pathOf("hooks"), JSON.stringify(hooks(pathOf("kubeconfig"))));
  expect(webhookUsersOf(pathOf("config"), plugin)("x:443")).toEqual({ token: "t" });
  expect(webhookUsersOf(pathOf("config"), "MutatingAdmissionWebhook")("x:443")).toBeUndefined();
  expect(webhookUsersOf(undefined, plugin)("x:443")).toBeUndefined();
});

it.each([
  ["a missing file", {}, "ENOENT"],
  ["another kind", { config: { apiVersion: group, kind: "Pod" } }, 'no kind "Pod" is registered for version'],
  ["an unknown field", { config: { ...admission(), plugin: [] } }, 'unknown field "plugin"'],
  [
    "a relative path",
    { config: admission({ name: plugin, configuration: hooks("kubeconfig") }) },
    'kubeConfigFile: Invalid value: "kubeconfig": must be an absolute file path',
  ],
  [
    "an unknown field of the plugin",
    { config: admission({ name: plugin, configuration: { ...hooks("/k"), kubeconfigFile: "" } }) },
    'unknown field "kubeconfigFile"',
  ],
  ["a missing kubeconfig", { config: admission({ name: plugin, configuration: hooks("/no/file") }) }, "ENOENT"],
])("names the file, the plugin and the field: %s", (_what, files, why) => {
  const pathOf = folder(files);
  const read = () => webhookUsersOf(pathOf("config"), plugin);
  expect(read).toThrow(
    `unable to read admission control configuration from ${JSON.stringify(pathOf("config"))} for plugin "${plugin}" [`,
  );
  expect(read).toThrow(why);
});

it("names the user whose credentials cannot be used", () => {
  const missing = { name: "a", user: { "client-certificate": "tls.crt", "client-key": "tls.key" } };
  expect(() => users({ users: [missing] })).toThrow(/user "a": ENOENT.*tls\.crt/);
  expect(() => users({ users: [missing] }, { "tls.crt": certificate })).toThrow(/user "a": ENOENT.*tls\.key/);
  const half = { name: "a", user: { "client-certificate": "tls.crt" } };
  expect(() => users({ users: [half] }, { "tls.crt": certificate })).toThrow('user "a": client-key must be specified');
});
