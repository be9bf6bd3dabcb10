import { isConflict } from "@kubewright/apimachinery";
import { expect, it } from "vitest";
import { Client } from "./client.ts";
import { createOrUpdate } from "./create-or-update.ts";
import { ConfigMap } from "./kinds/index.ts";
import { StubApi } from "./testing/stub-api.ts";

const present = {
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "a", namespace: "web", resourceVersion: "7" },
  data: { k: "v" },
};
const status = (code: number, reason: string) => ({
  status: code,
  body: { kind: "Status", apiVersion: "v1", metadata: {}, reason, code },
});

it("creates what is not there", async () => {
  await using api = await StubApi.start(({ method, body }) => (method === "GET" ? status(404, "NotFound") : { body }));
  await using client = new Client({ connection: { server: api.url } });

  const made = await createOrUpdate(client, ConfigMap, "web/a", (draft) => {
    draft.data = { k: "v" };
  });
  expect(made).toEqual({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "a", namespace: "web" },
    data: { k: "v" },
  });
});

it("updates what differs and leaves alone what does not", async () => {
  await using api = await StubApi.start(({ method, body }) => ({ body: method === "GET" ? present : body }));
  await using client = new Client({ connection: { server: api.url } });

  await createOrUpdate(client, ConfigMap, "web/a", (draft) => {
    draft.data = { k: "v" };
  });
  expect(api.requests.map(({ method }) => method)).toEqual(["GET"]);

  const changed = await createOrUpdate(client, ConfigMap, "web/a", async (draft) => {
    draft.data = { k: "other" };
  });
  expect(changed.data).toEqual({ k: "other" });
  expect(api.requests.at(-1)?.method).toBe("PUT");
});

it("passes conflicts on, and refuses to rename", async () => {
  await using api = await StubApi.start(({ method }) =>
    method === "GET" ? { body: present } : status(409, "Conflict"),
  );
  await using client = new Client({ connection: { server: api.url } });

  const touch = createOrUpdate(client, ConfigMap, "web/a", (draft) => {
    draft.data = {};
  });
  await expect(touch).rejects.toSatisfy(isConflict);
  const rename = createOrUpdate(client, ConfigMap, "web/a", (draft) => {
    draft.metadata.name = "b";
  });
  await expect(rename).rejects.toThrow("createOrUpdate ConfigMap web/a: the name or namespace was changed");
});
