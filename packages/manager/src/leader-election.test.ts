import { afterEach, expect, it, vi } from "vitest";
import { leaseNamespace } from "./leader-election.ts";

afterEach(() => vi.unstubAllEnvs());

it("uses the pod's namespace for the lease, unless another is set", () => {
  vi.stubEnv("POD_NAMESPACE", "shop-system");
  expect(leaseNamespace({ id: "a" })).toBe("shop-system");
  expect(leaseNamespace({ id: "a", namespace: "other" })).toBe("other");
  vi.stubEnv("POD_NAMESPACE", "");
  expect(() => leaseNamespace({ id: "a" })).toThrow("please specify leaderElection.namespace");
});
