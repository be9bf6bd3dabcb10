import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CertificateAuthority } from "@kubewright/certificates";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ApiServer } from "../server/api-server.ts";
import { tlsCall, whoAmI } from "../server/testing/tls-client.ts";
import type { AuthenticationOptions } from "./authentication-options.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "authentication-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

const file = (name: string, content: string): string => {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
};
const start = (authentication: AuthenticationOptions): Promise<ApiServer> => ApiServer.start({ authentication });

describe("client certificates", () => {
  it("are accepted from the CA in a file and from the server's own", async () => {
    const ca = new CertificateAuthority("elsewhere");
    await using server = await start({ clientCaFile: file("client-ca.crt", ca.certificate) });
    const { certificate, key } = ca.issueClient({ commonName: "jane", organizations: ["dev", "ops"] });
    expect(await whoAmI(server, { cert: certificate, key })).toMatchObject({
      username: "jane",
      groups: ["dev", "ops", "system:authenticated"],
    });
    const { certData = "", keyData = "" } = server.connection();
    expect(await whoAmI(server, { cert: certData, key: keyData })).toMatchObject({ username: "admin" });
  });

  it("of unknown CAs are rejected, unless a token identifies the user", async () => {
    const stranger = new CertificateAuthority("stranger").issueClient({ commonName: "admin" });
    const tokenAuthFile = file("tokens.csv", 'secret,jane,7,"dev,ops"\n');
    await using server = await start({ tokenAuthFile });
    const shown = { cert: stranger.certificate, key: stranger.key };
    expect((await tlsCall(server, "/version", shown)).status).toBe(401);
    expect(await whoAmI(server, { ...shown, token: "secret" })).toEqual({
      username: "jane",
      uid: "7",
      groups: ["dev", "ops", "system:authenticated"],
    });
  });
});

describe("a front proxy", () => {
  it("sends the user in headers after showing its certificate", async () => {
    const ca = new CertificateAuthority("front-proxy-ca");
    await using server = await start({
      requestheaderClientCaFile: file("front-proxy-ca.crt", ca.certificate),
      requestheaderAllowedNames: ["front-proxy"],
      requestheaderUsernameHeaders: ["X-Remote-User"],
      requestheaderUidHeaders: ["X-Remote-Uid"],
      requestheaderGroupHeaders: ["X-Remote-Group"],
      requestheaderExtraHeadersPrefix: ["X-Remote-Extra-"],
    });
    const headers = {
      "X-Remote-User": "jane",
      "X-Remote-Uid": "u7",
      "X-Remote-Group": ["dev", "ops"],
      "X-Remote-Extra-Acme.io%2fScope": "all",
    };
    const proxy = ca.issueClient({ commonName: "front-proxy" });
    expect(await whoAmI(server, { cert: proxy.certificate, key: proxy.key, headers })).toEqual({
      username: "jane",
      uid: "u7",
      groups: ["dev", "ops", "system:authenticated"],
      extra: { "acme.io/scope": ["all"] },
    });
    const other = ca.issueClient({ commonName: "somebody" });
    expect((await tlsCall(server, "/version", { cert: other.certificate, key: other.key, headers })).status).toBe(401);
    const { certData = "", keyData = "" } = server.connection();
    expect(await whoAmI(server, { cert: certData, key: keyData, headers })).toMatchObject({ username: "admin" });
  });
});

describe("anonymous requests", () => {
  it("are rejected if disabled, except on paths that a configuration permits", async () => {
    await using closed = await start({ anonymousAuth: false });
    expect((await tlsCall(closed, "/version")).status).toBe(401);
    const authenticationConfig = file(
      "anonymous.yaml",
      [
        "apiVersion: apiserver.config.k8s.io/v1",
        "kind: AuthenticationConfiguration",
        "anonymous: {enabled: true, conditions: [{path: /livez}]}",
      ].join("\n"),
    );
    await using partly = await start({ authenticationConfig });
    expect((await tlsCall(partly, "/version")).status).toBe(401);
    expect((await tlsCall(partly, "/livez?verbose")).status).toBe(200);
  });

  it("get a warning about a token ignored because of an extra space", async () => {
    await using server = await start({});
    const { headers } = await tlsCall(server, "/version", { headers: { authorization: "Bearer   x" } });
    expect(headers.warning).toContain("extra space before the bearer token");
  });
});

describe("bootstrap tokens", () => {
  it("authenticate joining nodes, as long as the Secret permits it", async () => {
    await using server = await start({ enableBootstrapTokenAuth: true });
    const { certData = "", keyData = "" } = server.connection();
    const admin = { cert: certData, key: keyData };
    const secret = {
      metadata: { name: "bootstrap-token-abcdef" },
      type: "bootstrap.kubernetes.io/token",
      stringData: {
        "token-id": "abcdef",
        "token-secret": "0123456789abcdef",
        "usage-bootstrap-authentication": "true",
        "auth-extra-groups": "system:bootstrappers:worker",
      },
    };
    const secrets = "/api/v1/namespaces/kube-system/secrets";
    await tlsCall(server, secrets, { method: "POST", body: secret, ...admin });
    const token = "abcdef.0123456789abcdef";
    expect(await whoAmI(server, { token })).toEqual({
      username: "system:bootstrap:abcdef",
      groups: ["system:bootstrappers", "system:bootstrappers:worker", "system:authenticated"],
    });
    expect(await whoAmI(server, { token: "abcdef.0123456789abcdee" })).toBeUndefined();
    secret.stringData = Object.assign(secret.stringData, { expiration: "2020-01-01T00:00:00Z" });
    await tlsCall(server, `${secrets}/${secret.metadata.name}`, { method: "PUT", body: secret, ...admin });
    expect(await whoAmI(server, { token })).toBeUndefined();
  });
});

describe("invalid files", () => {
  const { privateKey } = generateKeyPairSync("ed25519");
  const cases: readonly [
    name: string,
    options: (path: (content: string) => string) => AuthenticationOptions,
    error: RegExp,
  ][] = [
    [
      "too few columns of a token file",
      (path) => ({ tokenAuthFile: path("a,b\n") }),
      /^token file '.*' must have at least 3 columns \(token, user name, user uid\), found 2$/,
    ],
    [
      "an open quote in a token file",
      (path) => ({ tokenAuthFile: path('a,"b,c\n') }),
      /parse error on line 1, column 8: extraneous or missing " in quoted-field$/,
    ],
    [
      "a token file that is not there",
      () => ({ tokenAuthFile: "/nowhere/tokens.csv" }),
      /^open \/nowhere\/tokens.csv: no such file or directory$/,
    ],
    [
      "an invalid CA",
      (path) => ({ clientCaFile: path("hello") }),
      /^error loading CA bundle for "client-ca-bundle::.*": data does not contain any valid RSA or ECDSA certificates$/,
    ],
    [
      "a signing key of another type",
      (path) => ({ serviceAccountSigningKeyFile: path(String(privateKey.export({ type: "pkcs8", format: "pem" }))) }),
      /^failed to parse service-account-issuer-key-file: error reading private key file .*: data does not contain a valid RSA or ECDSA private key$/,
    ],
    [
      "a webhook's file that is not there",
      () => ({ authenticationTokenWebhookConfigFile: "/nowhere/hook" }),
      /^stat \/nowhere\/hook: no such file or directory$/,
    ],
    [
      "an issuer without TLS",
      () => ({ oidcIssuerUrl: "http://x", oidcClientId: "a" }),
      /^invalid authentication configuration: jwt\[0\].issuer.url: Invalid value: "http:\/\/x": URL scheme must be https$/,
    ],
    [
      "a symmetric signing algorithm",
      () => ({ oidcIssuerUrl: "https://x", oidcClientId: "a", oidcSigningAlgs: ["HS256"] }),
      /^oidc: unsupported signing alg: "HS256"$/,
    ],
    [
      "a configuration with unknown members",
      (path) => ({
        authenticationConfig: path(
          "apiVersion: apiserver.config.k8s.io/v1\nkind: AuthenticationConfiguration\nnope: 1",
        ),
      }),
      /^failed to load authentication configuration from file ".*": strict decoding error: unknown field "nope"$/,
    ],
    [
      "a configuration whose issuer lacks everything",
      (path) => ({
        authenticationConfig: path(
          "apiVersion: apiserver.config.k8s.io/v1\nkind: AuthenticationConfiguration\njwt: [{issuer: {}, claimMappings: {}}]",
        ),
      }),
      /^invalid authentication configuration: \[jwt\[0\].issuer.url: Required value, jwt\[0\].issuer.audiences: Required value: at least one jwt\[0\].issuer.audiences is required, jwt\[0\].claimMappings.username: Required value: claim or expression is required\]$/,
    ],
  ];
  it.each(cases)("abort the start: %s", async (_name, options, error) => {
    let count = 0;
    const path = (content: string): string => file(`wrong-${count++}`, content);
    await expect(start(options(path))).rejects.toThrow(error);
  });
});
