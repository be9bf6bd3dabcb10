import fc from "fast-check";
import { expect, it } from "vitest";
import { Random } from "../time/random.ts";
import { newObject } from "./user-objects.ts";

const kind = { group: "shop.example.com", version: "v1", kind: "Site", plural: "sites", scope: "Namespaced" } as const;

it("creates objects from an arbitrary of fast-check, the same for the same seed", () => {
  const spec = fc.record({
    replicas: fc.integer({ min: 1, max: 9 }),
    names: fc.array(fc.string({ maxLength: 5 }), { maxLength: 3 }),
    size: fc.bigInt({ min: 0n, max: 2n ** 70n }).map(String),
    share: fc.double({ min: 0, max: 1, noNaN: true }),
  });
  const made = (seed: number) =>
    Array.from({ length: 50 }, (_, at) => newObject(kind, fc.record({ spec }), "default", new Random(`${seed}/${at}`)));
  const objects = made(1);
  expect(objects).toEqual(made(1));
  expect(objects).not.toEqual(made(2));
  const replicas = objects.map((object) => (object.spec as { readonly replicas: number }).replicas);
  expect([Math.min(...replicas), Math.max(...replicas)]).toEqual([1, 9]);
  expect(objects[0]).toMatchObject({
    apiVersion: "shop.example.com/v1",
    kind: "Site",
    metadata: { namespace: "default" },
  });
});
