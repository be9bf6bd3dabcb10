import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { keyOf } from "@kubewright/apimachinery";
import { Client, Connection } from "@kubewright/client";
import { Pod } from "@kubewright/client/kinds";
import { systemClock } from "@kubewright/clock";
import { afterAll, beforeAll, expect, it } from "vitest";
import { Child } from "../testing/child.ts";
import { recordedIo } from "../testing/recorded-io.ts";
import { controlPlaneFlags, flagNotes } from "./flag-table.ts";
import { runControlPlane } from "./run.ts";

let scratch: string;
beforeAll(() => {
  scratch = mkdtempSync(join(tmpdir(), "kubewright-plane-"));
});
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const start = (...flags: string[]): Child => {
  const program = fileURLToPath(new URL("../testing/kubewright.ts", import.meta.url));
  return new Child(process.execPath, ["--conditions=@kubewright/source", program, "controlplane", ...flags]);
};

async function refusal(...flags: string[]): Promise<string> {
  const io = recordedIo();
  expect(await runControlPlane(flags, io, AbortSignal.abort())).toBe(1);
  expect(io.written.out).toBe("");
  return io.written.err;
}

it("prints one line when it is ready, and ends cleanly on a signal", async () => {
  const kubeconfig = join(scratch, "kubeconfig");
  const plane = start("--kubeconfig-out", kubeconfig);
  const [, url, path] = await plane.prints(/^control plane ready at (https:\/\/127\.0\.0\.1:\d+); kubeconfig: (.*)\n/);
  expect(path).toBe(kubeconfig);
  expect(readFileSync(kubeconfig, "utf8")).toContain(`server: ${url}`);
  expect(statSync(kubeconfig).mode & 0o777).toBe(0o600);
  plane.kill("SIGTERM");
  expect(await plane.ended).toBe(0);
  expect(plane.output.trim().split("\n")).toHaveLength(1);
});

it("logs from the level in --log-level, and refuses unknown levels", async () => {
  expect(await refusal("--log-level", "loud")).toContain('invalid argument "loud" for "--log-level" flag');
  const io = recordedIo();
  await runControlPlane(["--help"], io, AbortSignal.abort());
  expect(io.written.out).toMatch(/--log-level trace\|debug\|info\|warn\|error\|fatal\|silent /);
  const plane = start("--log-level", "debug");
  await plane.prints(/control plane ready/);
  await plane.prints(/"level":"(?:debug|info)"/);
  plane.kill("SIGTERM");
  expect(await plane.ended).toBe(0);
});

it("writes the kubeconfig to a temporary folder by default, and removes it at the end", async () => {
  const plane = start();
  const [, path = ""] = await plane.prints(/kubeconfig: (.*)\n/);
  expect(existsSync(path)).toBe(true);
  plane.kill("SIGINT");
  expect(await plane.ended).toBe(0);
  expect(existsSync(path)).toBe(false);
});

it("writes a .gitignore only into a data directory that it creates", async () => {
  const [made, there] = [join(scratch, "made"), join(scratch, "there")];
  mkdirSync(there);
  for (const [folder, ignored] of [
    [made, "*\n"],
    [there, undefined],
  ] as const) {
    const plane = start("--data-dir", folder);
    const [, path] = await plane.prints(/kubeconfig: (.*)\n/);
    expect(path).toBe(join(folder, "kubeconfig"));
    plane.kill("SIGTERM");
    expect(await plane.ended).toBe(0);
    const file = join(folder, ".gitignore");
    expect(existsSync(file) ? readFileSync(file, "utf8") : undefined).toBe(ignored);
  }
});

it("does not change another cluster's kubeconfig", async () => {
  const kubeconfig = join(scratch, "production");
  writeFileSync(kubeconfig, "current-context: production\n");
  const plane = start("--kubeconfig-out", kubeconfig);
  expect(await plane.ended).toBe(1);
  expect(plane.output).toContain(`kubeconfig ${kubeconfig}: this file is not the kubeconfig of a single control plane`);
  expect(readFileSync(kubeconfig, "utf8")).toBe("current-context: production\n");
});

it("ends with npm's shell, which forwards no signals", async () => {
  const program = fileURLToPath(new URL("../testing/kubewright.ts", import.meta.url));
  const script = `"${process.execPath}" --conditions=@kubewright/source "${program}" controlplane & echo "pid $!"; wait`;
  const shell = new Child("sh", ["-c", script], { ...process.env, npm_lifecycle_event: "controlplane" });
  const [, pid] = await shell.prints(/^pid (\d+)\n/);
  let isLeft = false;
  const rescue = systemClock.after(25_000, () => {
    isLeft = process.kill(Number(pid), "SIGKILL");
  });
  const [, path = ""] = await shell.prints(/kubeconfig: (.*)\n/);
  shell.kill("SIGTERM");
  await shell.ended; // including the output that the program inherited
  rescue.cancel();
  expect(isLeft).toBe(false);
  expect(existsSync(path)).toBe(false);
});

const image = "docker.io/library/node:24.21.0-slim";
it.each([
  [[], "", ""],
  [["--process-images"], `; pods of ${image} run as processes on this machine`, "hello\n"],
])("with %j, prints %j, and a pod of the stock Node.js image logs %j", async (flags, expected, output) => {
  const plane = start(...flags);
  const [, address, kubeconfig = ""] = await plane.prints(
    /^control plane ready at https:[^;]*(.*); kubeconfig: (.*)\n/,
  );
  expect(address).toBe(expected);
  await using connection = Connection.fromKubeConfig(kubeconfig);
  await using client = new Client({ connection });
  const command = ["node", "-e", "console.log('hello'); setInterval(() => {}, 1000)"];
  const main = { name: "main", image, command };
  const metadata = { name: "p", namespace: "default" };
  await expect
    .poll(() => client.create(Pod, { metadata, spec: { containers: [main] } }).then(keyOf, String))
    .toMatch(/^default\/p$|already exists/); // its service account is created a moment later
  await expect.poll(async () => (await client.get(Pod, "default/p")).status?.phase).toBe("Running");
  const log = async () => (await connection.request({ path: "/api/v1/namespaces/default/pods/p/log" })).body.toString();
  await expect.poll(log).toBe(output);
  plane.kill("SIGTERM");
  expect(await plane.ended).toBe(0);
});

it("refuses --process-images on an address that other machines can reach", async () => {
  expect(await refusal("--bind-address=0.0.0.0", "--process-images")).toContain("require an API server on loopback");
});

it("has the flags of kube-apiserver that it supports", async () => {
  const io = recordedIo();
  expect(await runControlPlane(["--help"], io, AbortSignal.abort())).toBe(0);
  for (const flag of [
    "authorization-mode",
    "client-ca-file",
    "data-dir",
    "kubeconfig-out",
    "secure-port",
    "token-auth-file",
  ])
    expect(io.written.out).toMatch(new RegExp(`^ +--${flag} `, "m"));
  const headings = io.written.out.match(/^\w.* flags:$/gm) ?? [];
  expect(headings).toEqual([...new Set(headings)]);
  expect(Object.keys(flagNotes).sort()).toEqual([...controlPlaneFlags.keys()].sort());
  expect(await refusal("--goaway-chance=0.1")).toBe("Error: unknown flag: --goaway-chance\n");
});

it("refuses invalid flags", async () => {
  expect(await refusal("--storage-backend=tape")).toBe(
    'Error: invalid argument "tape" for "--storage-backend" flag: invalid value\n',
  );
  expect(await refusal("--storage-backend=journal")).toBe(
    "kubewright: --data-dir must be specified with --storage-backend journal\n",
  );
  expect(await refusal("--storage-backend=etcd3")).toBe("kubewright: --etcd-servers must be specified\n");
  expect(await refusal("--etcd-servers=http://127.0.0.1:2379")).toBe(
    "kubewright: --etcd-servers requires --storage-backend etcd3\n",
  );
  expect(await refusal("--authorization-mode=Foo")).toBe('kubewright: authorization-mode "Foo" is not a valid mode\n');
  expect(await refusal("--feature-gates=AllAlpha=true")).toBe(
    'kubewright: --feature-gates "AllAlpha=true": kubewright does not switch this feature\n',
  );
});
