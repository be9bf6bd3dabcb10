import { isConflict } from "@kubewright/apimachinery";
import { describe, expect, expectTypeOf, it } from "vitest";
import { ConfigMap, Deployment } from "../kinds/index.ts";
import { StubApi } from "../testing/stub-api.ts";
import { Client } from "./client.ts";
import { createOrUpdate, createOrUpdateWithResult, type Draft } from "./create-or-update.ts";

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

it("creates a missing object", async () => {
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

it("updates an object only if it differs", async () => {
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

describe("a semantically equal state", () => {
  const web = {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "a", namespace: "web", resourceVersion: "7" },
    spec: {
      selector: { matchLabels: { app: "a" } },
      template: {
        metadata: { labels: { app: "a" } },
        spec: {
          containers: [{ name: "web", image: "nginx", resources: { limits: { cpu: "1", memory: "1Gi" } } }],
          volumes: [{ name: "scratch", emptyDir: {} }],
        },
      },
    },
  };
  const [container] = web.spec.template.spec.containers;

  it.each<[string, (draft: Draft<Deployment>) => void]>([
    ["nothing", () => {}],
    ["an absent member set to undefined", (draft) => Object.assign(draft.metadata, { annotations: undefined })],
    [
      "a member of an absent map set to undefined",
      (draft) => Object.assign(draft.metadata, { labels: { x: undefined } }),
    ],
    ["an empty map", (draft) => Object.assign(draft.metadata, { annotations: {} })],
    ["an empty list", (draft) => Object.assign(draft.metadata, { finalizers: [], ownerReferences: [] })],
    ["an empty status", (draft) => Object.assign(draft, { status: {} })],
    [
      "another way to write a quantity",
      (draft) => {
        const limits = { cpu: "1000m", memory: "1024Mi" };
        if (draft.spec?.template.spec && container)
          draft.spec.template.spec.containers = [{ ...container, resources: { limits, requests: {} } }];
      },
    ],
  ])("is not written: %s", async (_what, mutate) => {
    await using api = await StubApi.start(({ method, body }) => ({ body: method === "GET" ? web : body }));
    await using client = new Client({ connection: { server: api.url } });

    const { object, result } = await createOrUpdateWithResult(client, Deployment, "web/a", mutate);
    expect([result, object]).toEqual(["unchanged", web]);
    expect(api.requests.map(({ method }) => method)).toEqual(["GET"]);
  });

  it("is written if absence has a different meaning", async () => {
    await using api = await StubApi.start(({ method, body }) => ({ body: method === "GET" ? web : body }));
    await using client = new Client({ connection: { server: api.url } });

    await createOrUpdate(client, Deployment, "web/a", (draft) => {
      if (draft.spec?.template.spec) draft.spec.template.spec.volumes = [{ name: "scratch" }];
    });
    expect(api.requests.at(-1)?.method).toBe("PUT");
  });
});

it("returns the result", async () => {
  let stored: object | undefined;
  let version = 0;
  await using api = await StubApi.start(({ method, body }) => {
    if (method === "GET") return stored ? { body: stored } : status(404, "NotFound");
    const { metadata, data } = JSON.parse(body);
    const known = { color: data.color };
    if (JSON.stringify(known) !== JSON.stringify((stored as { data?: object } | undefined)?.data)) version++;
    stored = { ...present, metadata: { ...metadata, resourceVersion: `${version}` }, data: known };
    return { body: stored };
  });
  await using client = new Client({ connection: { server: api.url } });
  const paint = (data: Record<string, string>) =>
    createOrUpdateWithResult(client, ConfigMap, "web/a", (draft) => {
      draft.data = data;
    });

  expect(await paint({ color: "red" })).toMatchObject({ result: "created", object: { data: { color: "red" } } });
  expect(await paint({ color: "red" })).toMatchObject({ result: "unchanged", object: { data: { color: "red" } } });
  expect(await paint({ color: "blue" })).toMatchObject({ result: "updated", object: { data: { color: "blue" } } });
  // The server drops unknown fields, and therefore keeps the version.
  expect(await paint({ color: "blue", unknown: "x" })).toMatchObject({ result: "unchanged" });
  expect(api.requests.map(({ method }) => method).join(" ")).toBe("GET POST GET GET PUT GET PUT");
});

it("types a draft for a missing object", () => {
  expectTypeOf<Draft<Deployment>["metadata"]>().toEqualTypeOf<Deployment["metadata"]>();
  expectTypeOf<Draft<Deployment>["spec"]>().toEqualTypeOf<Deployment["spec"] | undefined>();
  // Never called: only type-checked.
  const programs = async (client: Client, data: ConfigMap["data"]): Promise<void> => {
    const selector = { matchLabels: { app: "a" } };
    const template = { metadata: { labels: { app: "a" } }, spec: { containers: [{ name: "web", image: "nginx" }] } };
    const deployment = await createOrUpdate(client, Deployment, "web/a", (draft) => {
      draft.spec = { ...draft.spec, replicas: 1, selector, template };
      draft.spec ??= { selector, template };
      draft.spec.replicas = 3;
    });
    expectTypeOf(deployment.status?.readyReplicas).toEqualTypeOf<number | undefined>();
    await createOrUpdate(client, Deployment, "web/a", (draft) => {
      // @ts-expect-error a new object has no spec yet
      draft.spec.replicas = 3;
      // @ts-expect-error an incomplete spec is not assignable
      draft.spec = { replicas: 3 };
    });
    await createOrUpdate(client, ConfigMap, "web/a", (draft) => {
      if (data) draft.data = data;
      draft.data = undefined;
    });
  };
  expect(programs).toBeTypeOf("function");
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
