import { Deployment } from "@kubewright/client/kinds";
import { describe, expect, it } from "vitest";
import { confirmAnnotation, probeAnnotation } from "../api/group.ts";
import { FakeCluster } from "../testing/fake-cluster.ts";
import { confirmSettings, confirmWait } from "./confirm-settings.ts";

const deployment = (annotations: Record<string, string>) =>
  new FakeCluster().put(Deployment, { metadata: { name: "edge", namespace: "cnfs", annotations } });

const probesOf = (text: string) => confirmSettings(deployment({ [probeAnnotation]: text }), 1_000)?.probes;

describe("confirmWait", () => {
  it.each([
    ["30s", 30_000],
    ["1m30s", 90_000],
    ["1s", 1_000],
    ["10m", 600_000],
    ["off", 0],
    ["0", 0],
  ])("reads %s", (text, ms) => {
    expect(confirmWait(text)).toBe(ms);
  });

  it.each(["", "30", "999ms", "10m1s", "-30s", "on", "9".repeat(1_000)])("refuses %s", (text) => {
    expect(() => confirmWait(text)).toThrow(/is not a duration from 1s to 10m; set it to .* 30s, or to off$/);
  });
});

describe("confirmSettings", () => {
  it("uses the default unless the Deployment has the annotation", () => {
    expect(confirmSettings(deployment({}), 0)).toBeUndefined();
    expect(confirmSettings(deployment({}), 5_000)).toEqual({ waitMs: 5_000, probes: [] });
    expect(confirmSettings(deployment({ [confirmAnnotation]: "off" }), 5_000)).toBeUndefined();
    expect(confirmSettings(deployment({ [confirmAnnotation]: "30s" }), 0)).toEqual({ waitMs: 30_000, probes: [] });
  });

  it("reads tunnels and addresses", () => {
    expect(probesOf("tunnel/site-a, tcp/10.0.0.1:443,tcp/[2001:db8::1]:53, ")).toEqual([
      { type: "tunnel", text: "tunnel/site-a", name: "site-a" },
      { type: "tcp", text: "tcp/10.0.0.1:443", address: "10.0.0.1", port: 443 },
      { type: "tcp", text: "tcp/[2001:db8::1]:53", address: "2001:db8::1", port: 53 },
    ]);
  });

  it.each(["tcp/example.org:80", "tcp/10.0.0.1", "tcp/10.0.0.1:0", "tcp/10.0.0.1:65536", "tcp/10.0.0.256:1", "udp/1"])(
    "refuses the probe %s",
    (text) => {
      expect(() => probesOf(text)).toThrow(
        `Annotation ${probeAnnotation} of the Deployment cnfs/edge: "${text}" is not a probe; use tunnel/NAME or `,
      );
    },
  );

  it.each([
    "tcp/127.0.0.1:80",
    "tcp/0.0.0.0:80",
    "tcp/169.254.169.254:80",
    "tcp/224.0.0.1:80",
    "tcp/[::1]:80",
    "tcp/[fe80::1]:80",
    "tcp/[::ffff:7f00:1]:80",
  ])("refuses the address of %s", (text) => {
    expect(() => probesOf(text)).toThrow("the operator does not connect to this address");
  });

  it("limits the number and the length of probes", () => {
    const many = (count: number) => Array.from({ length: count }, (_, index) => `tcp/10.0.0.${index}:1`).join(",");
    expect(probesOf(many(8))).toHaveLength(8);
    expect(() => probesOf(many(9))).toThrow("more than 8 probes");
    expect(() => probesOf(" ".repeat(1_025))).toThrow("longer than 1024 characters");
  });
});
