import type { Unstructured } from "@kubewright/apimachinery";
import { expect, it, vi } from "vitest";
import { registry } from "./testing/registry.ts";
import { local, writeCondition } from "./write-condition.ts";

const name = "v1.g.io";
const always = () => true;
const passed = { status: "True", reason: "Passed", message: "all checks passed" } as const;
const away = { status: "False", reason: "ServiceNotFound", message: "it is not present" } as const;
const [began, later] = ["2026-01-01T00:00:00Z", "2026-01-01T00:01:00Z"];

it.each([
  ["stays if only the reason differs", passed, { ...passed, reason: "Local" }, began],
  ["stays if only the message differs", away, { ...away, message: "it is gone" }, began],
  ["is now if it changes from True to False", passed, away, later],
  ["is now if it changes from False to True", away, passed, later],
  ["is now if it changes from False to Unknown", away, { ...away, status: "Unknown" as const }, later],
])("the time of transition %s", async (_, first, second, since) => {
  await using there = await registry();
  await there.create(name, {});
  await writeCondition(there.scope, name, always, first);
  expect(await there.conditions(name)).toEqual([{ type: "Available", ...first, lastTransitionTime: began }]);
  await there.clock.advance(60_000);
  await writeCondition(there.scope, name, always, second);
  expect(await there.conditions(name)).toEqual([{ type: "Available", ...second, lastTransitionTime: since }]);
});

it("is written once, and only to the status", async () => {
  await using there = await registry();
  await there.create(name, {});
  const { spec } = await there.read(name);
  await writeCondition(there.scope, name, always, local);
  const written = await there.read(name);
  expect(written.spec).toEqual(spec);
  await there.clock.advance(60_000);
  await writeCondition(there.scope, name, always, local);
  expect((await there.read(name)).metadata.resourceVersion).toBe(written.metadata.resourceVersion);
});

it("is a field of this server's", async () => {
  await using there = await registry();
  await there.create(name, {});
  const update = vi.fn((_live: Unstructured, next: Unstructured) => {
    next.metadata.managedFields = [{ manager: "somebody", operation: "Update", subresource: "status" }];
    return next;
  });
  const resource = { ...there.scope.resource, fieldManager: { update } };
  await writeCondition({ ...there.scope, resource } as never, name, always, local);
  const conditions = [{ type: "Available", ...local, lastTransitionTime: began }];
  expect(update).toHaveBeenCalledExactlyOnceWith(
    expect.objectContaining({ status: {} }),
    expect.objectContaining({ status: { conditions } }),
    {
      manager: "kube-apiserver",
      subresource: "status",
      time: began,
      resetFields: [["spec"], ["metadata"]],
    },
  );
  expect((await there.read(name)).metadata.managedFields).toMatchObject([{ manager: "somebody" }]);
});

it("keeps other conditions", async () => {
  await using there = await registry();
  await there.create(name, {});
  const other = (type: string) => ({ type, status: "True", lastTransitionTime: began });
  await there.write(name, "status", (object) => {
    object.status = { conditions: [other("A")] };
  });
  await writeCondition(there.scope, name, always, passed);
  const types = async () => (await there.conditions(name)).map(({ type, status }) => `${type} ${status}`);
  expect(await types()).toEqual(["A True", "Available True"]);
  await there.write(name, "status", (object) => {
    object.status = { conditions: [other("A"), other("Available"), other("B")] };
  });
  await writeCondition(there.scope, name, always, away);
  expect(await types()).toEqual(["A True", "Available False", "B True"]);
});

it("ignores a replaced or deleted APIService", async () => {
  await using there = await registry();
  await there.create(name, {});
  const isMeant = vi.fn(() => false);
  await writeCondition(there.scope, name, isMeant, passed);
  expect(await there.conditions(name)).toEqual([]);
  expect(isMeant).toHaveBeenCalledWith(expect.objectContaining({ metadata: expect.objectContaining({ name }) }));
  await expect(writeCondition(there.scope, "v2.g.io", always, passed)).resolves.toBeUndefined();
});

it("fails if it cannot be written", async () => {
  await using there = await registry();
  const store = { ...there.scope.store, update: () => Promise.reject(new Error("storage is away")) };
  await expect(writeCondition({ ...there.scope, store } as never, name, always, passed)).rejects.toThrow("is away");
});
