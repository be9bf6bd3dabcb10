import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";

/** Runs `program` in a child process, in which `loaded()` returns the loaded packages and modules of Node.js. */
function run(program: string): unknown {
  const preface = `
    import { registerHooks } from "node:module";
    const urls = [];
    registerHooks({ load: (url, context, next) => (urls.push(url), next(url, context)) });
    const nameOf = (url) => /.*node_modules\\/((?:@[^/]+\\/)?[^/]+)/.exec(url)?.[1] ?? (url.startsWith("node:") ? url : undefined);
    const loadsWebhooks = () => urls.some((url) => url.includes("/packages/webhook/"));
    const loaded = () => [...new Set(urls.map(nameOf))].filter((name) => name !== undefined);
  `;
  const args = ["--conditions=@kubewright/source", "--input-type=module", "--eval", preface + program];
  const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: import.meta.dirname, encoding: "utf8" });
  expect(stderr).toBe("");
  return JSON.parse(stdout);
}

describe("optional modules are not loaded with kubewright, but", () => {
  it("with the first request, metrics, kubeconfig or server", () => {
    const loaded = run(`await import("./index.ts"); console.log(JSON.stringify(loaded()));`);

    expect(loaded).toEqual(expect.arrayContaining(["pino", "eventemitter3", "node:fs"])); // proves that loading is detected
    for (const name of ["@kubernetes/client-node", "prom-client", "undici", "yaml"]) expect(loaded).not.toContain(name);
    for (const name of ["crypto", "http", "http2", "https", "tls"]) expect(loaded).not.toContain(`node:${name}`);
  });

  it("with the first webhook", () => {
    const output = run(`
      const { Manager } = await import("./index.ts");
      const manager = new Manager({ connection: { server: "http://127.0.0.1:1" }, webhooks: { port: 0 } });
      const before = [manager.webhooks.configurations({ url: "https://a" }), loadsWebhooks()];
      const { admissionHandler, allowed } = await import("./webhooks.ts");
      manager.webhooks.add(admissionHandler("/pods", {}, () => allowed()));
      const servers = ["node:http2", "node:https", "node:tls"].filter((name) => loaded().includes(name));
      console.log(JSON.stringify([before, loadsWebhooks(), servers]));
    `);
    expect(output).toEqual([[[], false], true, []]);
  });

  it("with the first kubeconfig, when it is read", () => {
    const text =
      "current-context: x\ncontexts: [{name: x, context: {cluster: x}}]\nclusters: [{name: x, cluster: {server: 'http://x'}}]\n";
    const output = run(`
      const { Connection } = await import("./index.ts");
      const { settings } = Connection.fromKubeConfig(${JSON.stringify(text)});
      console.log(JSON.stringify([settings.server, loaded().includes("yaml")]));
    `);
    expect(output).toEqual(["http://x", true]);
  });
});
