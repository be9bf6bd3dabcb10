import { expect, it } from "vitest";
import { requestInfo } from "./endpoints/request/request-info.ts";

it("runs the README's example", () => {
  const info = requestInfo("GET", "/apis/apps/v1/namespaces/default/deployments/shop/scale", new URLSearchParams());
  expect(info.verb).toBe("get");
  expect([info.group, info.version, info.namespace, info.resource, info.name, info.subresource]).toEqual([
    "apps",
    "v1",
    "default",
    "deployments",
    "shop",
    "scale",
  ]);
});
