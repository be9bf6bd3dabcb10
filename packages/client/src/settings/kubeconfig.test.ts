import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import {
  defaultSettings,
  inClusterSettings,
  isInCluster,
  isKubeConfigError,
  settingsFromKubeConfig,
} from "./kubeconfig.ts";

const folder = mkdtempSync(join(tmpdir(), "kubeconfig-"));
afterAll(() => rmSync(folder, { recursive: true }));

const pem = "-----BEGIN CERTIFICATE-----\nQQ==\n-----END CERTIFICATE-----\n";
const encoded = Buffer.from(pem).toString("base64");

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

const config = (
  user: string,
  cluster = `{server: "https://10.0.0.1:6443", certificate-authority-data: ${encoded}}`,
): string => `
apiVersion: v1
kind: Config
current-context: dev
contexts:
- {name: dev, context: {cluster: c, user: u, namespace: shop}}
clusters:
- {name: c, cluster: ${cluster}}
users:
- {name: u, user: ${user}}
`;

it("reads kubeconfigs to a maximum size, also from devices, and many keys in linear time", () => {
  for (const endless of [file("large", `a: ${"b".repeat(4 * 1024 * 1024)}`), "/dev/zero"])
    expect(() => settingsFromKubeConfig(endless)).toThrow(
      `cannot read kubeconfig ${endless}: it is larger than 4194304 bytes`,
    );
  const start = process.cpuUsage();
  const keys = Array.from({ length: 10_000 }, (_, i) => `k${i}: 1\n`).join("");
  expect(settingsFromKubeConfig(config("{token: t}") + keys)).toMatchObject({ token: "t" });
  const { user, system } = process.cpuUsage(start);
  expect((user + system) / 1_000).toBeLessThan(2_000);
});

describe("settingsFromKubeConfig", () => {
  it("takes certificates from data", () => {
    const text = config(`{client-certificate-data: ${encoded}, client-key-data: ${encoded}}`);

    expect(settingsFromKubeConfig(text)).toMatchObject({
      server: "https://10.0.0.1:6443",
      namespace: "shop",
      caData: pem,
      certData: pem,
      keyData: pem,
    });
  });

  it("takes files relative to the kubeconfig", () => {
    file("ca.pem", pem);
    const path = file(
      "relative",
      config(
        "{tokenFile: token}",
        `{server: "https://h", certificate-authority: ca.pem, tls-server-name: n, proxy-url: "http://p:1"}`,
      ),
    );

    expect(settingsFromKubeConfig(path)).toMatchObject({
      caData: pem,
      tokenFile: join(folder, "token"),
      tlsServerName: "n",
      proxyUrl: "http://p:1",
    });
  });

  it("reads impersonation, exec and auth providers", () => {
    const text = config(
      `{as: jane, as-groups: [dev], as-user-extra: {reason: [test]}, exec: {apiVersion: client.authentication.k8s.io/v1, command: aws, args: [eks], env: [{name: A, value: b}]}, auth-provider: {name: oidc, config: {client-id: x}}}`,
    );

    expect(settingsFromKubeConfig(text)).toMatchObject({
      impersonate: { user: "jane", groups: ["dev"], extra: { reason: ["test"] } },
      exec: { command: "aws", args: ["eks"], env: [{ name: "A", value: "b" }] },
      authProvider: { name: "oidc", config: { "client-id": "x" } },
    });
  });

  it.each([
    ["contexts: [", "is not YAML: "],
    ["kind: Config\nx: {a: 1, a: 2}\n", 'is not YAML: key "a" occurs more than once in a mapping'],
    [
      `a0: &a0 [${"x,".repeat(90)}]\na1: &a1 [${"*a0,".repeat(90)}]\na2: [${"*a1,".repeat(90)}]\n`,
      "is not YAML: Excessive alias count",
    ],
    [`x: ${"[".repeat(20_000)}`, "is not YAML: "],
    ["[]\n", "expected a mapping, got a list"],
    ["\n", "is empty"],
    ["kind: Config\n", "current-context: is missing or empty"],
    ["current-context: other\ncontexts: []\n", 'current-context: there is no context "other"'],
    ["current-context: a\ncontexts: {}\n", "contexts: expected a list, got a mapping"],
    [
      "current-context: a\ncontexts: [{name: a, context: {cluster: c}}]\n",
      'contexts[0].context.cluster: there is no cluster "c"',
    ],
    [config("{}", "{}"), "clusters[0].cluster.server: is missing or empty"],
    [config("{}", "{server: here}"), 'clusters[0].cluster.server: "here" is not an http or https URL'],
    [
      config("{}", `{server: "https://h", certificate-authority-data: "%%"}`),
      "clusters[0].cluster.certificate-authority-data: is not base64",
    ],
    [
      config("{}", `{server: "https://h", certificate-authority-data: aGFsbG8=}`),
      "clusters[0].cluster.certificate-authority-data: does not contain a PEM block",
    ],
    [
      config("{}", `{server: "https://h", certificate-authority: /no/such}`),
      "clusters[0].cluster.certificate-authority: cannot read /no/such: ",
    ],
    [config(`{client-certificate-data: ${encoded}}`), "users[0].user: has client-certificate but no client-key"],
    [config("{token: [a]}"), "users[0].user.token: expected a string, got a list"],
    [config("{exec: {apiVersion: v1}}"), "users[0].user.exec.command: is missing or empty"],
  ])("reports the invalid field in one line (%#)", (text, problem) => {
    const path = file("broken", text);
    const failure = (() => {
      try {
        return settingsFromKubeConfig(path);
      } catch (error) {
        return error;
      }
    })();

    expect(isKubeConfigError(failure)).toBe(true);
    const message = failure instanceof Error ? failure.message : "";
    expect(message.startsWith(`${path}: ${problem}`), message).toBe(true);
    expect(message).not.toContain("\n");
  });
});

describe("defaultSettings", () => {
  const server = (port: number): string => `{server: "https://h:${port}"}`;

  it("prefers the given file, then KUBECONFIG, then the home folder", () => {
    const given = file("given", config("{}", server(1)));
    const listed = file("listed", config("{}", server(2)));

    expect(defaultSettings({ kubeconfig: given, env: { KUBECONFIG: listed } }).server).toBe("https://h:1");
    expect(defaultSettings({ env: { KUBECONFIG: listed, HOME: folder } }).server).toBe("https://h:2");
    expect(() => defaultSettings({ env: { HOME: folder } })).toThrow(
      `${join(folder, ".kube", "config")} does not exist`,
    );
  });

  it("uses the first of several files and skips missing ones", () => {
    const one = file(
      "one",
      `contexts: [{name: dev, context: {cluster: c, user: u}}]\nusers: [{name: u, user: {token: first}}]\n`,
    );
    const two = file("two", config("{token: second}", server(2)));
    const KUBECONFIG = [join(folder, "absent"), one, two].join(delimiter);

    expect(defaultSettings({ env: { KUBECONFIG } })).toMatchObject({ server: "https://h:2", token: "first" });
    expect(defaultSettings({ env: { KUBECONFIG } }).namespace).toBeUndefined();
  });

  it("uses the requested context", () => {
    const path = file(
      "two-contexts",
      `${config("{}", server(1))}`.replace(
        "contexts:\n",
        "contexts:\n- {name: x, context: {cluster: c, namespace: ops}}\n",
      ),
    );

    expect(defaultSettings({ kubeconfig: path, context: "x" }).namespace).toBe("ops");
    expect(() => defaultSettings({ kubeconfig: path, context: "y" })).toThrow(
      `${path}: contexts: there is no context "y"`,
    );
  });

  it("reports a file that cannot be read", () => {
    expect(() => defaultSettings({ kubeconfig: "/no/such" })).toThrow("cannot read kubeconfig /no/such: ");
    expect(() => defaultSettings({ env: { KUBECONFIG: "/no/such" } })).toThrow(
      "none of the files in KUBECONFIG exists: /no/such",
    );
  });
});

describe("the settings of a pod", () => {
  const folder = mkdtempSync(join(tmpdir(), "serviceaccount-"));
  afterAll(() => rmSync(folder, { recursive: true }));
  const env = { KUBERNETES_SERVICE_HOST: "fd00::1", KUBERNETES_SERVICE_PORT: "443" };

  it("requires a token", () => {
    expect(isInCluster(env, folder)).toBe(false);
    expect(() => inClusterSettings({}, folder)).toThrow("this program does not run in a pod");
    expect(() => inClusterSettings(env, folder)).toThrow("this pod has no service account");
  });

  it("reads the files and variables of the pod", () => {
    for (const [name, text] of Object.entries({ token: "t\n", "ca.crt": "CA", namespace: "shop\n" }))
      writeFileSync(join(folder, name), text);

    expect(isInCluster(env, folder)).toBe(true);
    expect(inClusterSettings(env, folder)).toEqual({
      server: "https://[fd00::1]:443",
      tokenFile: join(folder, "token"),
      caData: "CA",
      namespace: "shop",
    });
  });
});
