import { FakeClock } from "@kubewright/clock/testing";
import { expect, it } from "vitest";
import { pods } from "./api-resource.ts";
import { ApiWatch } from "./api-watch.ts";

const podOfVersion = (version: number) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: {
    name: `pod-${version}`,
    namespace: "site",
    uid: `uid-${version}`,
    resourceVersion: String(version),
    generation: 1,
    creationTimestamp: "2026-01-01T00:00:00Z",
  },
});

it("keeps the order of late events, even within the same millisecond", async () => {
  const clock = new FakeClock();
  let lagMs = 8_000;
  const watch = new ApiWatch({
    resource: pods,
    namespace: "site",
    timeoutMs: 600_000,
    clock,
    signal: undefined,
    lagMs: () => lagMs,
    version: () => 3,
    shown: (object) => object,
    onClosed: () => {},
  });
  // This timer was set earlier than that of the late event, so it fires first.
  clock.after(8_000, () => watch.deliver(pods, { type: "ADDED", object: podOfVersion(2) }));
  watch.deliver(pods, { type: "ADDED", object: podOfVersion(1) });
  lagMs = 0;

  await clock.advance(8_000);
  watch.deliver(pods, { type: "ADDED", object: podOfVersion(3) });
  watch.end();
  let received = "";
  for await (const chunk of watch.body) received += chunk.toString();

  expect(received.match(/pod-\d/g)).toEqual(["pod-1", "pod-2", "pod-3"]);
});
