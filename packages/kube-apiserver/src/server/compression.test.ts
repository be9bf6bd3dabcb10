import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { buffer } from "node:stream/consumers";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ApiServer } from "./api-server.ts";
import { ApiClient } from "./testing/api-client.ts";

const configMaps = "/api/v1/namespaces/default/configmaps";

// Names follow apiserver pkg/endpoints/handlers/responsewriters Test_SerializeObject.
describe("compression of answers", () => {
  let server: ApiServer;
  let api: ApiClient;
  beforeAll(async () => {
    server = await ApiServer.start({ tls: false });
    api = new ApiClient(server);
    for (const name of ["large", "small"]) {
      const data = { text: "x".repeat(name === "large" ? 200_000 : 100) };
      await api.post(configMaps, { apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data });
    }
  });
  afterAll(async () => {
    api.close();
    await server.stop();
  });

  async function ask(path: string, accepted: string) {
    const { token = "" } = server.connection();
    const headers = { authorization: `Bearer ${token}`, "accept-encoding": accepted };
    const asked = request(new URL(path, server.url), { headers }).end();
    const [response]: IncomingMessage[] = await once(asked, "response");
    if (!response) throw new Error("no response");
    const { "content-encoding": encoding, vary } = response.headers;
    return { encoding, vary, body: await buffer(response) };
  }

  it.each([`${configMaps}/large`, configMaps])(
    "compresses a large answer if the client accepts gzip: %s",
    async (path) => {
      const plain = await ask(path, "");
      expect(plain).toMatchObject({ encoding: undefined, vary: undefined });
      for (const accepted of ["gzip", "deflate, gzip"]) {
        const compressed = await ask(path, accepted);
        expect(compressed).toMatchObject({ encoding: "gzip", vary: "Accept-Encoding" });
        expect(compressed.body.length).toBeLessThan(10_000);
        expect(gunzipSync(compressed.body)).toEqual(plain.body);
      }
    },
  );

  it.each([
    ["a small one", `${configMaps}/small`, "gzip"],
    ["for others", configMaps, "deflate"],
    ["with a weight", configMaps, "gzip;q=1.0"],
  ])("does not compress %s", async (_, path, accepted) => {
    expect(await ask(path, accepted)).toMatchObject({ encoding: undefined, vary: undefined });
  });
});
