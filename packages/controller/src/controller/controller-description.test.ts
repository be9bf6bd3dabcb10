import { ConfigMap, Deployment, Pod } from "@kubewright/client/kinds";
import { expect, it } from "vitest";
import { controllerDescription } from "./controller-description.ts";

it("tells each kind once, what it is for or owns not among what it watches, and nothing of other clusters", () => {
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
