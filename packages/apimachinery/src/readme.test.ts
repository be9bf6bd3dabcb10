import { Type } from "typebox";
import { expect, it } from "vitest";
import { defineKind, type ObjectOf, parseLabelSelector } from "./index.ts";

it("does what the README shows", () => {
  const Site = defineKind({
    group: "shop.example.com",
    version: "v1",
    kind: "Site",
    scope: "Namespaced",
    spec: Type.Object({ image: Type.String(), replicas: Type.Integer({ minimum: 0, default: 1 }) }),
  });
  type Site = ObjectOf<typeof Site>;

  const site: Site = Site.parse({ metadata: { name: "web", labels: { app: "shop" } }, spec: { image: "nginx" } });
  expect(site.spec.replicas).toBe(1);
  expect(parseLabelSelector("app in (shop, store)").matches(site.metadata.labels)).toBe(true);
  expect(Site.crd.metadata.name).toBe("sites.shop.example.com");
});
