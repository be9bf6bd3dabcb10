import { isNotFound, type Kind, type KubeObject } from "@kubewright/apimachinery";
import { expect, expectTypeOf, it } from "vitest";
import type { Lister } from "../store/lister.ts";
import { FakeListWatchClient } from "../testing/fake-list-watch-client.ts";
import { informersOf } from "./informers-of.ts";
import type { SharedInformer } from "./shared-informer.ts";

interface Network extends KubeObject {
  spec: { cidr: string };
}
const Network: Kind<Network> = {
  group: "samplecrd.k8s.io",
  version: "v1",
  kind: "Network",
  plural: "networks",
  scope: "Namespaced",
};
const Gateway: Kind = { ...Network, kind: "Gateway", plural: "gateways" };
const informers = informersOf({ samplecrd: { v1: { networks: Network, gateways: Gateway } } });

it("has an informer and a lister for each kind, and runs the requested ones", async () => {
  const client = new FakeListWatchClient();
  const factory = informers(client, { useWatchList: false });
  const { informer, lister } = factory.samplecrd.v1.networks;
  expect(factory.samplecrd.v1.networks.informer).toBe(informer);
  const stop = new AbortController();
  await factory.start(stop.signal);
  await factory.synced();
  expect(informer.hasSynced).toBe(true);
  expect(client.source(Network).lists).toHaveLength(1);
  expect(client.source(Gateway).lists).toHaveLength(0);
  expect(lister.namespace("default").list()).toEqual([]);
  expect(() => lister.namespace("default").get("a")).toThrow(expect.toSatisfy(isNotFound));
  stop.abort();
  await factory.stopped();
});

it("knows the types of its objects", () => {
  type Networks = ReturnType<typeof informers>["samplecrd"]["v1"]["networks"];
  expectTypeOf<Networks["informer"]>().toEqualTypeOf<SharedInformer<Network>>();
  expectTypeOf<Networks["lister"]>().toEqualTypeOf<Lister<Network>>();
});

it("refuses a group that would hide a method", () => {
  expect(() => informersOf({ start: {} })).toThrow('a group must not be called "start"');
});
