import { generateKeyPairSync } from "node:crypto";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { request } from "node:https";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { kubernetesVersion } from "@kubewright/apimachinery";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { Child } from "../testing/child.ts";
import { recordedIo } from "../testing/recorded-io.ts";
import { makeAssets } from "./assets.ts";

const needs = { meta: { needs: "a POSIX system" } };

let scratch: string;
let assets: string;
let env: Record<string, string | undefined>;
beforeAll(async () => {
  scratch = mkdtempSync(join(tmpdir(), "kubewright-assets-"));
  env = { ...process.env, XDG_CACHE_HOME: scratch };
  assets = (await makeAssets(env)).folder;
});
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const freePort = (): Promise<number> => {
  const { promise, resolve } = Promise.withResolvers<number>();
  const server = createServer().listen(0, "127.0.0.1", () => {
    const address = server.address();
    server.close(() => resolve(typeof address === "object" && address ? address.port : 0));
  });
  return promise;
};

/** Flags that envtest passes to kube-apiserver. */
async function serverFlags(etcd: string): Promise<{ flags: string[]; port: number }> {
  const port = await freePort();
  const folder = mkdtempSync(join(scratch, "certs-"));
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  writeFileSync(join(folder, "sa.key"), privateKey.export({ type: "pkcs8", format: "pem" }));
  writeFileSync(join(folder, "sa.crt"), publicKey.export({ type: "spki", format: "pem" }));
  const flags = [
    "--allow-privileged=true",
    "--authorization-mode=RBAC",
    "--bind-address=127.0.0.1",
    `--cert-dir=${folder}`,
    "--disable-admission-plugins=ServiceAccount",
    `--etcd-servers=${etcd}`,
    `--secure-port=${port}`,
    `--service-account-issuer=https://127.0.0.1:${port}/`,
    `--service-account-key-file=${folder}/sa.crt`,
    `--service-account-signing-key-file=${folder}/sa.key`,
    "--service-cluster-ip-range=10.0.0.0/24",
  ];
  return { flags, port };
}

const startEtcd = async (): Promise<{ etcd: Child; url: string }> => {
  const url = `http://127.0.0.1:${await freePort()}`;
  const etcd = new Child(join(assets, "etcd"), [`--listen-client-urls=${url}`, `--advertise-client-urls=${url}`], env);
  await etcd.prints(/serving client traffic/);
  return { etcd, url };
};

const healthOf = (port: number): Promise<string> => {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  request({ port, host: "127.0.0.1", path: "/healthz", rejectUnauthorized: false, agent: false }, (response) => {
    response.setEncoding("utf8").on("data", resolve);
  })
    .on("error", reject)
    .end();
  return promise;
};

describe.skipIf(process.platform === "win32")("the folder for KUBEBUILDER_ASSETS", needs, () => {
  it("is created once per installation", async () => {
    expect(await makeAssets(env)).toMatchObject({ folder: assets, warmUp: undefined });
  });

  it("is in the home folder if the cache folder's path is relative, because tests run in other folders", async () => {
    vi.stubEnv("HOME", scratch);
    onTestFinished(() => void vi.unstubAllEnvs());
    const { folder } = await makeAssets({ ...env, XDG_CACHE_HOME: "relative" });
    expect(folder.startsWith(join(scratch, ".cache", "kubewright"))).toBe(true);
  });

  it("links to the first kubectl in PATH, if any", async () => {
    const [bin, other] = [join(scratch, "bin"), join(scratch, "other")];
    for (const folder of [bin, other]) mkdirSync(folder);
    writeFileSync(join(bin, "kubectl"), "");
    writeFileSync(join(other, "kubectl"), "#!/bin/sh\n");
    chmodSync(join(other, "kubectl"), 0o755);
    expect((await makeAssets({ ...env, PATH: `${bin}:${other}` })).kubectl).toBe(join(other, "kubectl"));
    expect(readlinkSync(join(assets, "kubectl"))).toBe(join(other, "kubectl"));
    expect((await makeAssets({ ...env, PATH: bin })).kubectl).toBeUndefined();
    expect(existsSync(join(assets, "kubectl"))).toBe(false);
  });

  it("contains programs that print --help without starting Node.js", () => {
    for (const name of ["etcd", "kube-apiserver"]) {
      const script = readFileSync(join(assets, name), "utf8");
      expect(script).toContain(`exec cat '${join(assets, `${name}.help`)}'`);
      expect(readFileSync(join(assets, `${name}.help`), "utf8")).toMatch(/^ +--[a-z]/m);
    }
  });

  it("contains programs that do not need this installation, which npx may delete", () => {
    const installation = fileURLToPath(new URL("../../..", import.meta.url));
    for (const name of ["etcd", "kube-apiserver"])
      expect(readFileSync(join(assets, name), "utf8").replace(process.execPath, "node")).not.toContain(installation);
  });

  it("contains a server that reports healthy to anyone, and ends cleanly on a signal", async () => {
    const { etcd, url } = await startEtcd();
    const { flags, port } = await serverFlags(url);
    const server = new Child(join(assets, "kube-apiserver"), flags, env);
    await server.prints(/Serving securely on/);
    expect(await healthOf(port)).toBe("ok");
    server.kill("SIGTERM");
    expect(await server.ended).toBe(0);
    etcd.kill("SIGTERM");
    expect(await etcd.ended).toBe(0);
  });

  it("contains programs that end with their parent process", async () => {
    const { etcd, url } = await startEtcd();
    const { flags } = await serverFlags(url);
    const words = [join(assets, "kube-apiserver"), ...flags].map((word) => `'${word}'`).join(" ");
    const parent = new Child("/bin/sh", ["-c", `${words} & wait`], env);
    await parent.prints(/Serving securely on/);
    parent.kill("SIGKILL");
    expect(await parent.ended).toBeNull(); // closed when the last process with the output, the server, ends
    expect(parent.output).toMatch(
      /^kube-apiserver: exiting because the parent process \d+ has ended; .*KUBEWRIGHT_OUTLIVE_PARENT=1 to keep it running$/m,
    );
    etcd.kill("SIGTERM");
    await etcd.ended;
  });

  it("contains programs that outlive their parent process on request", async () => {
    const url = `http://127.0.0.1:${await freePort()}`;
    const words = `'${join(assets, "etcd")}' --listen-client-urls=${url} --advertise-client-urls=${url}`;
    const shell = new Child("/bin/sh", ["-c", `${words} & echo pid $!`], { ...env, KUBEWRIGHT_OUTLIVE_PARENT: "1" });
    const pid = Number((await shell.prints(/pid (\d+)/))[1]);
    await shell.prints(/serving client traffic/); // without the variable it would exit earlier, because the shell has ended
    process.kill(pid, "SIGTERM");
    await shell.ended;
    expect(shell.output).not.toContain("exiting because the parent process");
  });

  it("contains a server that reports a port in use", async () => {
    const { etcd, url } = await startEtcd();
    const { flags } = await serverFlags(url);
    const taken = new URL(url).port;
    const server = new Child(join(assets, "kube-apiserver"), [...flags, `--secure-port=${taken}`], env);
    expect(await server.ended).toBe(1);
    expect(server.output).toContain(
      `err="failed to create listener: failed to listen on 127.0.0.1:${taken}: listen tcp 127.0.0.1:${taken}: bind: address already in use"`,
    );
    etcd.kill("SIGTERM");
    await etcd.ended;
  });
});

describe("the command", () => {
  const run = async (options: { kubernetes?: string }, changes: Record<string, string> = {}) => {
    const { envtestAssets } = await import("./command.ts");
    const io = recordedIo({ ...env, ...changes });
    return { code: await envtestAssets(io, options), ...io.written };
  };

  it("reports a missing kubectl on standard error only", async () => {
    expect(await run({}, { PATH: "" })).toEqual({
      code: 0,
      out: `${assets}\n`,
      err: "kubewright: kubectl is not in PATH; the folder does not contain it\n",
    });
  });

  it("accepts the minor version of its server, in any notation", async () => {
    const [minor = ""] = /\d+\.\d+/.exec(kubernetesVersion) ?? [];
    for (const kubernetes of [minor, `v${minor}`, `${minor}.x`, `${minor}.0`])
      expect(await run({ kubernetes })).toMatchObject({ code: 0, out: `${assets}\n` });
  });

  it("refuses other versions, and words that are not versions", async () => {
    await expect(run({ kubernetes: "1.3" })).rejects.toThrow(
      `the server is Kubernetes ${kubernetesVersion}, not 1.3; omit --kubernetes to test against it, or use another version of kubewright`,
    );
    await expect(run({ kubernetes: "latest" })).rejects.toThrow(
      '--kubernetes "latest" is not a Kubernetes version such as 1.37',
    );
  });

  it("names the folder that cannot be written, and the remedy", async () => {
    const file = join(scratch, "file");
    writeFileSync(file, "");
    await expect(run({}, { XDG_CACHE_HOME: file })).rejects.toThrow(
      /^cannot write to ".*file\/kubewright\/envtest-assets\/\w+": ENOTDIR.*; set XDG_CACHE_HOME to a folder in which you can create files$/,
    );
  });
});
