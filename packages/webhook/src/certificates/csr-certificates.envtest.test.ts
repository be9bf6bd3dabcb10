import { execFile } from "node:child_process";
import { X509Certificate } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { CertificateAuthority, parseCertificationRequest, signCertificationRequest } from "@kubewright/certificates";
import { Client } from "@kubewright/client";
import { CertificateSigningRequest, Secret, ValidatingWebhookConfiguration } from "@kubewright/client/kinds";
import { Environment } from "@kubewright/envtest";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import type { CertificateSource } from "./certificate-source.ts";
import { type CsrCertificatesOptions, csrCertificates } from "./csr-certificates.ts";

const signerName = "example.com/serving";
const key = { namespace: "default", name: "csr-cert" };
const service = { name: "webhook", namespace: "default" };
const authority = new CertificateAuthority("signer");

let env: Environment;
let client: Client;
let folder = "";
const ends: (() => Promise<void> | void)[] = [];
beforeAll(async () => {
  env = await Environment.start();
  client = new Client({ connection: env.connection() });
  folder = mkdtempSync(join(tmpdir(), "csr-"));
  writeFileSync(join(folder, "kubeconfig"), env.kubeconfig(), { mode: 0o600 });
}, 60_000);
afterAll(async () => {
  await client.close();
  await env.stop();
  rmSync(folder, { recursive: true });
});

let events: string[] = [];
beforeEach(async () => {
  events = [];
  await client.create(Secret, { metadata: key });
});
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
  await client.delete(Secret, key);
  await client.deleteCollection(CertificateSigningRequest);
});

function start(options: Partial<CsrCertificatesOptions> = {}): CertificateSource {
  const source = csrCertificates({
    secret: "default/csr-cert",
    client,
    service,
    intervalMs: 50,
    csr: { signerName, ca: authority.certificate },
    events: { event: (_, { type, reason }) => void events.push(`${type} ${reason}`) },
    ...options,
  });
  const stop = new AbortController();
  const running = source.run(stop.signal);
  ends.push(async () => {
    stop.abort();
    await running;
  });
  return source;
}

/** Signs approved requests, as a signer of the cluster does. */
function signer(lifetimeMs: number, by = authority): void {
  const stop = { now: false };
  const sign = async (): Promise<void> => {
    while (!stop.now) {
      for (const { metadata, spec, status } of await client.list(CertificateSigningRequest)) {
        const isApproved = status?.conditions?.some(({ type }) => type === "Approved");
        if (!isApproved || status?.certificate) continue;
        const request = parseCertificationRequest(Buffer.from(spec.request, "base64").toString());
        const now = Date.now();
        const times = { notBeforeMs: now - 1_000, notAfterMs: now + lifetimeMs };
        const certificate = signCertificationRequest(by.export(), request, { usages: spec.usages ?? [], ...times });
        await client.status.patch(CertificateSigningRequest, metadata.name, {
          certificate: Buffer.from(certificate).toString("base64"),
        });
      }
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  const running = sign();
  ends.unshift(async () => {
    stop.now = true;
    await running;
  });
}

const kubectl = async (...words: string[]): Promise<string> =>
  (await promisify(execFile)("kubectl", ["--kubeconfig", join(folder, "kubeconfig"), ...words])).stdout;
const requests = async (): Promise<string[]> =>
  (await client.list(CertificateSigningRequest)).map(({ metadata }) => metadata.name);
const patience = { timeout: 20_000, interval: 20 };
const refusal = (source: CertificateSource): string => {
  try {
    source.check();
    return "";
  } catch (error) {
    return String(error);
  }
};

it("requests a certificate, waits for kubectl's approval, and serves the result on every replica", async () => {
  await client.create(ValidatingWebhookConfiguration, {
    metadata: { name: "csr" },
    webhooks: [
      {
        name: "a.example.com",
        clientConfig: { service },
        sideEffects: "None",
        admissionReviewVersions: ["v1"],
        rules: [],
      },
    ],
  });
  ends.push(() => client.delete(ValidatingWebhookConfiguration, "csr"));
  const options = { targets: [{ kind: "ValidatingWebhookConfiguration", name: "csr" }] } as const;
  const [source, other] = [start(options), start(options)];
  signer(3_600_000);
  await expect.poll(requests, patience).toHaveLength(1);
  const [name = ""] = await requests();
  await expect.poll(() => events, patience).toContain("Normal CertificateRequested");
  expect(source.current).toBeUndefined();
  // The other replica may have created the request.
  await expect
    .poll(() => refusal(source), patience)
    .toContain(`waiting for approval: kubectl certificate approve ${name}`);
  expect(await kubectl("certificate", "approve", name)).toContain("approved");
  await expect.poll(() => [source.current, other.current], patience).not.toContain(undefined);
  expect(source.current).toEqual(other.current);
  source.check();
  const leaf = new X509Certificate(source.current?.cert ?? "");
  expect(leaf.checkHost("webhook.default.svc")).toBe("webhook.default.svc");
  expect(leaf.keyUsage).toEqual(["1.3.6.1.5.5.7.3.1"]);
  const { webhooks } = await client.get(ValidatingWebhookConfiguration, "csr");
  expect(Buffer.from(webhooks?.[0]?.clientConfig.caBundle ?? "", "base64").toString()).toBe(authority.certificate);
  expect(await requests()).toEqual([name]);
  const restarted = start();
  await expect.poll(() => restarted.current, patience).toEqual(source.current);
});

it("requests again with another key after two thirds of the certificate's lifetime", async () => {
  const source = start();
  signer(12_000);
  await expect.poll(requests, patience).toHaveLength(1);
  const [first = ""] = await requests();
  await kubectl("certificate", "approve", first);
  await expect.poll(() => source.current, patience).toBeDefined();
  const served = source.current;
  await expect.poll(requests, patience).toHaveLength(2);
  expect(source.current).toEqual(served);
  const second = (await requests()).find((each) => each !== first) ?? "";
  await kubectl("certificate", "approve", second);
  await expect.poll(() => source.current?.cert === served?.cert, patience).toBe(false);
  expect(source.current?.key).not.toBe(served?.key);
  source.check();
}, 60_000);

it("reports a denial, and requests again once the request is deleted", async () => {
  const source = start();
  await expect.poll(requests, patience).toHaveLength(1);
  const [name = ""] = await requests();
  await kubectl("certificate", "deny", name);
  await expect.poll(() => events, patience).toContain("Warning CertificateDenied");
  expect(() => source.check()).toThrow(`${name} has the condition Denied`);
  signer(3_600_000);
  await client.delete(CertificateSigningRequest, name);
  await expect.poll(requests, patience).toEqual([name]);
  await kubectl("certificate", "approve", name);
  await expect.poll(() => source.current, patience).toBeDefined();
});

it("does not serve a certificate of another authority, which nobody would accept", async () => {
  const source = start();
  signer(3_600_000, new CertificateAuthority("another"));
  await expect.poll(requests, patience).toHaveLength(1);
  await kubectl("certificate", "approve", (await requests())[0] ?? "");
  await expect.poll(() => events, patience).toContain("Warning CertificateUnusable");
  expect(source.current).toBeUndefined();
  expect(() => source.check()).toThrow("its issuer is not in certificates.csr.ca");
});

it.each([
  [
    { csr: { signerName: "serving", ca: authority.certificate } },
    'certificates.csr.signerName "serving": must be a domain',
  ],
  [{ csr: { signerName, ca: "" } }, "certificates.csr.ca: must be the signer's certificate in PEM"],
])("refuses %j", (options, why) => {
  expect(() => csrCertificates({ secret: "default/csr-cert", client, service, ...options })).toThrow(why);
});
