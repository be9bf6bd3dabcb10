import { expect, it } from "vitest";
import { FlagValues } from "../flags/flag-values.ts";
import { kubeApiServerFlags } from "./flag-table.ts";
import { notServed, runtimeConfigOf } from "./runtime-config.ts";
import { tlsOptionsOf } from "./tls-flags.ts";

const given = (flags: Readonly<Record<string, string>>) =>
  new FlagValues(kubeApiServerFlags, new Map(Object.entries(flags).map(([name, text]) => [name, [text]])));

it("reads TLS versions and cipher suites with Go's names", () => {
  expect(tlsOptionsOf(given({}))).toEqual({});
  expect(tlsOptionsOf(given({ "tls-min-version": "VersionTLS13" }))).toEqual({ tlsMinVersion: "TLSv1.3" });
  const { tlsCipherSuites } = tlsOptionsOf(given({ "tls-cipher-suites": "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256" }));
  expect(tlsCipherSuites).toContain("ECDHE-RSA-AES128-GCM-SHA256");
  expect(tlsCipherSuites).toContain("TLS_AES_128_GCM_SHA256");
});

it("refuses unknown TLS versions and cipher suites", () => {
  expect(() => tlsOptionsOf(given({ "tls-min-version": "VersionTLS14" }))).toThrow(
    'unknown tls version "VersionTLS14"',
  );
  expect(() => tlsOptionsOf(given({ "tls-cipher-suites": "FOO" }))).toThrow(
    "Cipher suite FOO not supported or doesn't exist",
  );
});

it("reads --runtime-config, and reports keys that cannot be switched on", () => {
  const config = runtimeConfigOf(given({ "runtime-config": "api/all=true,apps/v1=false,batch/v1beta1,v1=true" }));
  expect(config).toEqual({ "api/all": true, "apps/v1": false, "batch/v1beta1": true, v1: true });
  expect(notServed(config)).toEqual(["api/all", "batch/v1beta1"]);
});
