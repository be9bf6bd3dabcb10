import { defineKind, type ObjectOf } from "@kubewright/apimachinery";
import { Client } from "@kubewright/client";
import { CustomResourceDefinition } from "@kubewright/client/kinds";
import { expect, it } from "vitest";
import { onEachBed } from "./harness/beds.ts";
import { Followed } from "./harness/followed.ts";

const Lamp = defineKind({
  group: "light.example.com",
  version: "v1",
  kind: "Lamp",
  scope: "Namespaced",
  spec: { type: "object", properties: { watts: { type: "integer" } } },
});
type Lamp = ObjectOf<typeof Lamp>;

const definition = { namespace: "", name: Lamp.crd.metadata.name };

onEachBed("informers and a definition that changes", { crds: [Lamp] }, (env) => {
  // handlers are not called: as upstream, an object of the same version does not count as changed
  it("list again: their objects have the defaults of the new schema", async () => {
    await using client = disposable(new Client({ connection: env().connection() }));
    await client.create(Lamp, { metadata: { name: "a", namespace: "default" }, spec: {} });
    await using followed = await Followed.start<Lamp>({ kind: Lamp, connection: env().connection() });
    const lamps = () => client.list(Lamp);
    await followed.expectCaughtUp(lamps);

    await client.patch(
      CustomResourceDefinition,
      definition,
      [
        {
          op: "replace",
          path: "/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/watts",
          value: { type: "integer", default: 40 },
        },
      ],
      { type: "json" },
    );
    const specs = () => followed.informer.indexer.list().map(({ spec }) => spec);
    await expect.poll(specs, { timeout: 20_000 }).toEqual([{ watts: 40 }]);
    await client.create(Lamp, { metadata: { name: "b", namespace: "default" }, spec: { watts: 60 } });
    await expect.poll(specs, { timeout: 20_000 }).toEqual([{ watts: 40 }, { watts: 60 }]);
    expect(followed.codes("watch")).toContain(410);
  });

  it("report objects that were deleted with their definition, and those of the next one", async () => {
    await using client = disposable(new Client({ connection: env().connection() }));
    await using followed = await Followed.start<Lamp>({ kind: Lamp, connection: env().connection() });
    await client.delete(CustomResourceDefinition, definition);
    await expect.poll(() => followed.informer.indexer.list(), { timeout: 20_000 }).toEqual([]);
    await expect
      .poll(
        () =>
          client.create(CustomResourceDefinition, Lamp.crd as never).then(
            () => true,
            () => false,
          ),
        { timeout: 20_000 },
      )
      .toBe(true);
    const lamp = { metadata: { name: "c", namespace: "default" }, spec: { watts: 5 } };
    await expect
      .poll(
        () =>
          client.create(Lamp, lamp).then(
            () => true,
            () => false,
          ),
        { timeout: 20_000 },
      )
      .toBe(true);
    await followed.expectCaughtUp(() => client.list(Lamp));
  });
});

const disposable = (client: Client): Client & AsyncDisposable =>
  Object.assign(client, { [Symbol.asyncDispose]: () => client.close() });
