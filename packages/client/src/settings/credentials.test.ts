import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { systemClock } from "@kubewright/clock";
import { FakeClock } from "@kubewright/clock/testing";
import { silentLogger } from "@kubewright/log";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import type { ConnectionSettings } from "./connection-settings.ts";
import {
  type CredentialOptions,
  type CredentialSource,
  clientNode,
  credentialsFrom,
  loadClientNodeBy,
} from "./credentials.ts";
import { isKubeConfigError } from "./kubeconfig.ts";

/** Credentials with the system clock, unless the options have another. */
const credentialsOf = (settings: ConnectionSettings, options: Partial<CredentialOptions> = {}): CredentialSource =>
  credentialsFrom(settings, {
    clock: systemClock,
    logger: silentLogger,
    closing: new AbortController().signal,
    ...options,
  });

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "plugin-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** A program that prints the n-th of these at its n-th run; after that, the last one. */
function program(...statuses: readonly object[]): ConnectionSettings & { runs(): number } {
  const runs = join(folder, "runs");
  writeFileSync(runs, "");
  const source = `
    const fs = require("node:fs"); fs.appendFileSync(process.argv[1], "x");
    const all = JSON.parse(process.argv[2]); const n = fs.readFileSync(process.argv[1], "utf8").length;
    const apiVersion = "client.authentication.k8s.io/v1";
    console.log(JSON.stringify({ kind: "ExecCredential", apiVersion, status: all[Math.min(n, all.length) - 1] }));`;
  return {
    server: "https://127.0.0.1:1",
    exec: {
      apiVersion: "client.authentication.k8s.io/v1",
      command: process.execPath,
      args: ["-e", source, runs, JSON.stringify(statuses)],
    },
    runs: () => readFileSync(runs, "utf8").length,
  };
}

const certificate = (name: string) => ({ clientCertificateData: `certificate ${name}`, clientKeyData: `key ${name}` });

describe("credentials of a program", () => {
  it("are requested again when a certificate is refused", async () => {
    const settings = program(certificate("old"), certificate("new"));
    const credentials = credentialsOf(settings);

    const old = await credentials.current();
    expect(old).toMatchObject({ certData: "certificate old", keyData: "key old" });
    expect(credentials.renew(old)).toBe(true);
    expect(await credentials.current()).toMatchObject({ certData: "certificate new", keyData: "key new" });
    expect(settings.runs()).toBe(2);
  });

  it("are not retried if they are unchanged, but requested each time", async () => {
    const same = certificate("same");
    const settings = program(same, same, same, certificate("new"));
    const credentials = credentialsOf(settings);

    expect(credentials.renew(await credentials.current())).toBe(true);
    expect(credentials.renew(await credentials.current())).toBe(false);
    expect(credentials.renew(await credentials.current())).toBe(false);
    expect(await credentials.current()).toMatchObject({ certData: "certificate new" });
    expect(credentials.renew(await credentials.current())).toBe(true);
  });

  it("are requested once by concurrent requests or refusals", async () => {
    const settings = program({ token: "old" }, { token: "new" });
    const credentials = credentialsOf(settings);

    const [first, second] = await Promise.all([credentials.current(), credentials.current()]);
    expect(settings.runs()).toBe(1);
    expect(credentials.renew(first)).toBe(true);
    expect(credentials.renew(second)).toBe(true);
    const renewed = await Promise.all([credentials.current(), credentials.current()]);
    expect(renewed.map(({ headers }) => headers.authorization)).toEqual(["Bearer new", "Bearer new"]);
    expect(credentials.renew(first)).toBe(true);
    expect((await credentials.current()).headers.authorization).toBe("Bearer new");
    expect(settings.runs()).toBe(2);
  });

  it("are requested again after the program failed", async () => {
    const settings = program({ token: "t" });
    const credentials = credentialsOf({
      ...settings,
      exec: { ...settings.exec, apiVersion: "v1", command: join(folder, "later") },
    });
    await expect(credentials.current()).rejects.toThrow("the credential plugin");
    writeFileSync(join(folder, "later"), `#!${process.execPath}\nconsole.log('{"status":{"token":"t"}}')`, {
      mode: 0o700,
    });
    expect((await credentials.current()).headers.authorization).toBe("Bearer t");
  });

  describe("that does not answer", () => {
    /** Writes its process ID and that of a child; both run forever. */
    const hanging = (more = ""): ConnectionSettings => {
      const source = `
        const child = require("node:child_process").spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "inherit" });
        ${more}
        require("node:fs").writeFileSync(process.argv[1], process.pid + " " + child.pid);
        setInterval(() => {}, 1000);`;
      const exec = { apiVersion: "client.authentication.k8s.io/v1", command: process.execPath };
      return { server: "https://127.0.0.1:1", exec: { ...exec, args: ["-e", source, join(folder, "pids")] } };
    };
    const started = () =>
      vi.waitFor(() => {
        const pids = readFileSync(join(folder, "pids"), "utf8").split(" ").map(Number);
        if (pids.length < 2) throw new Error("not yet");
        onTestFinished(() => {
          for (const pid of pids) if (isAlive(pid)) process.kill(pid, "SIGKILL");
        });
        return pids;
      }, 10_000);
    const isAlive = (pid: number): boolean => {
      try {
        return process.kill(pid, 0);
      } catch {
        return false;
      }
    };

    it("fail after a minute, and the program is killed", async () => {
      const clock = new FakeClock();
      const settings = hanging();
      const credentials = credentialsOf(settings, { clock });
      const outcome = Promise.resolve(credentials.current()).catch(({ message }: Error) => message);
      const [pid = 0] = await started();
      await clock.advance(59_999);
      expect(isAlive(pid)).toBe(true);
      await clock.advance(1);
      expect(await outcome).toBe(`the credential plugin ${process.execPath} failed: no response within 60 s`);
      await vi.waitFor(() => expect(isAlive(pid)).toBe(false));
      expect(clock.waiting).toBe(0);
    });

    it("fail when the connection is closed, and the program is killed", async () => {
      const closing = new AbortController();
      const credentials = credentialsOf(hanging(), { clock: new FakeClock(), closing: closing.signal });
      const outcome = Promise.resolve(credentials.current()).catch(({ message }: Error) => message);
      const [pid = 0] = await started();
      closing.abort();
      expect(await outcome).toContain("failed: the connection is closed");
      await vi.waitFor(() => expect(isAlive(pid)).toBe(false));
    });

    it("fail when the program prints without end", async () => {
      const credentials = credentialsOf(hanging(`process.stdout.write("x".repeat(2 << 20));`), {
        clock: new FakeClock(),
      });
      await expect(credentials.current()).rejects.toThrow("failed: the program printed more than 1048576 bytes");
      const [pid = 0] = await started();
      await vi.waitFor(() => expect(isAlive(pid)).toBe(false));
    });

    it("are requested again the next time", async () => {
      const clock = new FakeClock();
      const settings = hanging(`
        if (require("node:fs").existsSync(process.argv[1])) {
          child.kill("SIGKILL");
          console.log(JSON.stringify({ kind: "ExecCredential", status: { token: "t" } }));
          process.exit();
        }`);
      const credentials = credentialsOf(settings, { clock });
      const outcome = Promise.resolve(credentials.current()).catch(() => "failed");
      await started();
      await clock.advance(60_000);
      expect(await outcome).toBe("failed");
      expect((await credentials.current()).headers.authorization).toBe("Bearer t");
    });
  });

  it("are requested without a terminal, even if there is one, and the program's input states that", async () => {
    const source = `const { spec } = JSON.parse(process.env.KUBERNETES_EXEC_INFO);
      console.log(JSON.stringify({ status: { token: spec.interactive + " " + (process.stdin.isTTY === true) } }));`;
    const before = Object.getOwnPropertyDescriptor(process.stdin, "isTTY");
    Object.defineProperty(process.stdin, "isTTY", { value: true, configurable: true });
    try {
      const credentials = credentialsOf({
        server: "https://127.0.0.1:1",
        exec: {
          apiVersion: "client.authentication.k8s.io/v1",
          command: process.execPath,
          args: ["-e", source],
          interactiveMode: "IfAvailable",
        },
      });
      expect((await credentials.current()).headers.authorization).toBe("Bearer false false");
    } finally {
      if (before) Object.defineProperty(process.stdin, "isTTY", before);
      else Reflect.deleteProperty(process.stdin, "isTTY");
    }
  });
});

describe("client-node", () => {
  afterEach(() => loadClientNodeBy(() => import("@kubernetes/client-node")));

  it("is found where it is installed", async () => {
    expect((await clientNode()).KubeConfig).toBeTypeOf("function");
  });

  it("reports the required import if a bundle left it out", async () => {
    loadClientNodeBy(() => import(["@kubernetes", "client-node", "no-such-file.js"].join("/")));
    const error = await clientNode().catch((error: unknown) => error);
    expect(isKubeConfigError(error)).toBe(true);
    expect(String(error)).toContain('add import "kubewright/exec" to the program and bundle it again');
  });
});
