import type { Kind } from "@kubewright/apimachinery";
import { expect, it } from "vitest";
import { EventBroadcaster, type EventSink } from "./index.ts";

it("writes events as the README shows", async () => {
  const written: unknown[] = [];
  const client: EventSink = {
    create: async (_kind: Kind, object: unknown) => {
      written.push(object);
      return object as never;
    },
    patch: async (_kind, _target, patch) => patch as never,
  };
  const metadata = { name: "web-0", namespace: "shop" };
  const pod = { apiVersion: "v1", kind: "Pod", metadata };
  const store = { apiVersion: "v1", kind: "ConfigMap", metadata };

  const broadcaster = new EventBroadcaster({ sink: client });
  const recorder = broadcaster.recorder("shopkeeper");

  recorder.event(pod, { reason: "Opened", note: "the shop is open" });
  recorder.event(pod, {
    type: "Warning",
    reason: "OutOfStock",
    action: "Restock",
    note: "no apples left",
    related: store,
  });

  await broadcaster.stop();
  expect(written).toMatchObject([
    { reason: "Opened", type: "Normal", action: "Opened" },
    { reason: "OutOfStock", type: "Warning", action: "Restock", related: { kind: "ConfigMap" } },
  ]);
});
