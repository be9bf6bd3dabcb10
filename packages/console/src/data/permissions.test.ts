import type { Kind } from "@kubewright/apimachinery";
import { ConfigMap, Pod } from "@kubewright/client/kinds";
import { FakeClock } from "@kubewright/clock/testing";
import { Manager } from "@kubewright/manager";
import { expect, it, onTestFinished } from "vitest";
import { fakeApi } from "../testing/fake-api.ts";
import { Permissions } from "./permissions.ts";

interface Attributes {
  readonly group: string;
  readonly resource: string;
  readonly subresource?: string;
  readonly verb: string;
  readonly namespace?: string;
  readonly name?: string;
}

const failure = {
  kind: "Status",
  apiVersion: "v1",
  status: "Failure",
  reason: "Invalid",
  code: 422,
  message: "no such thing",
};

/** A program with permissions declared by `declare`, and an API server that decides with `allows` or fails. */
async function start(declare: (manager: Manager) => void, allows: (about: Attributes) => boolean | "fails") {
  const manager = new Manager({ name: "shop", metrics: { bindAddress: "0" } });
  declare(manager);
  const clock = new FakeClock();
  const reviewed: Attributes[] = [];
  const api = await fakeApi(({ body }) => {
    const about: Attributes = JSON.parse(body).spec.resourceAttributes;
    reviewed.push(about);
    const allowed = allows(about);
    return allowed === "fails" ? { status: 422, body: failure } : { status: 201, body: { status: { allowed } } };
  });
  onTestFinished(() => api[Symbol.asyncDispose]());
  const unfenced = { apiReader: api.client };
  const permissions = new Permissions({
    manager: { describe: () => manager.describe(), unfenced },
    clock,
    namespace: "shop-system",
  });
  return { permissions, clock, reviewed };
}

it("checks each verb, subresource, namespace and name of the roles, and returns which are missing", async () => {
  const { permissions, reviewed } = await start(
    (manager) => {
      manager.needs(Pod, ["get"], { subResource: "log" });
      manager.needs(ConfigMap, ["update"], { namespace: "system", names: ["a", "b"] });
      manager.needs(ConfigMap, ["delete"], { names: ["a", "b"] });
    },
    ({ name }) => name !== "b",
  );
  const { checked, left, error } = await permissions.answer();
  expect([left, error]).toEqual([0, undefined]);
  const about = (verb: string) => checked.filter((one) => one.verb === verb && /^(pods|configmaps)/.test(one.resource));
  expect(about("get")).toMatchObject([{ resource: "pods/log", namespace: "", names: [], isAllowed: true }]);
  expect(about("update")).toMatchObject([
    { resource: "configmaps", namespace: "shop-system", names: ["a", "b"], isAllowed: false },
  ]);
  expect(about("delete")).toMatchObject([{ namespace: "", names: ["a", "b"], isAllowed: false }]);
  const sent = reviewed.filter(({ resource }) => resource === "pods" || resource === "configmaps");
  expect(sent).toHaveLength(5);
  const inSystem = { group: "", resource: "configmaps", verb: "update", namespace: "shop-system" };
  expect(sent).toEqual(
    expect.arrayContaining([
      { group: "", resource: "pods", subresource: "log", verb: "get" },
      { ...inSystem, name: "a" },
      { ...inSystem, name: "b" },
    ]),
  );
});

it("checks at most once a minute for all viewers", async () => {
  const { permissions, clock, reviewed } = await start(
    (manager) => manager.needs(Pod, ["get"]),
    () => true,
  );
  const [one, other] = await Promise.all([permissions.answer(), permissions.answer()]);
  const once = reviewed.length;
  expect([one.checked.length, other]).toEqual([once, one]);
  await clock.advance(59_999);
  expect(await permissions.answer()).toBe(one);
  await clock.advance(1);
  expect(await permissions.answer()).toEqual(one);
  expect([reviewed.length, clock.waiting]).toEqual([2 * once, 0]);
});

it("returns permissions that could not be checked, with the error, and stops", async () => {
  const { permissions, reviewed } = await start(
    (manager) => manager.needs(Pod, ["get", "update", "patch", "delete", "create", "list", "watch"]),
    () => "fails",
  );
  const { checked, error } = await permissions.answer();
  expect(error).toContain("no such thing");
  expect(checked.map(({ isAllowed }) => isAllowed)).toEqual(checked.map(() => undefined));
  expect(reviewed.length).toBeLessThanOrEqual(4);
});

it("checks at most four hundred, and returns the number of others", async () => {
  const kind = (at: number): Kind => ({
    group: "shop",
    version: "v1",
    kind: `K${at}`,
    plural: `k${at}`,
    scope: "Namespaced",
  });
  const { permissions, reviewed } = await start(
    (manager) => {
      for (let at = 0; at < 402; at++) manager.needs(kind(at), ["get"]);
    },
    () => true,
  );
  const { checked, left } = await permissions.answer();
  expect([checked.length, reviewed.length]).toEqual([400, 400]);
  expect(left).toBeGreaterThanOrEqual(2);
});

it("survives a program that cannot be described", async () => {
  const clock = new FakeClock();
  const describe = () => {
    throw new Error("not described");
  };
  const apiReader = { create: () => Promise.reject(new Error("not called")) };
  const manager = { describe, unfenced: { apiReader } };
  const permissions = new Permissions({ manager, clock, namespace: "shop-system" });
  const rejected: unknown[] = [];
  const note = (reason: unknown) => void rejected.push(reason);
  process.on("unhandledRejection", note);
  onTestFinished(() => void process.off("unhandledRejection", note));
  expect(permissions.latest).toBeUndefined();
  await new Promise((resolve) => setImmediate(resolve));
  expect(rejected).toEqual([]);
});
