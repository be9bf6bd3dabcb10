import { Secret } from "@kubewright/client/kinds";
import { OpenWrtError } from "@kubewright/openwrt";
import { describe, expect, it } from "vitest";
import { FirewallRule } from "../api/firewall/firewall-rules.ts";
import { IpsecHost } from "../api/ipsec/ipsec-remotes.ts";
import { metadata, startReconcilers as start } from "../testing/reconcilers.ts";

const spec: IpsecHost["spec"] = {
  remote: "10.0.0.9",
  authentication_method: "psk",
  crypto_proposal: ["p"],
  connections: [],
};
const host = (name: string, keys: Partial<IpsecHost["spec"]>) => ({
  metadata: { ...metadata, name },
  spec: { ...spec, ...keys },
});
const encoded = (text: string): string => Buffer.from(text).toString("base64");

/** Returns the message in the status of a FirewallRule when the CNF responds with a string. */
async function reported(world: ReturnType<typeof start>, text: string): Promise<string> {
  const { cluster, reconcile, cnf, failures, events } = world;
  const object = cluster.put(FirewallRule, { metadata, spec: {} });
  cnf("10.0.0.1").fail = (request) => (request.startsWith("POST firewall") ? new OpenWrtError(400, text) : undefined);
  await reconcile(object);
  cnf("10.0.0.1").fail = () => undefined;
  const { status } = cluster.peek(FirewallRule, "default/a") ?? expect.unreachable();
  const ofPods = [...failures.of({ kind: "FirewallRule", key: "default/a" }).values()];
  return JSON.stringify([status, ofPods, events]);
}

describe("the message of a CNF about one resource", () => {
  it("contains no keys of other resources, whether sent before or not, and not the CNF's password", async () => {
    const world = start(["10.0.0.1"]);
    const { cluster } = world;
    cluster.put(Secret, { metadata: { name: "keys", namespace: "default" }, data: { psk: encoded("kept-apart") } });
    cluster.put(Secret, { metadata: { name: "account", namespace: "cnfs" }, data: { password: encoded("letmein") } });
    cluster.put(IpsecHost, host("b", { pre_shared_key: "in-clear-text", local_private_cert: "cHJpdmF0ZQ==" }));
    cluster.put(IpsecHost, host("c", { preSharedKeySecretRef: { name: "keys", key: "psk" } }));
    const text = await reported(world, "psk in-clear-text, kept-apart, cHJpdmF0ZQ==, letmein");
    expect(text).toContain("psk ***, ***, ***, ***");
    for (const secret of ["in-clear", "kept-apart", "cHJpdm", "letmein"]) expect(text).not.toContain(secret);
  });

  it("contains no key that is barely a second old", async () => {
    const world = start(["10.0.0.1"]);
    const { cluster, reconcile } = world;
    await reported(world, "nothing yet");
    await reconcile(cluster.put(IpsecHost, host("b", { pre_shared_key: "just-made" })));
    expect(await reported(world, "psk just-made")).toContain("psk ***");
  });

  it("contains no keys that were sent for deleted or changed resources", async () => {
    const world = start(["10.0.0.1"]);
    const { cluster, reconcile, clock } = world;
    const object = cluster.put(IpsecHost, host("b", { pre_shared_key: "the-first" }));
    await reconcile(object);
    const stored = cluster.peek(IpsecHost, "default/b") ?? expect.unreachable();
    await reconcile(cluster.put(IpsecHost, { ...stored, ...host("b", { pre_shared_key: "the-second" }) }));
    cluster.remove(IpsecHost, "default/b");
    await reconcile(object);
    await clock.advance(60_000);
    expect(await reported(world, "psk the-first the-second")).toContain("psk *** ***");
  });

  it("may contain keys that only another CNF was sent", async () => {
    const world = start(["10.0.0.1"]);
    const other = host("b", { pre_shared_key: "elsewhere" });
    world.cluster.put(IpsecHost, { ...other, metadata: { ...other.metadata, labels: { sdewanPurpose: "hub" } } });
    expect(await reported(world, "psk elsewhere")).toContain("psk elsewhere");
  });

  it("does not contain half of a key at its cut end", async () => {
    const world = start(["10.0.0.1"]);
    const key = encoded("private ".repeat(300));
    world.cluster.put(IpsecHost, host("b", { local_private_cert: key }));
    const text = await reported(world, `${"x".repeat(1_000)} ${key}`);
    expect(text).toContain("xxx ***");
    expect(text).not.toContain(key.slice(0, 16));
  });
});
