import { expect, it } from "vitest";
import { replicaSetAnnotations, revisionOf } from "./revision.ts";

const revision = "deployment.kubernetes.io/revision";
const spec = { selector: {}, template: {} };
const withRevision = (text: string) => ({
  apiVersion: "apps/v1",
  kind: "ReplicaSet",
  metadata: { name: "a", annotations: { [revision]: text } },
  spec,
});

it("revisions are 64-bit numbers", () => {
  const next = revisionOf(withRevision("3546343826724305832")) + 1n;
  const deployment = { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "a" }, spec };
  expect(replicaSetAnnotations(deployment, next, { desired: 1, max: 2 })[revision]).toBe("3546343826724305833");
});

it("a text that is not a number is not a revision", () => {
  expect(revisionOf(withRevision("x"))).toBe(0n);
});
