import { silentLogger } from "@kubewright/log";
import { describe, expect, it } from "vitest";
import { Manager } from "./manager.ts";
import type { ManagerOptions } from "./manager-options.ts";

const described = (options: ManagerOptions) =>
  new Manager({ logger: silentLogger, connection: { server: "http://127.0.0.1:1" }, ...options }).describe();

describe("where a described program is found", () => {
  it.each([":8443", "127.0.0.1:8443", "[::1]:8443"])("is the port of %s", (bindAddress) => {
    const { metrics, health } = described({ metrics: { bindAddress }, health: { bindAddress } });
    expect([metrics.port, health?.port]).toEqual([8443, 8443]);
  });

  it.each(["0", ""])("is nowhere for %j, which switches a server off", (bindAddress) => {
    const off = { bindAddress, authenticate: true };
    const { metrics, health } = described({ metrics: off, health: { bindAddress }, profiling: off });
    expect(metrics).toEqual({ isAuthenticated: false, isSecure: false, port: undefined });
    expect(health).toBeUndefined();
  });

  it("is not known for any free port, but who reads is authenticated there all the same", () => {
    const { metrics, health } = described({
      metrics: { bindAddress: "127.0.0.1:0", authenticate: true },
      health: { bindAddress: ":0" },
    });
    expect(metrics).toEqual({ isAuthenticated: true, isSecure: false, port: undefined });
    expect(health).toBeUndefined();
  });

  it("is refused for what is no address, as it is when the server starts", () => {
    const refusal = 'cannot listen on "8443": want "host:port", ":port" or "0"';
    expect(() => described({ metrics: { bindAddress: "8443" } })).toThrow(refusal);
  });
});
