import { unstructured } from "@kubewright/apimachinery";
import { describe, expect, expectTypeOf, it } from "vitest";
import { ConfigMap, Deployment, Namespace } from "../kinds/index.ts";
import { configMap, stubbed } from "../testing/stubbed-client.ts";
import { clientsetOf, type ResourceClient } from "./clientset.ts";

const clientset = clientsetOf({
  core: { v1: { configMaps: ConfigMap, namespaces: Namespace } },
  apps: { v1: { deployments: Deployment } },
});

describe("a clientset", () => {
  it("makes each call in its namespace", async () => {
    await using stub = await stubbed(({ url, method }) => ({
      body: method === "GET" && url.endsWith("configmaps") ? { items: [configMap] } : configMap,
    }));
    const maps = clientset(stub.client).core.v1.configMaps("web");
    await maps.get("a");
    await maps.list({ limit: 3 });
    await maps.create({ metadata: { name: "a" }, data: { k: "v" } });
    await maps.update({ ...configMap });
    await maps.updateStatus({ ...configMap });
    await maps.patch("a", { data: { k: null } });
    await maps.apply({ metadata: { name: "a" } }, { fieldOwner: "me" });
    await maps.delete("a");
    await maps.deleteCollection({ labels: { app: "shop" } });
    const base = "/api/v1/namespaces/web/configmaps";
    expect(stub.api.requests.map(({ method, url }) => `${method} ${url.split("?")[0]}`)).toEqual([
      `GET ${base}/a`,
      `GET ${base}`,
      `POST ${base}`,
      `PUT ${base}/a`,
      `PUT ${base}/a/status`,
      `PATCH ${base}/a`,
      `PATCH ${base}/a`,
      `DELETE ${base}/a`,
      `DELETE ${base}`,
    ]);
    expect(JSON.parse(stub.api.requests[2]?.body ?? "").metadata).toEqual({ name: "a", namespace: "web" });
  });

  it("watches its namespace", async () => {
    await using stub = await stubbed(() => ({ body: `${JSON.stringify({ type: "ADDED", object: configMap })}\n` }));
    for await (const event of clientset(stub.client).core.v1.configMaps("web").watch()) {
      expect(event).toEqual({ type: "ADDED", object: configMap });
      break;
    }
    expect(stub.last()?.url.split("?")[0]).toBe("/api/v1/namespaces/web/configmaps");
  });

  it("uses all namespaces, or none, if no namespace is given", async () => {
    await using stub = await stubbed(() => ({ body: { items: [] } }));
    await clientset(stub.client).apps.v1.deployments().list();
    expect(stub.last()?.url).toBe("/apis/apps/v1/deployments");
    await clientset(stub.client).core.v1.namespaces().get("web");
    expect(stub.last()?.url).toBe("/api/v1/namespaces/web");
  });

  it("refuses an object of another namespace", async () => {
    await using stub = await stubbed();
    const maps = clientset(stub.client).core.v1.configMaps("shop");
    for (const call of [() => maps.create(configMap), () => maps.update(configMap), () => maps.apply(configMap)])
      await expect(call()).rejects.toThrow("the object's namespace differs from the call's namespace, shop");
    expect(stub.api.requests).toHaveLength(0);
  });

  it("refuses a member that is not a kind, with its path", () => {
    expect(() => clientsetOf({ core: { v1: { pods: {} as never } } })).toThrow(
      "clientsetOf: core.v1.pods is not a kind",
    );
  });

  it("knows the types of its objects", () => {
    type Set = ReturnType<typeof clientset>;
    expectTypeOf<keyof Set>().toEqualTypeOf<"core" | "apps">();
    expectTypeOf<ReturnType<Set["core"]["v1"]["configMaps"]>>().toEqualTypeOf<ResourceClient<ConfigMap>>();
    const other = clientsetOf({ a: { v1: { things: unstructured({ apiVersion: "a/v1", kind: "Thing" }) } } });
    expectTypeOf<ReturnType<ReturnType<typeof other>["a"]["v1"]["things"]>["get"]>().returns.resolves.toExtend<{
      metadata: { uid: string };
    }>();
  });
});
