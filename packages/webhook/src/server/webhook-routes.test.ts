import { defineKind, spoke, typedSchema, versions } from "@kubewright/apimachinery";
import { silentLogger } from "@kubewright/log";
import { expect, it, vi } from "vitest";
import { conversion } from "../conversion.ts";
import { noMetrics } from "../endpoint/webhook-metrics.ts";
import { WebhookRoutes } from "./webhook-routes.ts";

it("logs warnings about the versions of a kind", () => {
  const shared = { group: "shop.example.com", kind: "Site", scope: "Namespaced" } as const;
  const spec = typedSchema<{ a?: string }>({ type: "object", properties: { a: { type: "string" } } });
  const hub = defineKind({ ...shared, version: "v1beta1", deprecated: "use v1", spec });
  const Site = versions(hub, { spokes: [spoke(defineKind({ ...shared, version: "v1", spec }))] });
  const warn = vi.spyOn(silentLogger, "warn");

  new WebhookRoutes(noMetrics, silentLogger).add(conversion(Site));

  expect(warn).toHaveBeenCalledExactlyOnceWith(
    {
      definition: "sites.shop.example.com",
      warning: "the hub v1beta1 is deprecated, but v1 is not; use that version as the hub",
    },
    "the settings of the kind's versions are unusual",
  );
  warn.mockRestore();
});
