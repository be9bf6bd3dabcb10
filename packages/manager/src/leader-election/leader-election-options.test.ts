import { afterEach, expect, it, vi } from "vitest";
import { leaseNamespace } from "./leader-election-options.ts";

afterEach(() => vi.unstubAllEnvs());

it("keeps the lease where the pod is, unless it is told another place", () => {
  vi.stubEnv("POD_NAMESPACE", "shop-system");
  expect(leaseNamespace({ id: "a" })).toBe("shop-system");
  expect(leaseNamespace({ id: "a", namespace: "other" })).toBe("other");
  vi.stubEnv("POD_NAMESPACE", "");
  expect(() => leaseNamespace({ id: "a" })).toThrow("please specify leaderElection.namespace");
});
