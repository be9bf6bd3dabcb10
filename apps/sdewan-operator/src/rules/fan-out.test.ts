import type { Pod } from "@kubewright/client/kinds";
import { OpenWrtError, OpenWrtNetworkError, UnexpectedResponseError } from "@kubewright/openwrt";
import { describe, expect, it } from "vitest";
import { messageOf } from "../cnf/cnf-error.ts";
import { FanOutError } from "./fan-out.ts";

const pod = (name: string): Pod => ({ apiVersion: "v1", kind: "Pod", metadata: { name }, spec: { containers: [] } });

describe("FanOutError", () => {
  it("names each failed pod with a short reason, and the number of further ones", () => {
    const failures = Array.from({ length: 50 }, (_, index) => ({
      pod: pod(`cnf-${index}`),
      error: new OpenWrtError(400, "x".repeat(1_000_000)),
    }));
    const { message } = new FanOutError(failures, { count: 50, orphaned: [] });
    expect(message.length).toBeLessThan(4_000);
    expect(message).toMatch(/^cnf-0: Error Code: 400.*; cnf-7: .*; and 42 more pods$/);
    expect(message).not.toContain("cnf-8:");
  });

  it("contains no secret, and no half of one", () => {
    const secret = "only-between-us";
    const text = "x".repeat(365);
    const failures = ["a", "b"].map((name) => ({ pod: pod(name), error: new OpenWrtError(400, text + secret) }));
    expect(new FanOutError(failures, { count: 2, orphaned: [] }).withoutSecrets([secret])).not.toContain("only");
  });
});

describe("FanOutError of a resource with secrets", () => {
  it("does not repeat what a CNF says, even as the cause of another error", () => {
    const refusal = new OpenWrtError(400, "hex 6f6e6c79");
    const failures = [refusal, new Error("Rolled back", { cause: refusal })].map((error) => ({ pod: pod("a"), error }));
    expect(new FanOutError(failures, { count: 1, orphaned: [] }).withoutSecrets(["only-between-us"])).toBe(
      "Error Code: 400, Error Message: not shown, because it may repeat keys; " +
        "Rolled back: Error Code: 400, Error Message: not shown, because it may repeat keys",
    );
  });
});

describe("messageOf", () => {
  it.each([
    [
      "GET http://10.0.0.1/cgi-bin/luci/sdewan/firewall/v1/rules/a: connect ECONNREFUSED 10.0.0.1:80",
      "/v1/rules: connect",
    ],
    [
      "GET http://10.0.0.1/cgi-bin/luci/sdewan/firewall/v1/rules: connect ECONNREFUSED 10.0.0.1:80",
      "/v1/rules: connect",
    ],
    ["PUT http://10.0.0.1/cgi-bin/luci/sdewan/v1/service/firewall: no response", "/v1/service/firewall: no response"],
  ])("is the same for reads of one and of several objects of a dead CNF: %s", (message, part) => {
    const [attempt = "", reason = ""] = message.split(/: (?=connect|no)/);
    expect(messageOf(new OpenWrtNetworkError(attempt, reason))).toContain(part);
  });

  it("names the flag that allows longer responses of a CNF", () => {
    const remedy =
      "GET /x: the response is larger than 1 bytes; if this is the expected size, increase maxResponseBytes";
    expect(messageOf(new UnexpectedResponseError(200, remedy))).toMatch(/, increase --cnf-max-response-bytes$/);
  });
});
