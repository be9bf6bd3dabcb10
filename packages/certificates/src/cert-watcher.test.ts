import { appendFileSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Clock, systemClock } from "@kubewright/clock";
import { FakeClock } from "@kubewright/clock/testing";
import { silentLogger } from "@kubewright/log";
import { afterEach, beforeEach, expect, it } from "vitest";
import { CertWatcher, type CertWatcherOptions } from "./cert-watcher.ts";
import { CertificateAuthority, type IssuedCertificate } from "./certificate-authority.ts";

const authority = new CertificateAuthority("ca");
const pair = (): IssuedCertificate => authority.issueServer("server", ["x.example"]);

let folder = "";
const stop = { now: new AbortController(), ended: [] as Promise<void>[] };
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "cert-watcher-"));
  stop.now = new AbortController();
});
afterEach(async () => {
  stop.now.abort();
  await Promise.all(stop.ended.splice(0));
  rmSync(folder, { recursive: true, force: true });
});

function write({ certificate, key }: IssuedCertificate, to = folder): void {
  writeFileSync(join(to, "tls.crt"), certificate);
  writeFileSync(join(to, "tls.key"), key);
}

/** Creates a watcher, and records its reports. */
function watcher(options: Partial<CertWatcherOptions> = {}) {
  const counts = { reads: 0, errors: 0 };
  const metrics = { read: () => void counts.reads++, readError: () => void counts.errors++ };
  const files = { certFile: join(folder, "tls.crt"), keyFile: join(folder, "tls.key") };
  return { counts, make: () => new CertWatcher({ ...files, metrics, ...options }) };
}

function running(clock: Clock, options: Partial<CertWatcherOptions> = {}) {
  const { counts, make } = watcher({ clock, ...options });
  const made = make();
  stop.ended.push(made.run(stop.now.signal));
  return { counts, made };
}

/** An interval so long that only change notifications cause reads. */
const seldom = { intervalMs: 3_600_000 };

it("WH-049 is not created if certificate or key are missing", () => {
  const { make, counts } = watcher();
  expect(make).toThrow(`cannot read ${join(folder, "tls.crt")}: ENOENT`);
  write(pair());
  rmSync(join(folder, "tls.key"));
  expect(make).toThrow(`cannot read ${join(folder, "tls.key")}: ENOENT`);
  expect(counts).toEqual({ reads: 2, errors: 2 });
});

it.each([
  [
    "no certificate",
    (file: string) => writeFileSync(`${file}.crt`, "hello"),
    "tls.crt does not contain a PEM certificate",
  ],
  [
    "a broken one",
    (file: string) => writeFileSync(`${file}.crt`, authority.certificate.replace("MII", "MIA")),
    "tls.crt contains a certificate that cannot be parsed",
  ],
  ["no key", (file: string) => writeFileSync(`${file}.key`, "hello"), "tls.key does not contain a private key"],
  ["another certificate's key", (file: string) => writeFileSync(`${file}.key`, pair().key), "does not belong to"],
  [
    "half of a chain",
    (file: string) => appendFileSync(`${file}.crt`, authority.certificate.slice(0, 300)),
    "tls.crt with its key: error:04800066:PEM routines::bad end line",
  ],
  ["too much", (file: string) => writeFileSync(`${file}.key`, "x".repeat(1_048_577)), "too large for a certificate"],
  [
    "a folder",
    (file: string) => {
      rmSync(`${file}.key`);
      mkdirSync(`${file}.key`);
    },
    "it is not a file",
  ],
])("is not created if the files contain %s", (_, spoil, why) => {
  write(pair());
  spoil(join(folder, "tls"));
  expect(watcher().make).toThrow(why);
});

it("WH-050 has the first pair at its creation, and runs on every replica", () => {
  const first = pair();
  write(first);
  const made = watcher().make();
  expect(made.current).toEqual(first);
  expect(made.group).not.toBe("leaderElection");
});

it("WH-051 uses a changed pair without a restart and passes it to listeners", async () => {
  write(pair());
  const { made } = running(systemClock, seldom);
  const received: IssuedCertificate[] = [];
  made.onChange(() => {
    throw new Error("a failing listener affects no other");
  });
  made.onChange((changed) => received.push(changed));
  const silent = made.onChange(() => received.push(pair()));
  silent();
  const next = pair();
  write(next);
  await expect.poll(() => made.current, { timeout: 5_000, interval: 20 }).toEqual(next);
  expect(received).toEqual([next]);
});

it("WH-052 uses a pair moved into place", async () => {
  write(pair());
  const { made } = running(systemClock, seldom);
  const [next, aside] = [pair(), join(folder, "aside")];
  mkdirSync(aside);
  write(next, aside);
  for (const name of ["tls.key", "tls.crt"]) renameSync(join(aside, name), join(folder, name));
  await expect.poll(() => made.current, { timeout: 5_000, interval: 20 }).toEqual(next);
});

it("uses a pair that kubelet swaps in a mounted Secret", async () => {
  /** Like kubelet: a new directory, and the link `..data` renamed over the old one. */
  const mount = (name: string, content: IssuedCertificate): void => {
    mkdirSync(join(folder, name));
    write(content, join(folder, name));
    symlinkSync(name, join(folder, "..data_tmp"));
    renameSync(join(folder, "..data_tmp"), join(folder, "..data"));
  };
  mount("..2026_01", pair());
  for (const name of ["tls.key", "tls.crt"]) symlinkSync(join("..data", name), join(folder, name));
  const { made } = running(systemClock, seldom);
  const next = pair();
  mount("..2026_02", next);
  rmSync(join(folder, "..2026_01"), { recursive: true });
  await expect.poll(() => made.current, { timeout: 5_000, interval: 20 }).toEqual(next);
});

it("WH-053 counts reads and failed ones, and keeps the old pair if the new one does not match", async () => {
  const [first, next, clock] = [pair(), pair(), new FakeClock()];
  write(first);
  const logged: string[] = [];
  const logger = { ...silentLogger, error: (...words: unknown[]) => void logged.push(String(words.at(-1))) };
  const { made, counts } = running(clock, { logger });
  expect(counts).toEqual({ reads: 1, errors: 0 });
  writeFileSync(join(folder, "tls.crt"), next.certificate);
  made.read();
  made.read();
  expect(counts).toEqual({ reads: 3, errors: 2 });
  expect(logged).toEqual(["cannot read the certificate; keeping the old one"]);
  expect(made.current).toEqual(first);
  writeFileSync(join(folder, "tls.key"), next.key);
  made.read();
  expect(counts).toEqual({ reads: 4, errors: 2 });
  expect(made.current).toEqual(next);
});

it("reads every ten seconds even without a change, and leaves no timer", async () => {
  const clock = new FakeClock();
  write(pair());
  const { made, counts } = running(clock);
  await clock.advance(9_999);
  expect(counts.reads).toBe(1);
  await clock.advance(1);
  expect(counts.reads).toBe(2);
  await clock.advance(10_000);
  expect(counts.reads).toBe(3);
  stop.now.abort();
  await Promise.all(stop.ended);
  expect(clock.waiting).toBe(0);
  expect(made.current.key).toContain("PRIVATE KEY");
});

it("reports whether there is another pair, and repeated failures once", () => {
  const [first, next] = [pair(), pair()];
  write(first);
  const logged: string[] = [];
  const logger = { ...silentLogger, error: (...words: unknown[]) => void logged.push(String(words.at(-1))) };
  const made = watcher({ logger }).make();
  const readAfter = (content: Partial<IssuedCertificate>): [boolean, number] => {
    write({ ...first, ...content });
    return [made.read(), logged.length];
  };
  expect(readAfter({})).toEqual([false, 0]);
  expect(readAfter({ key: next.key })).toEqual([false, 1]);
  expect(readAfter({ key: next.key })).toEqual([false, 1]);
  expect(readAfter({ key: "none" })).toEqual([false, 2]);
  expect(readAfter({})).toEqual([false, 2]);
  expect(readAfter({ key: "none" })).toEqual([false, 3]);
  expect(readAfter(next)).toEqual([true, 3]);
  expect(readAfter(next)).toEqual([false, 3]);
});

it("reads files of up to a mebibyte", () => {
  const { certificate, key } = pair();
  const padded = certificate + "\n".repeat(1_048_576 - certificate.length);
  write({ certificate: padded, key });
  expect(watcher().make().current.key).toBe(key);
  write({ certificate: `${padded}\n`, key });
  expect(watcher().make).toThrow("tls.crt is 1048577 bytes long, which is too large for a certificate");
});
