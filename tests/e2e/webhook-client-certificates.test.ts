import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { unstructured } from "@kubewright/apimachinery";
import { CertificateAuthority } from "@kubewright/certificates";
import { Client } from "@kubewright/client";
import { type ControlPlane, startControlPlane } from "@kubewright/controller-manager";
import { silentLogger } from "@kubewright/log";
import { localCertificates } from "@kubewright/webhook/local";
import { apiKinds, type OperatorOptions, runOperator } from "sdewan-operator";
import { afterAll, beforeAll, expect, it } from "vitest";
import { eventually } from "./harness/eventually.ts";
import { ruleKind } from "./harness/rules.ts";

const host = "127.0.0.1";
const crds = apiKinds.map(({ crd }) => crd);
const FirewallRule = ruleKind("FirewallRule");
const bucketWebhook = "/validate-sdewan-bucket-permission";

const callers = new CertificateAuthority("callers of webhooks");
const pairOf = (authority: CertificateAuthority) => authority.issueClient({ commonName: "kube-apiserver" });
/** Certificates that were issued two hours ago for an hour. */
const formerly = new CertificateAuthority("callers of webhooks", callers.export(), {
  nowMs: () => Date.now() - 2 * 3_600_000,
});
const expired = formerly.issueClient({ commonName: "kube-apiserver" }, { lifetimeMs: 3_600_000 });
const certificates = localCertificates({ hosts: [host] });

const dir = mkdtempSync(join(tmpdir(), "client-certificates-"));
const clientCaFile = write("callers.crt", callers.certificate);
const stop = new AbortController();
const stops: (() => Promise<unknown>)[] = [];
let plane: ControlPlane;
let client: Client;
let port: number;

function write(name: string, text: string): string {
  writeFileSync(join(dir, name), text);
  return join(dir, name);
}

/** Returns the file of `--admission-control-config-file` for a server with these credentials. */
function admissionConfiguration(name: string, { certificate, key }: { certificate: string; key: string }): string {
  const [crt, pem] = [write(`${name}.crt`, certificate), write(`${name}.key`, key)];
  const user = { name: `${host}:${port}`, user: { "client-certificate": crt, "client-key": pem } };
  const kubeConfigFile = write(
    `${name}.kubeconfig`,
    JSON.stringify({ apiVersion: "v1", kind: "Config", users: [user] }),
  );
  const apiVersion = "apiserver.config.k8s.io/v1";
  const configuration = { apiVersion, kind: "WebhookAdmissionConfiguration", kubeConfigFile };
  const plugins = ["ValidatingAdmissionWebhook", "MutatingAdmissionWebhook"].map((of) => ({ name: of, configuration }));
  return write(`${name}.yaml`, JSON.stringify({ apiVersion, kind: "AdmissionConfiguration", plugins }));
}

/** Starts a control plane that calls the webhooks, and returns the client of a user without permission for any bucket. */
async function startCaller(admissionControlConfigFile?: string): Promise<Client> {
  const apiServer = { crds, admissionControlConfigFile, authorization: ["AlwaysAllow"] } as const;
  const started = await startControlPlane({ logger: silentLogger, apiServer });
  stops.push(() => started.stop());
  await using admin = new Client({ connection: started.connection() });
  for (const object of configurations) await admin.create(unstructured(object), object);
  started.server.addUser({ name: "jane" });
  const caller = new Client({ connection: started.connection("jane") });
  stops.push(async () => caller.close());
  return caller;
}

type Listening = NonNullable<NonNullable<OperatorOptions["webhooks"]>["listening"]>;
let configurations: ReturnType<Parameters<Listening>[0]["configurations"]> = [];
const listening: Listening = async (webhooks) => {
  port = webhooks.port ?? 0;
  configurations = webhooks.configurations({ name: "sdewan", url: `https://${host}:${port}` });
};

beforeAll(async () => {
  plane = await startControlPlane({ logger: silentLogger, apiServer: { crds } });
  stops.push(() => plane.stop());
  const webhooks = { host, port: 0, certificates, clientCaFile, listening };
  const options = { connection: plane.connection(), metricsBindAddress: "0", logger: silentLogger, webhooks };
  const operator = runOperator(options, stop.signal);
  stops.push(async () => {
    stop.abort();
    await operator;
  });
  await eventually(() => expect(port).toBeGreaterThan(0));
  client = await startCaller(admissionConfiguration("api-server", pairOf(callers)));
}, 60_000);
afterAll(async () => {
  for (const end of stops.reverse()) await end();
  rmSync(dir, { recursive: true });
});

/** Tries to write a bucket until the server has seen the webhook's configuration, and returns its last error. */
const failure = (of: Client): Promise<unknown> =>
  eventually(async () => {
    const metadata = { name: "a", namespace: "default", labels: { "sdewan-bucket-type": "app-intent" } };
    const error = await of.create(FirewallRule, { metadata, spec: {} }, { dryRun: true }).then(String, String);
    expect(error).toContain("webhook");
    return error;
  });

/** Asks the bucket webhook who may write a bucket, like any peer. Returns the status of its answer, or "refused". */
async function ask(user: { readonly certificate?: string; readonly key?: string }): Promise<number | string> {
  const tls = { cert: user.certificate, key: user.key, rejectUnauthorized: false, agent: false };
  const headers = { "content-type": "application/json" };
  const sent = request({ host, port, path: bucketWebhook, method: "POST", headers, ...tls });
  sent.end(JSON.stringify({ apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", request: { uid: "1" } }));
  try {
    const [answer] = await once(sent, "response");
    answer.resume();
    return answer.statusCode;
  } catch {
    return "refused";
  }
}

it("answers an API server that presents its certificate", async () => {
  expect(await failure(client)).toContain("User(jane) don't have the permission");
  expect(await ask(pairOf(callers))).toBe(200);
});

it.each([
  ["without a certificate", () => ({})],
  ["with a certificate of another authority", () => pairOf(new CertificateAuthority("others"))],
  [
    "with a certificate of another authority with the same name",
    () => pairOf(new CertificateAuthority("callers of webhooks")),
  ],
  ["with an expired certificate", () => expired],
  ["with a server's certificate", () => callers.issueServer("kube-apiserver", [host])],
])("refuses a peer %s, before it reads a request", async (_what, pair) => {
  expect(await ask(pair())).toBe("refused");
});

it.each([
  ["no certificate", undefined],
  ["a certificate of another authority", pairOf(new CertificateAuthority("others"))],
  ["an expired certificate", expired],
])("gets no call through from an API server with %s, which reports the failed call", async (what, pair) => {
  const caller = await startCaller(pair && admissionConfiguration(what.replaceAll(" ", "-"), pair));
  expect(await failure(caller)).toMatch(/failed calling webhook "[^"]+": failed to call webhook: Post "https:/);
});

it.each([
  ["does not exist", join(dir, "nothing.crt"), "cannot be read"],
  ["contains no certificate", write("empty.crt", ""), "contains no certificate"],
  ["contains a key", write("key.pem", pairOf(callers).key), "contains no certificate"],
])("ends with the name of the field if its file %s", async (_what, file, why) => {
  const webhooks = { host, port: 0, certificates, clientCaFile: file };
  const options = { connection: plane.connection(), metricsBindAddress: "0", logger: silentLogger, webhooks };
  await expect(runOperator(options, stop.signal)).rejects.toThrow(`clientCAName: ${file} ${why}`);
});
