// Measures CPU and memory of the operator with the given numbers of resources on 20 CNFs. The operator starts with the options and the
// environment of its Dockerfile:
// `npm run measure [-- 500 1000 2000]`. Linux only. The control plane and the CNFs run in this process, the operator in a separate one.
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client } from "@kubewright/client";
import { Deployment } from "@kubewright/client/kinds";
import { systemClock } from "@kubewright/clock";
import { startControlPlane } from "@kubewright/controller-manager";
import { CnfSimulators } from "../demo/cnf-simulators.ts";
import { installCrds } from "../demo/install.ts";
import { FirewallRule } from "../src/api/firewall/firewall-rules.ts";
import { networksAnnotation } from "../src/api/group.ts";

const cnfs = 20;
const ticksPerSecond = 100;
const settleMs = 20_000;
const longestMs = 240_000;
const counts = process.argv.slice(2).map(Number);

const dockerfile = readFileSync(new URL("../Dockerfile", import.meta.url), "utf8");
/** Options of Node.js, and environment variables, in the image. */
const options = [...dockerfile.matchAll(/"(--[^"]+)"/g)].map(([, option = ""]) => option);
const environment = Object.fromEntries(
  [...dockerfile.matchAll(/^ENV ([^=\s]+)=(.*)$/gm)].map(([, name = "", value = ""]) => [name, value]),
);

const folder = mkdtempSync(join(tmpdir(), "sdewan-operator-measure-"));
const bundle = join(folder, "operator.mjs");
const bundler = fileURLToPath(new URL("bundle.ts", import.meta.url));
spawnSync(process.execPath, ["--conditions=@kubewright/source", bundler, bundle], { stdio: "inherit" });

const cpuSecondsOf = (pid: number): number => {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
};
const memoryOf = (pid: number, name: "VmRSS" | "VmHWM"): number =>
  Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, "m").exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024;

async function measure(count: number): Promise<void> {
  const kubeconfigOut = join(folder, `kubeconfig-${count}`);
  const simulators = new CnfSimulators();
  await using plane = await startControlPlane({ kubeconfigOut, images: simulators.images });
  const client = new Client({ connection: plane.connection() });
  await installCrds(client, systemClock, new AbortController().signal);
  for (let index = 0; index < cnfs; index++) {
    const labels = { sdewanPurpose: `cnf-${index}` };
    const annotations = { [networksAnnotation]: JSON.stringify({ interface: [] }) };
    await client.create(Deployment, {
      metadata: { name: `cnf-${index}`, namespace: "default", labels },
      spec: {
        replicas: 1,
        selector: { matchLabels: labels },
        template: {
          metadata: { labels, annotations },
          spec: { containers: [{ name: "sdewan", image: "kubewright/cnf-simulator" }] },
        },
      },
    });
  }
  while (simulators.running.size < cnfs) await systemClock.sleep(100);
  const nowhere = ["--metrics-bind-address", "0", "--health-probe-bind-address", "0", "--log-level", "error"];
  const args = [...options, bundle, "--kubeconfig", kubeconfigOut, "--cnf-scheme", "http", ...nowhere];
  const operator = spawn(process.execPath, args, {
    env: { ...process.env, ...environment },
    stdio: "inherit",
  });
  const { pid = 0 } = operator;
  try {
    await systemClock.sleep(5_000);
    const before = cpuSecondsOf(pid);
    const beganMs = systemClock.monotonic();
    for (let index = 0; index < count; index++) {
      const metadata = {
        name: `rule-${index}`,
        namespace: "default",
        labels: { sdewanPurpose: `cnf-${index % cnfs}` },
      };
      await client.create(FirewallRule, { metadata, spec: { target: "DROP", src_ip: `10.${index % 250}.0.0/16` } });
    }
    const inSync = async (): Promise<number> =>
      (await client.list(FirewallRule)).filter(({ status }) => status?.state === "In Sync").length;
    const madeMs = systemClock.monotonic();
    for (let there = 0; there < count; there = await inSync()) {
      if (systemClock.monotonic() - madeMs > longestMs) throw new Error(`only ${there} of ${count} are in sync`);
      await systemClock.sleep(500);
    }
    const [syncedMs, synced] = [systemClock.monotonic(), cpuSecondsOf(pid)];
    await systemClock.sleep(settleMs);
    const idle = (100 * (cpuSecondsOf(pid) - synced) * 1_000) / (systemClock.monotonic() - syncedMs);
    const figures = [
      `${count} resources`,
      `${((syncedMs - beganMs) / 1_000).toFixed(1)} s until in sync`,
      `${(synced - before).toFixed(1)} s CPU`,
      `${idle.toFixed(1)} % of a core afterwards`,
      `RSS ${memoryOf(pid, "VmRSS").toFixed(0)} MiB, at most ${memoryOf(pid, "VmHWM").toFixed(0)}`,
    ];
    console.log(figures.join("; "));
  } finally {
    operator.kill("SIGTERM");
    await new Promise((resolve) => operator.once("close", resolve));
    await client.close();
  }
}

try {
  for (const count of counts.length > 0 ? counts : [500, 1_000, 2_000]) await measure(count);
} finally {
  rmSync(folder, { recursive: true });
}
