import { afterAll, beforeAll, expect, it } from "vitest";
import type { Cnf } from "./harness/cnf.ts";
import { eventually } from "./harness/eventually.ts";
import { modes } from "./harness/modes.ts";
import { CNFStatus } from "./harness/rules.ts";
import { impatient, TestBed } from "./harness/test-bed.ts";

const key = "default/cnf-status";
const secret = "a-key-that-nobody-else-has";

let bed: TestBed;
let cnfs: readonly Cnf[];
beforeAll(async () => {
  bed = await TestBed.start({ session: impatient, checkIntervalMs: 500, statusNamespace: "default" });
  cnfs = await Promise.all(modes.map(({ quirks }) => bed.createCnf({ quirks })));
});
afterAll(() => bed?.stop());

const statuses = async (): Promise<Map<string, string>> => {
  const { status } = await bed.client.get(CNFStatus, key);
  return new Map(status?.information?.map(({ purpose = "", status: text = "" }) => [purpose, text]));
};
interface Module {
  readonly name: string;
  readonly status?: { readonly InitConnection?: string };
}
const modulesOf = async (cnf: Cnf): Promise<readonly Module[]> =>
  JSON.parse((await statuses()).get(cnf.purpose) ?? "") as Module[];

it("contains every CNF pod and each module", async () => {
  for (const cnf of cnfs)
    await eventually(async () =>
      expect((await modulesOf(cnf)).map(({ name }) => name)).toEqual([
        "conntrack",
        "interface",
        "ipsec",
        "route",
        "rule",
        "wan",
      ]),
    );
  const { metadata, status } = await bed.client.get(CNFStatus, key);
  expect(status?.appliedGeneration).toBe(metadata.generation);
  for (const cnf of cnfs) {
    const [pod] = await cnf.pods();
    const { name, namespace } = pod?.metadata ?? {};
    expect(status?.information).toContainEqual({
      name,
      namespace,
      node: pod?.spec?.nodeName,
      purpose: cnf.purpose,
      ip: pod?.status?.podIP,
      status: expect.stringMatching(/^\[/),
    });
  }
});

it("contains no key, and IPsec restarts while tunnels do not come up", async () => {
  const proposal = { encryption_algorithm: "aes256", hash_algorithm: "sha256", dh_group: "ecp256" };
  const connections = [{ name: "c", conn_type: "tunnel", mode: "start" }];
  for (const cnf of cnfs) {
    const simulator = await cnf.simulator();
    simulator.ipsec.isPeerDown = true;
    await cnf.create("IpsecProposal", "strong", proposal);
    const remote = { remote: "10.0.0.9", authentication_method: "psk", crypto_proposal: ["strong"], connections };
    await cnf.create("IpsecHost", "host", { ...remote, pre_shared_key: secret });
    await cnf.inSync("IpsecHost", "host");
    const ipsecOf = async () => (await modulesOf(cnf)).find(({ name }) => name === "ipsec")?.status?.InitConnection;
    await eventually(async () => expect(await ipsecOf()).toBe("fail"));
    const restarts = () => simulator.commands.filter((argv) => argv.join(" ") === "/etc/init.d/ipsec restart").length;
    const before = restarts();
    await eventually(() => expect(restarts()).toBeGreaterThan(before));
    simulator.ipsec.isPeerDown = false;
    await eventually(async () => expect(await ipsecOf()).toBe("success"));
  }
  expect(JSON.stringify(await bed.client.get(CNFStatus, key))).not.toContain(secret);
  expect(bed.log.join("")).not.toContain(secret);
});

it("contains Not Available for a CNF that does not answer, and is created again when it is deleted", async () => {
  const [cnf] = cnfs;
  const [pod] = (await cnf?.pods()) ?? [];
  const podKey = `${cnf?.namespace}/${pod?.metadata.name}`;
  await bed.cnfs.unplug(podKey);
  await eventually(async () => expect((await statuses()).get(cnf?.purpose ?? "")).toBe("Not Available"));
  await bed.cnfs.plugIn(podKey);
  await bed.client.delete(CNFStatus, key);
  await eventually(async () => expect((await statuses()).get(cnf?.purpose ?? "")).toMatch(/^\[/));
});
