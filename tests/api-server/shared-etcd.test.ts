import { generateKeyPairSync } from "node:crypto";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ApiServer } from "@kubewright/kube-apiserver";
import { etcd3 } from "@kubewright/storage-etcd3";
import { Agent, type Dispatcher, fetch } from "undici";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { freePort, Program } from "./programs/program.ts";

const needs = { meta: { needs: "KUBEBUILDER_ASSETS: npm run envtest:build builds the programs, with Go" } };

const assets = process.env.KUBEBUILDER_ASSETS ?? "";
const programs = ["etcd", "kube-apiserver"].map((name) => join(assets, name));
const present = assets !== "" && programs.every(existsSync);
if (!present)
  console.warn(
    "skipped: one etcd for kube-apiserver and ours, because KUBEBUILDER_ASSETS does not contain both binaries",
  );

type Body = Record<string, unknown> & { metadata: { name: string; resourceVersion: string; uid: string } };

/** Sends requests to one server as a member of system:masters. */
class Caller {
  readonly #url: string;
  readonly #headers: Record<string, string>;
  readonly #dispatcher: Dispatcher;

  constructor(url: string, headers: Record<string, string>, connect: NonNullable<Agent.Options["connect"]>) {
    this.#url = url;
    this.#headers = headers;
    this.#dispatcher = new Agent({ connect });
  }

  async call(method: string, path: string, body?: unknown, contentType = "application/json"): Promise<Body> {
    const response = await fetch(`${this.#url}${path}`, {
      method,
      headers: { ...this.#headers, "content-type": contentType },
      dispatcher: this.#dispatcher,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const answer = (await response.json()) as Body;
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(answer)}`);
    return answer;
  }

  /** Returns the names in the events of a watch up to a given name. */
  async namesUntil(path: string, name: string): Promise<string[]> {
    const response = await fetch(`${this.#url}${path}`, { headers: this.#headers, dispatcher: this.#dispatcher });
    const names: string[] = [];
    let rest = "";
    for await (const chunk of response.body ?? []) {
      const lines = (rest + Buffer.from(chunk as Uint8Array).toString()).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) {
        const event = JSON.parse(line) as { type: string; object: Body };
        names.push(`${event.type} ${event.object.metadata.name}`);
        if (event.object.metadata.name === name) return names;
      }
    }
    return names;
  }

  async close(): Promise<void> {
    await this.#dispatcher.destroy();
  }
}

describe.skipIf(!present)("one etcd for kube-apiserver and ours", needs, () => {
  const folder = mkdtempSync(join(tmpdir(), "shared-etcd-"));
  const running: AsyncDisposable[] = [];
  let theirs: Caller;
  let ours: Caller;

  beforeAll(async () => {
    const [etcdPort, peerPort, realPort] = [await freePort(), await freePort(), await freePort()];
    const etcdUrl = `http://127.0.0.1:${etcdPort}`;
    const peerUrl = `http://127.0.0.1:${peerPort}`;
    const etcd = new Program(join(assets, "etcd"), [
      `--data-dir=${join(folder, "etcd")}`,
      `--listen-client-urls=${etcdUrl}`,
      `--advertise-client-urls=${etcdUrl}`,
      `--listen-peer-urls=${peerUrl}`,
      `--initial-advertise-peer-urls=${peerUrl}`,
      `--initial-cluster=default=${peerUrl}`,
      "--unsafe-no-fsync",
    ]);
    running.push(etcd);
    await etcd.until(async () => (await fetch(`${etcdUrl}/health`)).ok);

    const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
    const keyFile = join(folder, "sa.key");
    writeFileSync(keyFile, String(privateKey.export({ type: "pkcs1", format: "pem" })), { mode: 0o600 });
    writeFileSync(join(folder, "tokens.csv"), 'secret,root,1,"system:masters"\n', { mode: 0o600 });
    const real = new Program(join(assets, "kube-apiserver"), [
      `--etcd-servers=${etcdUrl}`,
      "--bind-address=127.0.0.1",
      `--secure-port=${realPort}`,
      `--cert-dir=${folder}`,
      `--token-auth-file=${join(folder, "tokens.csv")}`,
      "--authorization-mode=RBAC",
      "--service-cluster-ip-range=10.96.0.0/16",
      "--disable-admission-plugins=ServiceAccount",
      "--service-account-issuer=https://kubernetes.default.svc",
      `--service-account-key-file=${keyFile}`,
      `--service-account-signing-key-file=${keyFile}`,
    ]);
    running.push(real);
    theirs = new Caller(
      `https://127.0.0.1:${realPort}`,
      { authorization: "Bearer secret" },
      { rejectUnauthorized: false },
    );
    await real.until(async () => (await theirs.call("GET", "/api/v1/namespaces/default")).kind === "Namespace");

    const server = await ApiServer.start({
      authorization: ["RBAC"],
      storage: etcd3({ endpoints: [etcdUrl] }),
    });
    running.push(server);
    const { server: url, caData = "", certData = "", keyData = "" } = server.connection();
    ours = new Caller(url, {}, { ca: caData, cert: certData, key: keyData });
  });

  afterAll(async () => {
    await ours?.close();
    await theirs?.close();
    for (const one of running.reverse()) await one[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  const configMaps = "/api/v1/namespaces/default/configmaps";
  const configMap = (name: string) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data: { a: "b" } });
  const shownBy = async (caller: Caller, path: string) => {
    const { metadata, ...rest } = await caller.call("GET", path);
    return { ...rest, metadata: { ...metadata, managedFields: undefined } };
  };

  it("each reads the other's writes, with the same version", async () => {
    await ours.call("POST", configMaps, configMap("ours"));
    await theirs.call("POST", configMaps, configMap("theirs"));
    for (const name of ["ours", "theirs"])
      expect(await shownBy(ours, `${configMaps}/${name}`)).toEqual(await shownBy(theirs, `${configMaps}/${name}`));
  });

  it.each([
    ["/api/v1/namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name: "n1" } }],
    [
      "/api/v1/namespaces/default/services",
      { apiVersion: "v1", kind: "Service", metadata: { name: "s1" }, spec: { ports: [{ port: 80 }] } },
    ],
    [
      "/api/v1/namespaces/default/pods",
      { apiVersion: "v1", kind: "Pod", metadata: { name: "p1" }, spec: { containers: [{ name: "c", image: "i" }] } },
    ],
    [
      "/apis/apps/v1/namespaces/default/deployments",
      {
        apiVersion: "apps/v1",
        kind: "Deployment",
        metadata: { name: "d1" },
        spec: {
          selector: { matchLabels: { a: "b" } },
          template: { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i" }] } },
        },
      },
    ],
    [
      "/apis/networking.k8s.io/v1/namespaces/default/ingresses",
      {
        apiVersion: "networking.k8s.io/v1",
        kind: "Ingress",
        metadata: { name: "i1" },
        spec: { defaultBackend: { service: { name: "s1", port: { number: 80 } } } },
      },
    ],
    [
      "/apis/coordination.k8s.io/v1/namespaces/default/leases",
      { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata: { name: "l1" }, spec: { holderIdentity: "me" } },
    ],
    [
      "/apis/rbac.authorization.k8s.io/v1/clusterroles",
      {
        apiVersion: "rbac.authorization.k8s.io/v1",
        kind: "ClusterRole",
        metadata: { name: "r1" },
        rules: [{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }],
      },
    ],
  ])("ours returns the protobuf that kube-apiserver stored at %s like kube-apiserver", async (path, object) => {
    await theirs.call("POST", path, object);
    const place = `${path}/${object.metadata.name}`;
    expect(await shownBy(ours, place)).toEqual(await shownBy(theirs, place));
  });

  it("a watch on one reports the writes of both", async () => {
    const names = ours.namesUntil(`${configMaps}?watch=true&fieldSelector=metadata.name!=kube-root-ca.crt`, "z");
    const mine = theirs.namesUntil(`${configMaps}?watch=true&fieldSelector=metadata.name!=kube-root-ca.crt`, "z");
    await theirs.call("POST", configMaps, configMap("x"));
    await ours.call("POST", configMaps, configMap("y"));
    await theirs.call("PATCH", `${configMaps}/y`, { data: { c: "d" } }, "application/merge-patch+json");
    await ours.call("POST", configMaps, configMap("z"));
    expect((await names).slice(-4)).toEqual(["ADDED x", "ADDED y", "MODIFIED y", "ADDED z"]);
    expect((await mine).slice(-4)).toEqual(["ADDED x", "ADDED y", "MODIFIED y", "ADDED z"]);
  });

  it("custom resources are shared too", async () => {
    const crd = {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: "sites.example.com" },
      spec: {
        group: "example.com",
        scope: "Namespaced",
        names: { plural: "sites", kind: "Site", singular: "site", listKind: "SiteList" },
        versions: [
          {
            name: "v1",
            served: true,
            storage: true,
            schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
          },
        ],
      },
    };
    await theirs.call("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", crd);
    const sites = "/apis/example.com/v1/namespaces/default/sites";
    const served = async (caller: Caller): Promise<void> => {
      for (let attempt = 0; attempt < 100; attempt++) {
        const known = await caller.call("GET", sites).then(
          () => true,
          () => false,
        );
        if (known) return;
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    };
    await Promise.all([served(ours), served(theirs)]);
    await ours.call("POST", sites, {
      apiVersion: "example.com/v1",
      kind: "Site",
      metadata: { name: "a" },
      spec: { size: 3 },
    });
    expect(await shownBy(theirs, `${sites}/a`)).toEqual(await shownBy(ours, `${sites}/a`));
  });
});
