import type { Pod } from "@kubewright/client/kinds";
import { FakeClock } from "@kubewright/clock/testing";
import { expect, it } from "vitest";
import { AssumedPods } from "./assumed-pods.ts";

const pod = (uid: string, nodeName?: string): Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: uid, namespace: "ns", uid },
  spec: { containers: [], ...(nodeName ? { nodeName } : {}) },
});

it("a pod counts on its assigned node until the cache shows otherwise", () => {
  const assumed = new AssumedPods(new FakeClock());
  expect(assumed.nodeOf(pod("a"))).toBeUndefined();
  assumed.assume(pod("a"), "n1");
  assumed.assume(pod("b"), "n2");
  expect([pod("a"), pod("b"), pod("a", "n3")].map((each) => assumed.nodeOf(each))).toEqual(["n1", "n2", "n3"]);
  assumed.forget(pod("a"));
  expect([pod("a"), pod("b")].map((each) => assumed.nodeOf(each))).toEqual([undefined, "n2"]);
});

it("the cache lags for ten seconds", async () => {
  const clock = new FakeClock();
  const assumed = new AssumedPods(clock);
  await clock.advance(5_000);
  expect(assumed.lagMs(pod("a"))).toBe(0);
  assumed.assume(pod("a"), "n1");
  expect(assumed.lagMs(pod("a"))).toBe(10_000);
  await clock.advance(9_999);
  expect(assumed.lagMs(pod("a"))).toBe(1);
  await clock.advance(2);
  expect(assumed.lagMs(pod("a"))).toBe(0);
});

it("a pod is forgotten after it was shown as bound for ten seconds", async () => {
  const clock = new FakeClock();
  const assumed = new AssumedPods(clock);
  assumed.assume(pod("a"), "n1");
  await clock.advance(60_000);
  assumed.forgetShown([pod("a"), pod("b", "n2")]);
  assumed.forgetShown([pod("a", "n1")]);
  await clock.advance(9_999);
  assumed.forgetShown([pod("a", "n1")]);
  expect(assumed.nodeOf(pod("a"))).toBe("n1");
  await clock.advance(1);
  assumed.forgetShown([pod("a", "n1")]);
  expect(assumed.nodeOf(pod("a"))).toBeUndefined();
});

it("deleted pods are forgotten ten seconds after their assignment, if there are many", async () => {
  const clock = new FakeClock();
  const assumed = new AssumedPods(clock);
  for (let i = 0; i < 1_000; i++) assumed.assume(pod(`p${i}`), "n1");
  expect(assumed.isFull).toBe(false);
  await clock.advance(10_000);
  assumed.forgetShown([]);
  expect(assumed.nodeOf(pod("p0"))).toBe("n1");
  assumed.assume(pod("last"), "n2");
  expect(assumed.isFull).toBe(true);
  assumed.forgetShown([pod("p1")]);
  expect(["p0", "p1", "last"].map((uid) => assumed.nodeOf(pod(uid)))).toEqual([undefined, "n1", "n2"]);
  expect(assumed.isFull).toBe(false);
});
