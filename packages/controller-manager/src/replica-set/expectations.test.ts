import type { Pod } from "@kubewright/client/kinds";
import { FakeClock } from "@kubewright/clock/testing";
import { expect, it } from "vitest";
import { Expectations } from "./expectations.ts";

const pod = (uid: string): Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: uid, uid },
  spec: { containers: [] },
});

it("waits until the cache has shown what was created, but not for ever", async () => {
  const clock = new FakeClock();
  const expectations = new Expectations(clock, 1_000);
  expectations.created("web", "a");
  expectations.created("web", "b");
  expect(expectations.areMet("web", [pod("a")])).toBe(false);
  expect(expectations.areMet("web", [pod("a"), pod("b")])).toBe(true);
  expectations.created("web", "c");
  await clock.advance(1_000);
  expect(expectations.areMet("web", [])).toBe(true);
});

it("knows a deleted pod that the cache still shows", () => {
  const expectations = new Expectations(new FakeClock());
  expectations.deleted("web", "a");
  expect(expectations.isDeleted("web", "a")).toBe(true);
  expect(expectations.isDeleted("other", "a")).toBe(false);
  expectations.areMet("web", []);
  expect(expectations.isDeleted("web", "a")).toBe(false);
});
