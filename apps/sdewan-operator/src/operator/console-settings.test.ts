import { expect, it } from "vitest";
import { operatorFlags } from "../cli/operator-flags.ts";
import { UserError } from "../cli/user-error.ts";
import { consoleSettings } from "./console-settings.ts";
import { servingSettings } from "./serving.ts";

const settings = (...argv: string[]) => {
  const flags = operatorFlags(argv);
  return consoleSettings(flags, servingSettings(flags).metricsTls);
};

it("serves no console by default", () => {
  expect(settings()).toBeUndefined();
  expect(settings("--metrics-secure")).toBeUndefined();
});

it("serves it on loopback without TLS, or with its own certificate", () => {
  for (const bindAddress of ["127.0.0.1:8090", "localhost:8090", "[::1]:0"])
    expect(settings("--console-bind-address", bindAddress, "--metrics-secure")).toEqual({ bindAddress });
  expect(settings("--console-bind-address", "127.0.0.1:8090", "--console-cert-dir", "/certs")?.tls).toEqual({
    dir: "/certs",
  });
});

it("serves it on other interfaces with its own certificate or the metrics' certificate, and refuses to start without one", () => {
  const beyond = ["--console-bind-address", ":8090"];
  expect(settings(...beyond, "--metrics-cert-dir", "/metrics")?.tls).toEqual({ dir: "/metrics" });
  expect(settings(...beyond, "--metrics-cert-dir", "/metrics", "--console-cert-dir", "/own")?.tls).toEqual({
    dir: "/own",
  });
  for (const host of ["", "0.0.0.0", "10.0.0.1", "127.evil.example"])
    expect(() => settings("--console-bind-address", `${host}:8090`), host).toThrow(UserError);
});
