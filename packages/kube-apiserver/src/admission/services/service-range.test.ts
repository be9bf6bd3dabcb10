import { expect, it } from "vitest";
import { addressAt, isInRange, serviceRange } from "./service-range.ts";

it("counts addresses from the network address", () => {
  const range = serviceRange("10.0.0.0/24");
  expect([addressAt(range, 1), addressAt(range, 254)]).toEqual(["10.0.0.1", "10.0.0.254"]);
  expect(
    ["10.0.0.0", "10.0.0.1", "10.0.0.254", "10.0.0.255", "10.0.1.0"].map((each) => isInRange(range, each)),
  ).toEqual([false, true, true, false, false]);
  expect(addressAt(serviceRange("203.0.113.77/28"), 1)).toBe("203.0.113.65");
});

it.each(["", "10.0.0.0", "10.0.0.0/31", "10.0.0.256/24", "fd00::/108"])("rejects %j", (text) => {
  expect(() => serviceRange(text)).toThrow(/must be an IPv4 network/);
});
