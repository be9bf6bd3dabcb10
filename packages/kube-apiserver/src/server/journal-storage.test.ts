import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ApiServer } from "./api-server.ts";
import type { ApiServerOptions } from "./api-server-options.ts";
import { ApiClient } from "./testing/api-client.ts";
import { siteDefinition } from "./testing/site-definition.ts";

let directory = "";
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "journal-server-"));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const start = (options: ApiServerOptions = {}): Promise<ApiServer> =>
  ApiServer.start({
    storage: { type: "journal", directory: join(directory, "store") },
    identityDirectory: join(directory, "pki"),
    ...options,
  });

const site = (name: string) => ({ apiVersion: "example.com/v1", kind: "Site", metadata: { name }, spec: { size: 3 } });
const sites = "/apis/example.com/v1/namespaces/default/sites";

test("a new process on the same journal has objects, definitions and versions, and watchers continue", async () => {
  const plain = { tls: false, crds: [siteDefinition] };
  const first = await start(plain);
  const client = new ApiClient(first);
  await client.post(sites, site("a"));
  const { body: list } = await client.get(sites);
  await client.post(sites, site("b"));
  client.close();
  await first.stop();

  await using second = await start(plain);
  const again = new ApiClient(second);
  const names: string[] = [];
  const from = list.metadata.resourceVersion;
  await again.post(sites, site("c"));
  for await (const { type, object } of again.watch(`${sites}?watch=true&resourceVersion=${from}`)) {
    names.push(`${type} ${object.metadata.name}`);
    if (object.metadata.name === "c") break;
  }
  expect(names).toEqual(["ADDED b", "ADDED c"]);
  const { body } = await again.get(sites);
  expect(body.items.map((item: { metadata: { uid: string } }) => item.metadata.uid)[0]).toBe(
    list.items[0].metadata.uid,
  );
  again.close();
});

test("certificates outlive the process with a directory for its CAs", async () => {
  const first = await start();
  const { caData } = first;
  await first.stop();
  await using second = await start();
  expect(second.caData).toBe(caData);
});

test("a directory in use aborts the start with its name and the process", async () => {
  await using _first = await start();
  await expect(start()).rejects.toThrow(`is in use by process ${process.pid}`);
});
