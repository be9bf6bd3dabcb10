import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client, type ConnectionSettings } from "@kubewright/client";
import { Deployment, Lease, Secret, ValidatingWebhookConfiguration } from "@kubewright/client/kinds";
import { Environment } from "@kubewright/envtest";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventually } from "./harness/eventually.ts";
import { RunningOperator } from "./harness/operator.ts";
import { userEnvironment } from "./harness/program.ts";

const needs = { meta: { needs: "kubectl on the PATH" } };

const config = fileURLToPath(new URL("../../apps/sdewan-operator/config/default", import.meta.url));
const namespace = "sdewan-system";
const secret = `${namespace}/sdewan-webhook-server-cert`;
const program = "kubectl";
const hasKubectl = spawnSync(program, ["version", "--client"]).status === 0;

/** Ports that are rarely used. */
const [healthPort, webhookPort] = [29_481, 29_443];

describe.skipIf(!hasKubectl)("deployed with config/default", needs, () => {
  const folder = mkdtempSync(join(tmpdir(), "kubewright-deployed-"));
  let env: Environment;
  let client: Client;
  let operator: RunningOperator | undefined;
  const kubectl = async (...args: string[]): Promise<void> => {
    const kubeconfig = join(folder, "kubeconfig");
    writeFileSync(kubeconfig, env.kubeconfig());
    const child = spawn(program, ["--kubeconfig", kubeconfig, ...args], {
      env: { ...userEnvironment, HOME: folder },
    });
    let errors = "";
    child.stdout.resume();
    child.stderr.on("data", (chunk: Buffer) => {
      errors += chunk.toString("utf8");
    });
    expect(await new Promise((resolve) => child.on("close", resolve)), errors).toBe(0);
  };
  beforeAll(async () => {
    env = await Environment.start();
    client = new Client({ connection: env.connection() });
  }, 120_000);
  afterAll(async () => {
    await operator?.stop();
    await client?.close();
    await env?.stop();
    rmSync(folder, { recursive: true });
  });

  it("becomes ready with its own roles, issues its certificate and makes the API server trust it", async () => {
    await kubectl("apply", "-k", config);
    const { spec } = await client.get(Deployment, `${namespace}/sdewan-controller-manager`);
    expect(spec?.replicas).toBe(2);

    const account = { namespace, name: "sdewan-controller-manager" };
    const token = await env.serviceAccountToken(account, { expiresInSeconds: 3_600 });
    const { server, caData } = env.connection();
    const connection: ConnectionSettings = { server, ...(caData ? { caData } : {}), token };
    operator = new RunningOperator(
      connection,
      {
        leaderElect: true,
        leaderElectionNamespace: namespace,
        statusNamespace: namespace,
        healthProbeBindAddress: `127.0.0.1:${healthPort}`,
        webhooks: { port: webhookPort, host: "127.0.0.1", certificates: { secret } },
      },
      [],
    );
    const ask = async (path: string): Promise<[number, string]> => {
      const answer = await fetch(`http://127.0.0.1:${healthPort}${path}`);
      return [answer.status, await answer.text()];
    };
    const { log } = operator;
    await eventually(async () => expect(await ask("/readyz"), log.slice(-5).join("")).toEqual([200, "ok"]), 60_000);
    const [, checks] = await ask("/readyz?verbose");
    for (const check of ["webhooks", "cache-rolebindings.rbac.authorization.k8s.io", "cache-secrets"])
      expect(checks).toContain(`[+]${check} ok`);
    const { data = {} } = await client.get(Secret, secret);
    expect(Object.keys(data)).toEqual(expect.arrayContaining(["tls.crt", "tls.key", "ca.crt"]));
    await eventually(async () => {
      const name = "sdewan-validating-webhook-configuration";
      const { webhooks = [] } = await client.get(ValidatingWebhookConfiguration, name);
      expect(webhooks.map(({ clientConfig }) => clientConfig.caBundle)).toEqual(webhooks.map(() => data["ca.crt"]));
    });
    await eventually(async () =>
      expect(
        (await client.get(Lease, `${namespace}/controller-leader-election-helper`)).spec?.holderIdentity,
      ).toBeTruthy(),
    );
    // So far, the role has all permissions that the operator used.
    const isRefusal = (line: string): boolean =>
      line.includes("orbidden") && !line.includes("cnf-status") && !line.includes("sendInitialEvents"); // older servers have no watch lists
    expect(log.filter(isRefusal)).toEqual([]);
  }, 120_000);
});
