import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CertificateAuthority } from "@kubewright/certificates";
import { FakeClock } from "@kubewright/clock/testing";
import { afterEach, expect, it } from "vitest";
import { directoryCertificates } from "./directory-certificates.ts";

const hourMs = 3_600_000;
const authority = new CertificateAuthority("issuer");
const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

/** A Secret from cert-manager as kubelet mounts it: the files are links into `..data`, which is swapped. */
function mounted() {
  const dir = mkdtempSync(join(tmpdir(), "mounted-"));
  folders.push(dir);
  let generation = 0;
  const swap = (content: Readonly<Record<string, string>>): void => {
    const name = `..2026_${++generation}`;
    mkdirSync(join(dir, name));
    for (const [file, text] of Object.entries(content)) writeFileSync(join(dir, name, file), text);
    symlinkSync(name, join(dir, "..data_tmp"));
    renameSync(join(dir, "..data_tmp"), join(dir, "..data"));
    if (generation > 1) rmSync(join(dir, `..2026_${generation - 1}`), { recursive: true });
  };
  const issued = (lifetimeMs = hourMs) => {
    const { certificate, key } = authority.issueServer("webhook", ["webhook.shop.svc"], { lifetimeMs });
    return { "tls.crt": certificate, "tls.key": key, "ca.crt": authority.certificate };
  };
  const first = issued();
  swap(first);
  for (const file of ["tls.crt", "tls.key", "ca.crt"]) symlinkSync(join("..data", file), join(dir, file));
  return { dir, swap, issued, first };
}

it("serves a renewed certificate when kubelet swaps the mounted Secret", async () => {
  const { dir, swap, issued, first } = mounted();
  const clock = new FakeClock(Date.now());
  const expiries: number[] = [];
  const nothing = (): void => {};
  const metrics = {
    expiry: (seconds: number) => void expiries.push(seconds),
    phase: nothing,
    read: nothing,
    readError: nothing,
  };
  const source = directoryCertificates({ dir, clock, metrics });
  expect(source.current).toEqual({ cert: first["tls.crt"], key: first["tls.key"] });
  expect(source.caBundle).toBe(authority.certificate);
  const events: string[] = [];
  source.onChange(({ cert }) => events.push(cert));
  const stop = new AbortController();
  const running = source.run(stop.signal);
  const next = issued(2 * hourMs);
  swap(next);
  await clock.advance(10_000);
  expect(source.current?.cert).toBe(next["tls.crt"]);
  expect(events).toEqual([next["tls.crt"]]);
  expect((expiries[1] ?? 0) - (expiries[0] ?? 0)).toBeGreaterThan(3_500);
  swap({ ...issued(), "tls.key": issued()["tls.key"] });
  await clock.advance(10_000);
  expect(source.current?.cert).toBe(next["tls.crt"]);
  source.check();
  await clock.advance(2 * hourMs);
  expect(() => source.check()).toThrow("the certificate expired at ");
  stop.abort();
  await running;
});

it("reports a missing file at creation, and works without an authority", () => {
  expect(() => directoryCertificates({ dir: "/nowhere" })).toThrow("cannot read /nowhere/tls.crt");
  const { dir, first } = mounted();
  rmSync(join(dir, "ca.crt"));
  expect(directoryCertificates({ dir }).caBundle).toBeUndefined();
  writeFileSync(join(dir, "server.pem"), first["tls.crt"]);
  expect(directoryCertificates({ dir, certName: "server.pem" }).current?.cert).toBe(first["tls.crt"]);
});

it("reads an authority from a file of up to a mebibyte, and only its certificates", () => {
  const { dir } = mounted();
  const bundle = (text: string): string | undefined => {
    rmSync(join(dir, "ca.crt"));
    writeFileSync(join(dir, "ca.crt"), text);
    return directoryCertificates({ dir }).caBundle;
  };
  const { certificate } = authority;
  const padded = certificate + "\n".repeat(1_048_576 - certificate.length);
  expect(bundle(padded)).toBe(certificate);
  expect(bundle(`${padded}\n`)).toBeUndefined();
  expect(bundle("no certificate")).toBeUndefined();
  expect(bundle(`by hand\n${certificate}and\n${certificate}`)).toBe(certificate + certificate);
});
