import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "@kubewright/clock";
import { silentLogger } from "@kubewright/log";
import { afterAll, expect, it } from "vitest";
import type { CertificateClient } from "./certificate-client.ts";
import { certificatesOf, usualCertificates } from "./certificates-option.ts";

const folder = mkdtempSync(join(tmpdir(), "certificates-"));
afterAll(() => rmSync(folder, { recursive: true }));
const [mounted, pod, none] = ["mounted", "pod", "none"].map((name) => join(folder, name)) as [string, string, string];
for (const each of [mounted, pod]) mkdirSync(each);
writeFileSync(join(mounted, "tls.crt"), "");
writeFileSync(join(pod, "namespace"), "shop-system\n");

const parts = { clock: systemClock, logger: silentLogger, targets: () => [] };
const client = {} as CertificateClient; // never called: nothing runs

it("serves a mounted certificate, or in a pod one that it issues itself", () => {
  expect(usualCertificates({ mounted, pod })).toEqual({ dir: mounted });
  expect(usualCertificates({ mounted: none, pod })).toEqual({ secret: "shop-system/webhook-server-cert" });
  expect(() => usualCertificates({ mounted: none, pod: none })).toThrow(
    `pass \`certificates\`, or \`tls\` with a certificate. This process does not run in a pod, and ${join(none, "tls.crt")} does not exist`,
  );
});

it("reports an invalid option", () => {
  expect(() => certificatesOf({ secret: "shop" }, { ...parts, client })).toThrow(
    'certificates.secret "shop": must be "namespace/name", such as "shop-system/webhook-server-cert"',
  );
  expect(() => certificatesOf({ secret: "a/b" }, parts)).toThrow("certificates in a Secret require a client: pass");
  expect(() => certificatesOf({ secret: "a/b", service: "no host" }, { ...parts, client })).toThrow("no host.a.svc");
  expect(() => certificatesOf({ csr: { signerName: "a", ca: "" } }, { ...parts, client })).toThrow(
    'this process does not run in a pod: pass `certificates.secret`, such as "shop-system/webhook-server-cert"',
  );
  expect(() => certificatesOf({ secret: "a/b", csr: { signerName: "a", ca: "" } }, { ...parts, client })).toThrow(
    'certificates.csr.signerName "a": must be a domain and a name',
  );
  expect(() => certificatesOf({ dir: none }, parts)).toThrow(`cannot read ${join(none, "tls.crt")}: ENOENT`);
  expect(() => certificatesOf({ cert: "a", key: "b" }, parts)).toThrow("certificates.cert is not valid PEM");
});
