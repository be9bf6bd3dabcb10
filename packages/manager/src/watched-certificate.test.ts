import { X509Certificate } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "node:tls";
import { CertificateAuthority, type IssuedCertificate } from "@kubewright/certificates";
import { FakeClock } from "@kubewright/clock/testing";
import { silentLogger } from "@kubewright/log";
import { expect, it } from "vitest";
import { Manager } from "./manager.ts";

const authority = new CertificateAuthority("ca");
const serialOf = (pair: IssuedCertificate): string => new X509Certificate(pair.certificate).serialNumber;

/** The serial number of the certificate that a server serves now. */
const served = (port: number | undefined): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect({ host: "127.0.0.1", port: port ?? 0, ca: authority.certificate }, () => {
      resolve(socket.getPeerX509Certificate()?.serialNumber ?? "");
      socket.destroy();
    });
    socket.once("error", reject);
  });

it("serves metrics and profiles with a certificate from files, and with the next one once they change", async () => {
  const dir = mkdtempSync(join(tmpdir(), "served-"));
  const [certFile, keyFile] = [join(dir, "tls.crt"), join(dir, "tls.key")];
  const write = ({ certificate, key }: IssuedCertificate): void => {
    writeFileSync(certFile, certificate);
    writeFileSync(keyFile, key);
  };
  const [first, second] = [1, 2].map((days) =>
    authority.issueServer("manager", ["127.0.0.1"], { lifetimeMs: days * 86_400_000 }),
  );
  if (!first || !second) throw new Error("expected two certificates");
  const certificates = () => manager.inspect({ name: "metrics", limit: 0 });
  const end = (pair: IssuedCertificate) => new X509Certificate(pair.certificate).validToDate.toISOString();
  write(first);
  expect(end(first)).not.toBe(end(second));
  const clock = new FakeClock();
  const manager = new Manager({
    connection: { server: "http://127.0.0.1:1" },
    clock,
    logger: silentLogger,
    metrics: { bindAddress: "127.0.0.1:0", tls: { dir } },
    profiling: { bindAddress: "127.0.0.1:0", authenticate: false, tls: { certFile, keyFile } },
  });
  const stop = new AbortController();
  const running = manager.run(stop.signal);
  await manager.elected;
  expect(await served(manager.metricsPort)).toBe(serialOf(first));
  expect(certificates()).toEqual([
    { name: "metrics", group: "http", state: { port: manager.metricsPort, certificate: { notAfter: end(first) } } },
  ]);
  write(second);
  await clock.advance(10_000);
  expect(await served(manager.metricsPort)).toBe(serialOf(second));
  expect(await served(manager.profilingPort)).toBe(serialOf(second));
  expect(certificates()).toMatchObject([{ state: { certificate: { notAfter: end(second) } } }]);
  writeFileSync(certFile, "");
  await clock.advance(10_000);
  expect(await served(manager.metricsPort)).toBe(serialOf(second));
  const text = await manager.metrics.metrics();
  expect(text).toMatch(/^certwatcher_read_certificate_total [4-9]$/m);
  expect(text).toMatch(/^certwatcher_read_certificate_errors_total 2$/m);
  manager.certificateMetrics.expiry(1_800_000_000);
  manager.certificateMetrics.phase("injected");
  const more = await manager.metrics.metrics();
  expect(more).toContain("kubewright_webhook_certificate_expiry_timestamp_seconds 1800000000");
  expect(more).toContain('kubewright_webhook_ca_phase{phase="injected"} 1');
  expect(more).toContain('kubewright_webhook_ca_phase{phase="steady"} 0');
  stop.abort();
  await running;
  rmSync(dir, { recursive: true });
});

it("does not run if the files contain no pair, and reports which", async () => {
  const manager = new Manager({
    connection: { server: "http://127.0.0.1:1" },
    metrics: { bindAddress: "127.0.0.1:0", tls: { dir: "/nowhere" } },
  });
  await expect(manager.run(new AbortController().signal)).rejects.toThrow("cannot read /nowhere/tls.crt");
});
