import { Event, Secret } from "@kubewright/client/kinds";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Cnf } from "./harness/cnf.ts";
import { eventually } from "./harness/eventually.ts";
import { modes } from "./harness/modes.ts";
import { cnfPassword, impatient, TestBed } from "./harness/test-bed.ts";

let bed: TestBed;
beforeAll(async () => {
  bed = await TestBed.start({ session: impatient });
});
afterAll(() => bed?.stop());

const psk = "a-pre-shared-key-that-nobody-may-read";
const privateKey = Buffer.from("-----BEGIN PRIVATE KEY----- nobody may read this").toString("base64");
const strong = { encryption_algorithm: "aes256", hash_algorithm: "sha256", dh_group: "ecp256" };
const host = {
  remote: "10.0.0.1",
  authentication_method: "psk",
  pre_shared_key: psk,
  crypto_proposal: ["strong"],
  connections: [{ name: "a", conn_type: "tunnel", mode: "start" }],
};
const site = {
  remote: "%any",
  authentication_method: "pubkey",
  local_public_cert: "cHVibGlj",
  local_private_cert: privateKey,
  shared_ca: "Y2E=",
  crypto_proposal: ["strong"],
  connections: [{ name: "b", conn_type: "tunnel", mode: "start", local_subnet: "10.9.0.0/24" }],
};

describe.each(modes)("keys for $mode", ({ quirks }) => {
  let cnf: Cnf;
  beforeAll(async () => {
    cnf = await bed.createCnf({ quirks });
  });

  it("are on the CNF, and in no status, Event or log, even if the CNF echoes them", async () => {
    const simulator = await cnf.simulator();
    for (const key of [psk, privateKey])
      simulator.failNext({
        status: 400,
        body: `{"message":"cannot store ${key}"}`,
        count: 1_000,
        match: ({ method, body }) => method === "POST" && body.includes(key),
      });
    await cnf.create("IpsecProposal", "strong", strong);
    await cnf.create("IpsecHost", "host", host);
    await cnf.create("IpsecSite", "site", site);
    await cnf.hasStatus("IpsecHost", "host", "Trying to apply", "Error Code: 400");
    await cnf.hasStatus("IpsecSite", "site", "Trying to apply", "Error Code: 400");
    const failed = [await cnf.get("IpsecHost", "host"), await cnf.get("IpsecSite", "site")];
    expect(failed[0]?.status?.message).not.toContain(psk);
    expect(failed[1]?.status?.message).not.toContain(privateKey);

    simulator.clearFaults();
    await cnf.inSync("IpsecHost", "host");
    await cnf.inSync("IpsecSite", "site");
    expect(simulator.uci.text("ipsec")).toContain(psk);

    const statuses = [await cnf.get("IpsecHost", "host"), await cnf.get("IpsecSite", "site")].map(
      ({ status, metadata }) => JSON.stringify([status, metadata.annotations]),
    );
    const events = JSON.stringify(await bed.client.list(Event, { namespace: cnf.namespace }));
    for (const secret of [psk, privateKey, cnfPassword]) {
      expect(statuses.filter((text) => text.includes(secret))).toEqual([]);
      expect(events).not.toContain(secret);
      expect(bed.log.filter((line) => line.includes(secret))).toEqual([]);
    }
    expect(bed.log.some((line) => line.includes('"host"'))).toBe(true);
  });

  it("come from Secrets, follow them, and stay on the CNF while these are missing", async () => {
    const [first, second] = ["first-key-in-a-secret", "second-key-in-a-secret"];
    const simulator = await cnf.simulator();
    const at = { name: "psk-keys", namespace: cnf.namespace };
    const { pre_shared_key: _, ...rest } = host;
    await cnf.create("IpsecHost", "referring", {
      ...rest,
      connections: [{ ...host.connections[0], name: "referring-a" }],
      preSharedKeySecretRef: { name: at.name, key: "psk" },
    });
    const missing = `spec.preSharedKeySecretRef: the Secret ${at.namespace}/${at.name} does not exist`;
    await cnf.hasStatus("IpsecHost", "referring", "Trying to apply", missing);
    const secret = await bed.client.create(Secret, { metadata: at, stringData: { psk: first } });
    await cnf.inSync("IpsecHost", "referring");
    expect(simulator.uci.text("ipsec")).toContain(first);

    await bed.client.patch(Secret, secret, { stringData: { psk: second } });
    await eventually(() => expect(simulator.uci.text("ipsec")).toContain(second));
    expect(simulator.uci.text("ipsec")).not.toContain(first);
    await cnf.inSync("IpsecHost", "referring");

    await bed.client.delete(Secret, secret);
    await cnf.hasStatus("IpsecHost", "referring", "Trying to apply", missing);
    expect(simulator.uci.text("ipsec")).toContain(second);

    const events = await bed.client.list(Event, { namespace: cnf.namespace });
    const shown = JSON.stringify([await cnf.get("IpsecHost", "referring"), events]);
    for (const text of [first, second]) {
      expect(shown).not.toContain(text);
      expect(bed.log.filter((line) => line.includes(text))).toEqual([]);
    }
    await cnf.delete("IpsecHost", "referring");
    await cnf.gone("IpsecHost", "referring");
    expect(simulator.uci.text("ipsec")).not.toContain(second);
  });

  it("in clear text cause an Event that does not repeat them", async () => {
    await eventually(async () => {
      const events = await bed.client.list(Event, { namespace: cnf.namespace });
      const notes = events.flatMap((event) => (event.reason === "ClearTextKey" ? [JSON.stringify(event)] : []));
      expect(notes.some((note) => note.includes("use spec.preSharedKeySecretRef"))).toBe(true);
      expect(notes.some((note) => note.includes("use spec.localPrivateCertSecretRef"))).toBe(true);
    });
  });

  it("that the server refuses are not repeated in its message", async () => {
    const refused = cnf.create("IpsecHost", "refused", { ...host, authentication_method: "pks" });
    await expect(refused).rejects.toThrow("spec.authentication_method");
    await refused.catch((error: unknown) => expect(String(error)).not.toContain(psk));
  });
});
