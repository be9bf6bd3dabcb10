import { X509Certificate } from "node:crypto";
import { connect } from "node:tls";
import { fileURLToPath } from "node:url";
import { CertificateAuthority } from "@kubewright/certificates";
import { Pod, Secret } from "@kubewright/client/kinds";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { endpointAnnotation } from "../src/api/group.ts";
import { IpsecProposal } from "../src/api/ipsec/ipsec-proposal.ts";
import { missingCertificates } from "./cnf-certificates.ts";
import { Demo } from "./demo.ts";
import { readManifests } from "./manifests.ts";

const cnfs = async () => {
  const all = await readManifests(fileURLToPath(new URL("../cnfs", import.meta.url)));
  return all.filter(({ kind, metadata }) => kind !== "Deployment" || metadata.name === "sdewan-safe");
};
const secretKey = "default/cnf-default-cert";
const base64 = (text: string): string => Buffer.from(text).toString("base64");

describe("the certificates of simulated CNFs", () => {
  it("are created for every pod of the namespace if a Deployment names a missing Secret", async () => {
    const objects = await cnfs();
    const [secret, ...others] = missingCertificates(objects);
    expect(others).toEqual([]);
    expect(secret).toMatchObject({ kind: "Secret", metadata: { namespace: "default", name: "cnf-default-cert" } });
    const data = secret?.stringData as Record<string, string>;
    const certificate = new X509Certificate(data["tls.crt"] ?? "");
    expect(certificate.checkHost("10-233-84-5.default.pod.cluster.local")).toBeDefined();
    expect(certificate.checkHost("10-233-84-5.edge-a.pod.cluster.local")).toBeUndefined();
    expect(certificate.verify(new X509Certificate(data["ca.crt"] ?? "").publicKey)).toBe(true);
    expect(missingCertificates([...objects, ...(secret ? [secret] : [])])).toEqual([]);
  });
});

describe("a CNF with a certificate", () => {
  let demo: Demo;
  beforeAll(async () => {
    demo = await Demo.start({ cnfs: await cnfs(), operator: { session: { settleMs: 50, maxSettleMs: 200 } } });
  });
  afterAll(() => demo?.stop());

  const proposal = (name: string) => ({
    metadata: { name, namespace: "default", labels: { sdewanPurpose: "base" } },
    spec: { encryption_algorithm: "aes256", hash_algorithm: "sha256", dh_group: "modp4096" } as const,
  });
  const says = (name: string, status: object): Promise<void> =>
    vi.waitFor(
      async () => {
        const { status: seen } = await demo.client.get(IpsecProposal, `default/${name}`);
        expect(seen).toMatchObject(status);
      },
      { timeout: 15_000, interval: 50 },
    );
  const trust = (ca: string) =>
    demo.client.patch(Secret, secretKey, { data: { "ca.crt": base64(ca) } }, { type: "merge" });

  it("responds only over HTTPS, with a certificate for the name of its pod", async () => {
    await demo.client.create(IpsecProposal, proposal("first"));
    await says("first", { state: "In Sync" });
    const [pod] = await demo.client.list(Pod, { namespace: "default", labels: { sdewanPurpose: "base" } });
    const [scheme, port] = pod?.metadata.annotations?.[endpointAnnotation]?.split(":") ?? [];
    expect(scheme).toBe("https");
    const ip = pod?.status?.podIP ?? "";
    const { data } = await demo.client.get(Secret, secretKey);
    const ca = Buffer.from(data?.["ca.crt"] ?? "", "base64");
    const servername = `${ip.replaceAll(".", "-")}.default.pod.cluster.local`;
    const socket = connect({ host: ip, port: Number(port), ca, servername });
    const { promise, resolve, reject } = Promise.withResolvers<boolean>();
    socket.on("secureConnect", () => resolve(socket.authorized)).on("error", reject);
    expect(await promise.finally(() => socket.destroy())).toBe(true);
  });

  it("is not contacted if another authority is trusted, and the status reports the reason", async () => {
    const right = (await demo.client.get(Secret, secretKey)).data?.["ca.crt"] ?? "";
    await trust(new CertificateAuthority("somebody-else").certificate);
    await demo.client.create(IpsecProposal, proposal("second"));
    const message = expect.stringMatching(
      /https:\/\/127-\d+-\d+-\d+\.default\.pod\.cluster\.local:\d+\/\S*: its certificate is not signed by an authority in the given CA bundle/,
    );
    await says("second", { state: "Trying to apply", message });
    await trust("this is not a certificate");
    await says("first", { state: "Trying to apply", message });

    await trust(Buffer.from(right, "base64").toString("utf8"));
    await says("first", { state: "In Sync" });
    await says("second", { state: "In Sync" });
    expect((await demo.simulators.running.values().next()).value?.url).toMatch(/^https:/);
  });
});
