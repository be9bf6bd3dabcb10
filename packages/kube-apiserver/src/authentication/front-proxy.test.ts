import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CertificateAuthority } from "@kubewright/certificates";
import { afterAll, expect, it } from "vitest";
import { ApiServer } from "../server/api-server.ts";
import { ApiClient } from "../server/testing/api-client.ts";
import { frontProxyOf } from "./front-proxy.ts";

const folder = mkdtempSync(join(tmpdir(), "front-proxy-"));
afterAll(() => rmSync(folder, { recursive: true }));
const file = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};
const authority = new CertificateAuthority("proxies");
const { certificate, key } = authority.issueClient({ commonName: "proxy" });
const files = { proxyClientCertFile: file("crt", certificate), proxyClientKeyFile: file("key", key) };
const requestheaderClientCaFile = file("ca", authority.certificate);

it("comes from the files, is generated, or is absent if only its CA is known", () => {
  expect(frontProxyOf(files, {}, undefined)).toMatchObject({ certificate: { certificate, key }, authority: undefined });
  expect(frontProxyOf({}, { requestheaderClientCaFile }, undefined).certificate).toBeUndefined();
  const madeUp = frontProxyOf({}, {}, undefined);
  expect(madeUp.authority).toContain("BEGIN CERTIFICATE");
  expect(madeUp.headers.requestheaderAllowedNames).toEqual(["front-proxy-client"]);
});

it("needs both files", () => {
  const why = "proxy-client-cert-file and proxy-client-key-file must be specified together";
  expect(() => frontProxyOf({ proxyClientCertFile: files.proxyClientCertFile }, {}, undefined)).toThrow(why);
  expect(() => frontProxyOf({ ...files, proxyClientKeyFile: join(folder, "none") }, {}, undefined)).toThrow("none");
});

it("extension servers get the configured front proxy", async () => {
  const userSeenBy = async (options: Parameters<typeof ApiServer.start>[0]) => {
    await using server = await ApiServer.start({ ...options, tls: false });
    const api = new ApiClient(server);
    const { body } = await api.get("/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication");
    api.close();
    return body.data;
  };
  const authentication = { requestheaderClientCaFile, requestheaderUsernameHeaders: ["X-User"] };
  expect(await userSeenBy({ authentication, ...files })).toMatchObject({
    "requestheader-client-ca-file": authority.certificate,
    "requestheader-username-headers": '["X-User"]',
    "requestheader-allowed-names": "[]",
  });
  expect(await userSeenBy({})).toMatchObject({
    "requestheader-username-headers": '["X-Remote-User"]',
    "requestheader-uid-headers": '["X-Remote-Uid"]',
    "requestheader-group-headers": '["X-Remote-Group"]',
    "requestheader-extra-headers-prefix": '["X-Remote-Extra-"]',
    "requestheader-allowed-names": '["front-proxy-client"]',
  });
});
