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
const client = {} as CertificateClient; // never asked: nothing runs

it("serves what is mounted, else in a pod what it issues itself", () => {
  expect(usualCertificates({ mounted, pod })).toEqual({ dir: mounted });
  expect(usualCertificates({ mounted: none, pod })).toEqual({ secret: "shop-system/webhook-server-cert" });
  expect(() => usualCertificates({ mounted: none, pod: none })).toThrow(
    `give \`certificates\`, or \`tls\` with a certificate. This is no pod, and there is no ${join(none, "tls.crt")}`,
  );
});

it("says what is wrong with an option", () => {
  expect(() => certificatesOf({ secret: "shop" }, { ...parts, client })).toThrow(
    'certificates.secret "shop": want "namespace/name", such as "shop-system/webhook-server-cert"',
  );
  expect(() => certificatesOf({ secret: "a/b" }, parts)).toThrow("certificates in a Secret need a client: give");
  expect(() => certificatesOf({ secret: "a/b", service: "no host" }, { ...parts, client })).toThrow("no host.a.svc");
  expect(() => certificatesOf({ csr: { signerName: "a", ca: "" } }, { ...parts, client })).toThrow(
    'this is no pod: give `certificates.secret`, such as "shop-system/webhook-server-cert"',
  );
  expect(() => certificatesOf({ secret: "a/b", csr: { signerName: "a", ca: "" } }, { ...parts, client })).toThrow(
    'certificates.csr.signerName "a": want a domain and a name',
  );
  expect(() => certificatesOf({ dir: none }, parts)).toThrow(`cannot read ${join(none, "tls.crt")}: ENOENT`);
  expect(() => certificatesOf({ cert: "a", key: "b" }, parts)).toThrow("certificates.cert is no PEM");
});
