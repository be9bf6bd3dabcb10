import { afterEach, beforeEach, expect, it } from "vitest";
import { ApiServer } from "./api-server.ts";
import { ApiClient } from "./testing/api-client.ts";
import { siteDefinition } from "./testing/site-definition.ts";

const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const definition = `${definitions}/sites.example.com`;
const sites = "/apis/example.com/v1/namespaces/default/sites";

let server: ApiServer;
let api: ApiClient;
beforeEach(async () => {
  server = await ApiServer.start({ tls: false });
  api = new ApiClient(server);
  await api.post(definitions, siteDefinition);
  await expect.poll(async () => (await api.get(sites)).status).toBe(200);
});
afterEach(async () => {
  api.close();
  await server.stop();
});

const make = (name: string) => api.post(sites, { apiVersion: "example.com/v1", kind: "Site", metadata: { name } });
const version = async (): Promise<string> => (await api.get(sites)).body.metadata.resourceVersion;
const column = { name: "A", type: "string", jsonPath: ".spec.a" };
const changeIt = () =>
  api.patch(definition, "json", [{ op: "add", path: "/spec/versions/0/additionalPrinterColumns", value: [column] }]);

async function events(query: string, first: string): Promise<string[]> {
  const seen: string[] = [];
  for await (const { type, object } of api.watch(`${sites}?watch=true&${query}`)) {
    seen.push(
      type === "ERROR"
        ? `${type} ${object.code} ${object.reason} ${object.message}`
        : `${type} ${object.metadata.name}`,
    );
    if (seen.length === 1 && first !== "") await api.patch(definition, "merge", { metadata: { labels: { a: first } } });
    if (seen.length === 1 && first === "change") await changeIt();
  }
  return seen;
}

it("a changed definition ends watches; a change of its metadata does not", async () => {
  const before = await version();
  await make("a");
  expect(await events(`resourceVersion=${before}`, "change")).toEqual(["ADDED a"]);
});

it("a watch from before the change has to list again", async () => {
  const before = await version();
  await make("a");
  await changeIt();
  const { resourceVersion } = (await api.get(definition)).body.metadata;
  await expect
    .poll(() => events(`resourceVersion=${before}&timeoutSeconds=1`, ""))
    .toEqual([`ERROR 410 Expired too old resource version: ${before} (${resourceVersion})`]);
  expect(await events(`resourceVersion=${resourceVersion}&timeoutSeconds=1`, "")).toEqual([]);
  expect(await events("resourceVersion=0&timeoutSeconds=1", "")).toEqual(["ADDED a"]);
});

it("a watch of a deleted definition does not continue with the next one of that name", async () => {
  await make("a");
  const before = await version();
  await api.delete(definition);
  await expect.poll(async () => (await api.get(definition)).status).toBe(404);
  await api.post(definitions, siteDefinition);
  await expect.poll(async () => (await api.get(sites)).status).toBe(200);
  const [only, ...more] = await events(`resourceVersion=${before}&timeoutSeconds=1`, "");
  expect(only).toContain(`ERROR 410 Expired too old resource version: ${before} (`);
  expect(more).toEqual([]);
});

it("a deleted definition waits for all its instances, even more than a watch buffers", {
  timeout: 60_000,
}, async () => {
  const held = (name: number) => ({
    apiVersion: "example.com/v1",
    kind: "Site",
    metadata: { name: `s${name}`, finalizers: ["example.com/hold"] },
  });
  const count = 1_200;
  await Promise.all(Array.from({ length: count }, (_, index) => api.post(sites, held(index))));
  await api.delete(definition);
  const terminating = async (): Promise<number> =>
    (await api.get(sites)).body.items.filter((site: { metadata: object }) => "deletionTimestamp" in site.metadata)
      .length;
  await expect.poll(terminating).toBe(count);
  await new Promise((resolve) => setImmediate(resolve));
  expect((await api.get(definition)).body.metadata.finalizers).toHaveLength(1);
  const free = { metadata: { finalizers: null } };
  await Promise.all(Array.from({ length: count }, (_, index) => api.patch(`${sites}/s${index}`, "merge", free)));
  await expect.poll(async () => (await api.get(definition)).status).toBe(404);
});
