import { isIPv4 } from "node:net";
import { expect, it } from "vitest";
import { advertised } from "./host-address.ts";

it("advertises the listen address of a server", () => {
  expect(advertised("192.0.2.7")).toEqual({ advertiseAddress: "192.0.2.7" });
});

it("advertises an address of the machine if a server listens on all addresses or on loopback", () => {
  for (const host of ["0.0.0.0", "127.0.0.1", "::1"]) {
    const { advertiseAddress = "192.0.2.1" } = advertised(host); // none on a machine without network
    expect(isIPv4(advertiseAddress) && !advertiseAddress.startsWith("127.")).toBe(true);
  }
});
