import { resolve } from "node:path";
import { expect, it } from "vitest";
import { operatorFlags } from "../cli/operator-flags.ts";
import { UserError } from "../cli/user-error.ts";
import { servingSettings } from "./serving.ts";
import { webhookOptions } from "./webhook-server.ts";

const settings = (...argv: string[]) => servingSettings(operatorFlags(argv));

it("serves no webhooks, and metrics over plain HTTP, by default", () => {
  expect(settings()).toEqual({});
});

it("serves metrics with a self-signed certificate or one from a folder", () => {
  expect(settings("--metrics-secure")).toEqual({ metricsTls: "self-signed" });
  expect(settings("--metrics-cert-dir", "/certs", "--metrics-secure")).toEqual({ metricsTls: { dir: "/certs" } });
});

it("serves webhooks with a certificate from a Secret or a folder, not from both", () => {
  const secret = settings("--webhook-cert-secret", "a/b", "--webhook-port", "10443");
  expect(secret).toEqual({ webhooks: { port: 10_443, certificates: { secret: "a/b" } } });
  expect(settings("--webhook-cert-dir", "/certs").webhooks?.certificates).toEqual({ dir: "/certs" });
  expect(() => settings("--webhook-cert-dir", "/certs", "--webhook-cert-secret", "a/b")).toThrow(UserError);
});

it("requires a certificate from callers of webhooks if a CA for them is set", () => {
  const [served, ca] = [["--webhook-cert-dir", "/certs"], "--webhook-client-ca"];
  const { webhooks } = settings(...served, ca, "clients.pem");
  expect(webhooks?.clientCaFile).toBe(resolve("clients.pem"));
  expect(webhookOptions(webhooks).webhooks).toMatchObject({ clientCAName: resolve("clients.pem") });
  expect(webhookOptions(settings(...served).webhooks).webhooks).not.toHaveProperty("clientCAName");
  expect(() => settings(ca, "/clients.pem")).toThrow("--webhook-client-ca /clients.pem: no webhooks are served");
});
