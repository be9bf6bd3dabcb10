import type { KubeObject } from "@kubewright/apimachinery";
import { Secret } from "@kubewright/client/kinds";
import { describe, expect, it, vi } from "vitest";
import { IpsecHost } from "../api/ipsec/ipsec-remotes.ts";
import { SecretCache } from "../cnf/secret-cache.ts";
import { ipsecHost } from "../kinds/ipsec-remotes.ts";
import { metadata, startReconcilers } from "../testing/reconcilers.ts";
import type { RuleObject } from "../uci/cnf-kind.ts";
import { RuleSecrets } from "./rule-secrets.ts";

const address = "10.0.0.1";
const remotes = "ipsec/v1/remotes";
const ref = { name: "keys", key: "psk" };
const spec = {
  authentication_method: "psk",
  remote: "10.1.1.1",
  crypto_proposal: ["strong"],
  connections: [{ name: "c", conn_type: "tunnel", mode: "start" }],
} as const;
const text = (value: string): string => Buffer.from(value).toString("base64");

function start(extra: object = { preSharedKeySecretRef: ref }) {
  const bed = startReconcilers([address]);
  const { cluster, reconcile, cnf } = bed;
  const putSecret = (data: Record<string, string>, type = "Opaque") =>
    cluster.put(Secret, { metadata: { name: "keys", namespace: "default" }, data, type });
  cluster.put(IpsecHost, { metadata, spec: { ...spec, ...extra } } as never);
  const stored = () => cluster.peek<RuleObject>(ipsecHost.kind, "default/a");
  const again = () => reconcile({ ...stored(), kind: "IpsecHost" } as KubeObject);
  const held = () => cnf(address).collections.get(remotes)?.get("a");
  return { ...bed, putSecret, stored, again, held, requests: cnf(address).requests };
}

describe("a key in a Secret", () => {
  it("is sent to the CNF, and copied neither into the spec nor into annotations", async () => {
    const { putSecret, again, held, stored } = start();
    putSecret({ psk: text("first-key-of-all") });
    await again();
    expect(held()?.pre_shared_key).toBe("first-key-of-all");
    expect(stored()?.status?.state).toBe("In Sync");
    expect(JSON.stringify(stored())).not.toContain("first-key-of-all");
    expect(JSON.stringify(stored())).not.toContain(text("first-key-of-all"));
  });

  it("is written after a change, with one restart of its service", async () => {
    const { putSecret, again, held, requests } = start();
    putSecret({ psk: text("first-key-of-all") });
    await again();
    await again();
    requests.length = 0;
    putSecret({ psk: text("second-key-of-all") });
    await again();
    expect(held()?.pre_shared_key).toBe("second-key-of-all");
    expect(requests.filter((request) => !request.startsWith("GET"))).toEqual([`PUT ${remotes}/a`, "restart ipsec"]);
    requests.length = 0;
    await again();
    expect(requests.filter((request) => !request.startsWith("GET"))).toEqual([]);
  });

  it("gets the restart of its service from the next operator if the former one ended after the write", async () => {
    const before = start();
    before.putSecret({ psk: text("first-key-of-all") });
    await before.again();
    await before.again();
    before.putSecret({ psk: text("second-key-of-all") });
    before
      .cnf(address)
      .collections.get(remotes)
      ?.set("a", { ...before.held(), pre_shared_key: "second-key-of-all" });
    const next = startReconcilers(undefined, { before });
    before.requests.length = 0;
    await next.reconcile({ ...before.stored(), kind: "IpsecHost" } as KubeObject);
    expect(before.requests).toContain("restart ipsec");
  });

  it.each([
    ["the Secret", undefined, "spec.preSharedKeySecretRef: the Secret default/keys does not exist: create it"],
    ["the key", { other: text("x") }, "spec.preSharedKeySecretRef: the Secret default/keys has no key psk"],
    ["a value", { psk: "" }, "spec.preSharedKeySecretRef: the Secret default/keys: the value of the key psk is empty"],
  ])("stays on the CNF while %s is missing, and the status reports it", async (_, data, message) => {
    const { cluster, putSecret, again, held, stored, requests } = start();
    putSecret({ psk: text("first-key-of-all") });
    await again();
    requests.length = 0;
    if (data) putSecret(data);
    else cluster.remove(Secret, "default/keys");
    await again();
    expect(stored()?.status).toMatchObject({ state: "Trying to apply", message: expect.stringContaining(message) });
    expect(requests).toEqual([]);
    expect(held()?.pre_shared_key).toBe("first-key-of-all");
    putSecret({ psk: text("first-key-of-all") });
    await again();
    expect(stored()?.status?.state).toBe("In Sync");
  });

  it.each(["..", "other/keys", "%2e"])("is refused if the name of the Secret is not valid: %s", async (name) => {
    const { again, stored, requests } = start({ preSharedKeySecretRef: { ...ref, name } });
    await again();
    const message = `spec.preSharedKeySecretRef.name: "${name}" is not a valid Secret name`;
    expect(stored()?.status).toMatchObject({ state: "Trying to apply", message: expect.stringContaining(message) });
    expect(requests.filter((each) => !each.startsWith("get"))).toEqual([]);
  });

  it("does not prevent the deletion of resources", async () => {
    const { cluster, putSecret, again, held, stored } = start();
    putSecret({ psk: text("first-key-of-all") });
    await again();
    cluster.remove(Secret, "default/keys");
    await cluster.client.delete(IpsecHost, "default/a");
    await again();
    expect([held(), stored()]).toEqual([undefined, undefined]);
  });

  it("is refused together with one in clear text, and from the token of a ServiceAccount", async () => {
    const both = start({ preSharedKeySecretRef: ref, pre_shared_key: "clear-key-of-all" });
    both.putSecret({ psk: text("first-key-of-all") });
    await both.again();
    expect(both.stored()?.status?.message).toBe(
      "spec.pre_shared_key: spec.preSharedKeySecretRef is set as well: remove one of them",
    );
    const token = start();
    token.putSecret({ psk: text("first-key-of-all") }, "kubernetes.io/service-account-token");
    await token.again();
    expect(token.stored()?.status?.message).toContain("of type kubernetes.io/service-account-token");
    expect([both.held(), token.held()]).toEqual([undefined, undefined]);
  });

  it("is masked in messages of the CNF, and so is its former value", async () => {
    const { cnf, putSecret, again, stored } = start();
    putSecret({ psk: text("first-key-of-all") });
    await again();
    putSecret({ psk: text("second-key-of-all") });
    cnf(address).fail = (request) =>
      request.startsWith("PUT") ? new Error("no first-key-of-all for second-key-of-all") : undefined;
    await again();
    expect(stored()?.status?.message).toBe("no *** for ***");
  });

  it("may be the private key of a certificate, as PEM", async () => {
    const pem = "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----";
    const { putSecret, again, held } = start({ localPrivateCertSecretRef: { name: "keys", key: "tls.key" } });
    putSecret({ "tls.key": text(pem) });
    await again();
    expect(held()?.local_private_cert).toBe(text(pem));
  });
});

describe("a key in clear text", () => {
  it("causes one Event for each generation", async () => {
    const { cluster } = startReconcilers();
    const onClearText = vi.fn();
    const secrets = new RuleSecrets({ onClearText });
    const put = (generation: number) =>
      cluster.put(IpsecHost, {
        metadata: { ...metadata, generation },
        spec: { ...spec, pre_shared_key: "clear" },
      } as never) as RuleObject;
    for (const generation of [1, 1, 2]) await secrets.fill(cluster.client, ipsecHost, put(generation));
    expect(onClearText.mock.calls.map(([, fields]) => fields.map(({ field }: { field: string }) => field))).toEqual([
      ["pre_shared_key"],
      ["pre_shared_key"],
    ]);
  });
});

it("is read from the API server once for each version of a Secret", async () => {
  const { cluster, putSecret } = start();
  const live = { ...cluster.client, get: vi.fn(cluster.client.get) };
  const secretCache = new SecretCache({ live: live as typeof cluster.client });
  const secrets = new RuleSecrets({ secretCache });
  const fill = () =>
    secrets.fill(cluster.client, ipsecHost, cluster.peek<RuleObject>(ipsecHost.kind, "default/a") as never);
  putSecret({ psk: text("first-key-of-all") });
  await fill();
  await fill();
  expect(live.get).toHaveBeenCalledTimes(1);
  putSecret({ psk: text("second-key-of-all") });
  expect((await fill()).rule.spec).toMatchObject({ pre_shared_key: "second-key-of-all" });
  expect(live.get).toHaveBeenCalledTimes(2);
});
