import { defineKind, type Kind, metadataOnly } from "@kubewright/apimachinery";
import { ConfigMap, Deployment, Pod } from "@kubewright/client/kinds";
import { expect, it } from "vitest";
import { controllerDescription } from "./controller-description.ts";

it("includes the definitions of kinds that the program provides", () => {
  const cache = { getInformer: () => expect.unreachable() };
  const shop = { group: "shop.example.com", version: "v1", scope: "Namespaced" } as const;
  const [site, policy, cart] = ["Site", "Policy", "Cart"].map((kind) =>
    defineKind({ ...shop, kind, spec: { type: "object", properties: {} } as const }),
  );
  if (!site || !policy || !cart) throw new Error("no kinds");
  const source = (kind: Kind, isDefinedHere?: boolean) => ({ watched: { kind, cache, isDefinedHere } });
  const defined = (...sources: ReturnType<typeof source>[]): string[] => {
    const { for: main, owns, watches } = controllerDescription("test", { for: site, owns: [policy] }, sources, cache);
    return [main, ...owns, ...watches].flatMap((one) => (one?.crd ? one.kind : []));
  };
  expect(defined(source(site), source(policy), source(cart))).toEqual(["Site", "Policy"]);
  expect(defined(source(site, true), source(policy, true), source(cart, true))).toEqual(["Site", "Policy", "Cart"]);
  expect(defined(source(site, false), source(policy, false), source(cart, false))).toEqual([]);
  expect(defined(source(site), source(cart), source(cart, true))).toEqual(["Site", "Policy", "Cart"]);
  for (const both of [
    [true, false],
    [false, true],
  ])
    expect(defined(...both.map((isDefinedHere) => source(cart, isDefinedHere)))).toEqual(["Site", "Policy"]);
  expect(defined(source(metadataOnly(cart), true))).toEqual(["Site", "Policy", "Cart"]);
});

it("lists each kind once, reconciled and owned kinds not as watched, and no kinds of other clusters", () => {
  const [cache, other] = [{ getInformer: () => expect.unreachable() }, { getInformer: () => expect.unreachable() }];
  const sources = [Deployment, Pod, ConfigMap, ConfigMap].map((kind) => ({ watched: { kind, cache } }));
  const elsewhere = { watched: { kind: Pod, cache: other } };
  const described = controllerDescription(
    "test",
    { for: Deployment, owns: [Pod, Pod] },
    [...sources, elsewhere, {}],
    cache,
  );
  expect(described).toMatchObject({ name: "test", for: { kind: "Deployment" } });
  const kinds = (of: "owns" | "watches"): string[] => described[of].map(({ kind }) => kind);
  expect([kinds("owns"), kinds("watches")]).toEqual([["Pod"], ["ConfigMap"]]);
  expect(controllerDescription("test", {}, [elsewhere], cache)).toEqual({ name: "test", owns: [], watches: [] });
});
