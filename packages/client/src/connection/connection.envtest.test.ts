import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { Environment } from "@kubewright/envtest";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ConnectionSettings } from "../settings/connection-settings.ts";
import { Connection } from "./connection.ts";

describe("Connection to an API server", () => {
  let env: Environment;
  beforeAll(async () => {
    env = await Environment.start({ users: [{ name: "jane", groups: ["dev"] }] });
  });
  afterAll(() => env?.stop());

  const ask = async (settings: ConnectionSettings): Promise<number> => {
    await using connection = new Connection(settings);
    return (await connection.request({ path: "/api/v1/namespaces/default/configmaps", what: "ask" })).status;
  };

  it("takes the settings of an environment, and its kubeconfigs", async () => {
    expect(await ask(env.connection())).toBe(200);
    expect(await ask(Connection.fromKubeConfig(env.kubeconfig()).settings)).toBe(200);
    expect(await ask(env.connection("jane"))).toBe(403);
  });

  it("verifies the server's certificate, unless disabled", async () => {
    const { server, certData, keyData } = env.connection();
    const unchecked = { server, certData, keyData };

    await expect(ask(unchecked)).rejects.toThrow(
      /^ask: GET https:.*: the certificate of 127.0.0.1:\d+ is signed by an authority that is not trusted \((unable to|self-signed)[^;]*\); set the cluster's CA certificate \(in a kubeconfig: clusters\[\]\.cluster\.certificate-authority-data\)$/,
    );
    expect(await ask({ ...unchecked, insecureSkipTlsVerify: true })).toBe(200);
  });

  it("expects the configured name in the certificate", async () => {
    expect(await ask({ ...env.connection(), tlsServerName: "localhost" })).toBe(200);
    await expect(ask({ ...env.connection(), tlsServerName: "example.com" })).rejects.toThrow(/altnames/);
  });

  it("impersonates another user", async () => {
    expect(await ask({ ...env.connection(), impersonate: { user: "jane" } })).toBe(403);
    expect(await ask({ ...env.connection(), impersonate: { user: "joe", groups: ["system:masters"] } })).toBe(200);
  });

  it("uses HTTP/1.1 if configured", async () => {
    await using connection = new Connection(env.connection(), { http2: false });

    expect((await connection.request({ path: "/version" })).status).toBe(200);
  });

  it("goes through a proxy", async () => {
    const targets: string[] = [];
    const proxy = createServer().on("connect", (request, socket) => {
      targets.push(request.url ?? "");
      const { hostname, port } = new URL(`http://${request.url}`);
      const onward = connect(Number(port), hostname, () => socket.write("HTTP/1.1 200 OK\r\n\r\n"));
      onward.pipe(socket).pipe(onward);
      onward.on("error", () => socket.destroy());
      socket.on("error", () => onward.destroy());
    });
    proxy.listen(0, "127.0.0.1");
    await once(proxy, "listening");
    const { port } = proxy.address() as AddressInfo;

    expect(await ask({ ...env.connection(), proxyUrl: `http://127.0.0.1:${port}` })).toBe(200);
    expect(targets).toEqual([new URL(env.url).host]);
    proxy.close();
  });
});
