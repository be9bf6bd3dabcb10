import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CertificateAuthority } from "@kubewright/certificates";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { asked, demandGo } from "./runner/asked.ts";
import { type RunningPlane, startPlane } from "./runner/commands.ts";
import { buildCommand } from "./runner/go-suite.ts";
import { buildKubectl } from "./runner/kubectl.ts";
import { runProgram } from "./runner/run-program.ts";

const needs = { meta: { needs: "`npm run test:suites`, and Go" } };

const group = "wardle.example.com";
const unavailable = "the server is currently unable to handle the request";
const flunder = (version: string, name: string, spec: unknown): string =>
  JSON.stringify({ apiVersion: `${group}/${version}`, kind: "Flunder", metadata: { name }, spec });

describe.runIf(asked)("Kubernetes' sample-apiserver behind `kubewright controlplane`", needs, () => {
  const folder = mkdtempSync(join(tmpdir(), "sample-apiserver-"));
  const stops: (() => Promise<void>)[] = [];
  let plane: RunningPlane;
  let kubectlFolder: string;
  let port: number;
  let startSample: () => () => Promise<void>;

  /**
   * Returns standard output and error of kubectl.
   *
   * @param input for `-f -`
   */
  const kubectl = async (args: string, input?: string): Promise<string> => {
    const file = join(folder, "input.json");
    if (input !== undefined) writeFileSync(file, input);
    const all = ["--kubeconfig", plane.kubeconfig, ...args.split(" "), ...(input === undefined ? [] : ["-f", file])];
    const { output } = await runProgram(join(kubectlFolder, "kubectl"), all, { folder, timeoutMs: 60_000 });
    return output.replace(/^Warning: .*\n/gm, "");
  };

  const started = (program: string, args: readonly string[]): (() => Promise<void>) => {
    const child = spawn(program, args, { cwd: folder, stdio: "ignore" });
    const ended = new Promise<void>((resolve) => child.on("close", () => resolve()));
    return async () => {
      child.kill("SIGKILL");
      await ended;
    };
  };

  beforeAll(async () => {
    demandGo();
    const module = "sample-apiserver";
    const sample = await buildCommand({ module, package: "k8s.io/sample-apiserver" });
    const etcd = await buildCommand({ module, package: "go.etcd.io/etcd/server/v3" });
    kubectlFolder = await buildKubectl();
    plane = await startPlane();
    stops.push(async () => plane[Symbol.asyncDispose]());
    const authority = new CertificateAuthority("sample");
    const { certificate, key } = authority.issueServer("api", ["api.wardle.svc"]);
    writeFileSync(join(folder, "tls.crt"), certificate);
    writeFileSync(join(folder, "tls.key"), key);
    const [clients, peers] = [await freePort(), await freePort()];
    port = await freePort();
    const [client, peer] = [`http://127.0.0.1:${clients}`, `http://127.0.0.1:${peers}`];
    stops.push(
      started(join(etcd, "v3"), [
        ...["--data-dir", join(folder, "etcd"), "--listen-client-urls", client, "--advertise-client-urls", client],
        ...["--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer, "--initial-cluster", `default=${peer}`],
      ]),
    );
    // a ServiceAccount with only the permissions of an extension server
    await kubectl("create namespace wardle");
    await kubectl("create serviceaccount api -n wardle");
    const account = "--serviceaccount=wardle:api";
    await kubectl(`create clusterrolebinding wardle-delegator --clusterrole=system:auth-delegator ${account}`);
    await kubectl(
      `create rolebinding wardle-reader -n kube-system --role=extension-apiserver-authentication-reader ${account}`,
    );
    const watching = "--verb=get,list,watch --resource";
    await kubectl(`create clusterrole wardle-namespaces ${watching}=namespaces`);
    await kubectl(`create clusterrolebinding wardle-namespaces --clusterrole=wardle-namespaces ${account}`);
    const resources =
      "mutatingwebhookconfigurations,validatingwebhookconfigurations,validatingadmissionpolicies,validatingadmissionpolicybindings,mutatingadmissionpolicies,mutatingadmissionpolicybindings,flowschemas,prioritylevelconfigurations";
    await kubectl(`create clusterrole wardle-configuration ${watching}=${resources}`);
    await kubectl(`create clusterrolebinding wardle-configuration --clusterrole=wardle-configuration ${account}`);
    const token = (await kubectl("create token api -n wardle")).trim();
    const config = join(folder, "kubeconfig");
    const view = JSON.parse(await kubectl("config view --raw --flatten -o json"));
    view.users = view.users.map(({ name }: { name: string }) => ({ name, user: { token } }));
    writeFileSync(config, JSON.stringify(view));
    const configs = ["", "authentication-", "authorization-"].flatMap((which) => [`--${which}kubeconfig`, config]);
    startSample = () =>
      started(join(sample, "sample-apiserver"), [
        ...["--secure-port", String(port), "--bind-address", "127.0.0.1", "--etcd-servers", client, ...configs],
        ...["--tls-cert-file", join(folder, "tls.crt"), "--tls-private-key-file", join(folder, "tls.key")],
      ]);
    stops.push(startSample());
    const service = {
      apiVersion: "v1",
      kind: "Service",
      metadata: { name: "api", namespace: "wardle" },
      spec: { type: "ExternalName", externalName: "127.0.0.1" },
    };
    const registrations = ["v1alpha1", "v1beta1"].map((version) => ({
      apiVersion: "apiregistration.k8s.io/v1",
      kind: "APIService",
      metadata: { name: `${version}.${group}` },
      spec: {
        ...{ group, version, groupPriorityMinimum: 1_000, versionPriority: version === "v1beta1" ? 20 : 10 },
        service: { namespace: "wardle", name: "api", port },
        caBundle: Buffer.from(authority.certificate).toString("base64"),
      },
    }));
    await kubectl("create", JSON.stringify({ apiVersion: "v1", kind: "List", items: [service, ...registrations] }));
  }, 3_900_000);

  afterAll(async () => {
    for (const stop of stops.reverse()) await stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const wait = (condition: string): Promise<string> =>
    kubectl(`wait --timeout=60s --for=condition=${condition} apiservice/v1alpha1.${group} apiservice/v1beta1.${group}`);

  it("is available, and is discovered and explained", async () => {
    expect(await wait("Available=True")).toContain(`v1beta1.${group} condition met`);
    expect(await kubectl("get apiservices")).toMatch(/v1beta1\.wardle\.example\.com +wardle\/api +True/);
    expect(await kubectl("api-versions")).toContain(`${group}/v1alpha1\n${group}/v1beta1`);
    const resources = await kubectl(`api-resources --api-group=${group}`);
    expect(resources).toMatch(/flunders +wardle\.example\.com\/v1beta1 +true +Flunder/);
    await expect.poll(() => kubectl("explain flunders.spec"), { timeout: 30_000 }).toContain("referenceType\t<string>");
  });

  it("creates, reads, patches, applies, watches and deletes", async () => {
    expect(
      await kubectl("create", flunder("v1beta1", "one", { referenceType: "Flunder", flunderReference: "two" })),
    ).toMatch(/one created/);
    expect(await kubectl("apply --server-side", flunder("v1alpha1", "two", { reference: "one" }))).toMatch(/two serv/);
    expect(await kubectl("get flunders -A")).toMatch(/NAMESPACE +NAME +CREATED AT\ndefault +one .*\ndefault +two /);
    const watched = kubectl("wait --timeout=30s --for=jsonpath={.metadata.labels.shown}=yes flunder/one");
    await kubectl("label flunder one shown=yes");
    expect(await kubectl("get flunders -l shown=yes -o name")).toBe(`flunder.${group}/one\n`);
    expect(await kubectl("get flunders.v1alpha1.wardle.example.com one -o jsonpath={.spec}")).toContain(
      '"reference":"two"',
    );
    expect(await watched).toContain("condition met");
    const fischer = { apiVersion: `${group}/v1alpha1`, kind: "Fischer", metadata: { name: "bobby" } };
    const banning = { ...fischer, disallowedFlunders: ["banned"] };
    expect(await kubectl("create", JSON.stringify(banning))).toMatch(/bobby created/);
    expect(await kubectl("create", flunder("v1beta1", "banned", {}))).toContain("this name may not be used");
    expect(await kubectl("delete flunder one two")).toMatch(/"one" deleted.*\n.*"two" deleted/);
    expect(await kubectl("get flunders")).toContain("No resources found");
  });

  it("asks our server for authorization", async () => {
    await kubectl("create", flunder("v1beta1", "three", {}));
    const refused = await kubectl("get flunders --as jane");
    expect(refused).toContain(`User "jane" cannot list resource "flunders" in API group "${group}"`);
    await kubectl("create clusterrole flunders --verb=get,list --resource=flunders.wardle.example.com");
    await kubectl("create clusterrolebinding flunders --clusterrole=flunders --group=readers");
    const read = (): Promise<string> => kubectl("get flunders -o name --as jane --as-group readers");
    await expect.poll(read, { timeout: 20_000 }).toBe(`flunder.${group}/three\n`); // it caches a refusal for ten seconds
    expect(await kubectl("delete flunder three --as jane --as-group readers")).toContain("cannot delete resource");
  });

  it("its objects are deleted with their namespace", async () => {
    await kubectl("create namespace short");
    await kubectl("create -n short", flunder("v1beta1", "four", {}));
    expect(await kubectl("delete namespace short --timeout=60s")).toContain("deleted");
    expect(await kubectl("get flunders -A -o name")).toBe(`flunder.${group}/three\n`);
  });

  it("can be removed on its own, and added again", async () => {
    await stops.pop()?.();
    expect(await kubectl("get flunders")).toContain(unavailable);
    await wait("Available=False");
    expect(await kubectl("get flunders")).toContain(unavailable);
    expect(await kubectl("get namespaces -o name")).toContain("namespace/wardle");
    stops.push(startSample());
    await wait("Available=True");
    await expect.poll(() => kubectl("get flunders -o name"), { timeout: 30_000 }).toBe(`flunder.${group}/three\n`);
  });
});

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().on("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address ? address.port : 0));
    });
  });
}
