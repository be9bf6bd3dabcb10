import { expect, it } from "vitest";
import { podText } from "../feed/pod-text.ts";
import { HeldPod } from "./held-pod.ts";
import { readPod } from "./informer-subject.ts";

it("has the fields of a parsed Pod", () => {
  const text = podText({ index: 7, version: 1, revision: 3 });
  const { managedFields, ...metadata } = JSON.parse(text).metadata;
  const pod = new HeldPod(Buffer.from(`{"type":"MODIFIED","object":${text}}`));

  expect(managedFields).toBeDefined();
  expect(pod.metadata).toEqual(metadata);
  expect([pod.spec, pod.status]).toEqual([JSON.parse(text).spec, JSON.parse(text).status]);
  expect(readPod(pod, "everything")).toBe(readPod(JSON.parse(text), "everything"));
});
