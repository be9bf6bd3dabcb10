import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { ApiServer } from "./api-server.ts";
import { ApiClient } from "./testing/api-client.ts";
import { aggregatedDiscovery, group, version } from "./testing/extension-documents.ts";
import { createService, ExtensionServer, type Responder } from "./testing/extension-server.ts";

const base = `/apis/${group}/${version}`;
const services = "/apis/apiregistration.k8s.io/v1/apiservices";
const one = `${base}/namespaces/shop/orders/one`;
const accept = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
const type = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

let server: ApiServer;
let api: ApiClient;
let extension: ExtensionServer;

beforeAll(async () => {
  server = await ApiServer.start({ tls: false });
  api = new ApiClient(server);
  extension = new ExtensionServer();
  await createService(api);
  await extension.listen();
});
afterAll(async () => {
  api.close();
  await server.stop();
  await extension.close();
});
beforeEach(async () => {
  extension.answer = undefined;
  await api.delete(`${services}/${version}.${group}`);
  await vi.waitFor(async () => expect((await api.get(base)).status).toBe(404), 5_000);
});

/** Registers the server again. */
async function register(answer?: Responder): Promise<void> {
  extension.answer = answer;
  expect((await api.post(services, extension.registration())).status).toBe(201);
  const path = `${services}/${version}.${group}`;
  const reason = async () => (await api.get(path)).body.status?.conditions?.[0].reason;
  await vi.waitFor(async () => expect(await reason()).toBe("Passed"), 10_000);
}

const shown = async () => {
  const { items } = (await api.get("/apis", { headers: { accept } })).body;
  return items.find(({ metadata }: { metadata: { name: string } }) => metadata.name === group)?.versions[0];
};

/** Responds to `/apis` this way, and handles other paths normally. */
const discovering =
  (answer: Responder): Responder =>
  (request, response, body) =>
    request.url === "/apis" && answer(request, response, body);

describe("the discovery of an extension server", () => {
  it("is aborted if it is endless", async () => {
    let sent = 0;
    await register(
      discovering((_, response) => {
        response.writeHead(200, { "content-type": type });
        const more = (): void => {
          while (!response.destroyed && sent < 200) {
            sent++;
            if (!response.write(Buffer.alloc(1024 * 1024, " "))) return void response.once("drain", more);
          }
        };
        more();
        return true;
      }),
    );
    await vi.waitFor(() => expect(sent).toBeGreaterThan(3), 5_000);
    expect(await shown()).toEqual({ version, freshness: "Stale" });
    expect(sent).toBeLessThan(50);
  });

  it("with a million groups is rejected, and with many thousands is read quickly", async () => {
    const groups = (count: number): unknown[] =>
      Array.from({ length: count }, (_, i) => ({ metadata: { name: `g${i}` }, versions: [{ version: "v1" }] }));
    let count = 1_000_000;
    await register(
      discovering((_, response) => {
        response.writeHead(200, { "content-type": type });
        response.end(
          JSON.stringify({ ...aggregatedDiscovery, items: [...groups(count), ...aggregatedDiscovery.items] }),
        );
        count = 50_000;
        return true;
      }),
    );
    await vi.waitFor(async () => expect((await shown()).freshness).toBe("Current"), 10_000); // requested again
    const { items } = (await api.get("/apis", { headers: { accept } })).body;
    expect(items.length).toBeLessThan(50);
  });

  it("ignores other groups and values that are not strings", async () => {
    const items = [
      { metadata: { name: "apps" }, versions: [{ version: "v1", resources: [{ resource: "stolen" }] }] },
      {
        metadata: { name: group },
        versions: [
          {
            version,
            resources: [
              { resource: { deep: [] }, verbs: 7 },
              { resource: "a", verbs: ["get", {}, "x".repeat(9_999)] },
            ],
          },
        ],
      },
    ];
    await register(
      discovering((_, response) => {
        response.writeHead(200, { "content-type": type });
        response.end(JSON.stringify({ ...aggregatedDiscovery, items }));
        return true;
      }),
    );
    await vi.waitFor(async () => expect((await shown()).freshness).toBe("Current"), 5_000);
    expect((await shown()).resources).toMatchObject([{ resource: "a", verbs: ["get"] }]);
    expect((await api.get("/apis", { headers: { accept } })).text).not.toContain("stolen");
  });

  it("in the older form also appears in the newer one", async () => {
    await register(
      discovering((_, response) => {
        response.writeHead(404);
        response.end();
        return true;
      }),
    );
    await vi.waitFor(async () => expect((await shown()).resources?.[0].resource).toBe("orders"), 5_000);
    expect((await shown()).freshness).toBe("Current");
  });
});

describe("an answer of an extension server", () => {
  it.each([
    [
      "leads elsewhere",
      502,
      "the backend attempted to redirect this request, which is not permitted",
      { location: "https://elsewhere/" },
      302,
    ],
    ["has more headers than are taken", 503, "error trying to reach service: ", { "x-much": "x".repeat(80_000) }, 200],
  ])("that %s is %i", async (_, status, text, headers, code) => {
    await register((request, response) => {
      if (request.url !== one) return false;
      response.writeHead(code, headers);
      response.end("hidden");
      return true;
    });
    const got = await api.get(one);
    expect(got.status).toBe(status);
    expect(got.text.startsWith(text)).toBe(true);
    expect(got.text).not.toContain("hidden");
  });

  it("that never arrives delays no other", async () => {
    const hanging: (() => void)[] = [];
    let isOver = false;
    await register((request, response) => {
      if (request.url !== one) return false;
      if (isOver)
        response.destroy(); // requested once more, over a new connection
      else hanging.push(() => response.destroy());
      return true;
    });
    const waiting = Array.from({ length: 50 }, () => api.get(one));
    await vi.waitFor(() => expect(hanging.length).toBe(50), 5_000);
    expect((await api.get("/api/v1/namespaces/shop")).status).toBe(200);
    expect((await api.get("/apis")).status).toBe(200);
    isOver = true;
    for (const end of hanging) end();
    for (const { status, text } of await Promise.all(waiting))
      expect({ status, text }).toEqual({ status: 503, text: "error trying to reach service: socket hang up\n" });
  });

  it("that is truncated is truncated for the client too", async () => {
    await register((request, response) => {
      if (request.url !== one) return false;
      response.writeHead(200, { "content-length": 100 });
      response.write("half", () => response.destroy());
      return true;
    });
    await expect(api.get(one)).rejects.toThrow(/aborted|ECONNRESET|socket hang up/);
  });
});
