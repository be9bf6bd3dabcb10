import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Cnf } from "./harness/cnf.ts";
import { named } from "./harness/contents.ts";
import { eventually } from "./harness/eventually.ts";
import { modes } from "./harness/modes.ts";
import { impatient, TestBed } from "./harness/test-bed.ts";

let bed: TestBed;
beforeAll(async () => {
  bed = await TestBed.start({ session: impatient, cnfNamespaces: "*" });
});
afterAll(() => bed?.stop());

describe.each(modes)("of two objects that would share a name on $mode", ({ quirks }) => {
  let cnf: Cnf;
  beforeAll(async () => {
    cnf = await bed.createCnf({ quirks });
  });

  it("the younger, in another namespace, is refused until the older is deleted", async () => {
    const other = await bed.namespace();
    const [mine, theirs] = [
      { target: "DROP", dest_port: "1", proto: "tcp" },
      { target: "DROP", dest_port: "2", proto: "tcp" },
    ];
    await cnf.create("FirewallRule", "same", mine);
    await cnf.inSync("FirewallRule", "same");
    await cnf.create("FirewallRule", "same", theirs, other);
    const message = `The name same on the CNF belongs to FirewallRule ${cnf.namespace}/same, which is older`;
    await cnf.hasStatus("FirewallRule", "same", "Trying to apply", message, other);
    const shown = async () => named(await cnf.simulator(), "firewall/v1/rules", "same");
    expect(await shown()).toEqual([expect.objectContaining({ dest_port: "1" })]);

    await cnf.delete("FirewallRule", "same");
    await cnf.gone("FirewallRule", "same");
    await cnf.inSync("FirewallRule", "same", other);
    expect(await shown()).toEqual([expect.objectContaining({ dest_port: "2" })]);
    await cnf.delete("FirewallRule", "same", other);
    await cnf.gone("FirewallRule", "same", other);
    expect(await shown()).toEqual([]);
  });

  it("the younger, of another kind, is refused, and its deletion does not affect the older one's object", async () => {
    await cnf.create("FirewallZone", "wan", { network: ["net-b"] });
    await cnf.create("FirewallSNAT", "twin", { src_dip: "192.168.1.5", dest: "wan" });
    await cnf.inSync("FirewallSNAT", "twin");
    await cnf.create("FirewallDNAT", "twin", { src: "wan", dest_ip: "172.16.31.15" });
    await cnf.hasStatus("FirewallDNAT", "twin", "Trying to apply", `belongs to FirewallSNAT ${cnf.namespace}/twin`);
    await cnf.delete("FirewallDNAT", "twin");
    await cnf.gone("FirewallDNAT", "twin");
    const held = named(await cnf.simulator(), "firewall/v1/redirects", "twin");
    expect(held).toEqual([expect.objectContaining({ target: "SNAT" })]);
  });

  it("a host and a site compete as well", async () => {
    const strong = { encryption_algorithm: "aes256", hash_algorithm: "sha256", dh_group: "ecp256" };
    await cnf.create("IpsecProposal", "strong", strong);
    const remote = { authentication_method: "psk", pre_shared_key: "x", crypto_proposal: ["strong"] };
    const connection = { conn_type: "tunnel", mode: "start" };
    await cnf.create("IpsecHost", "peer", {
      ...remote,
      remote: "10.0.0.1",
      connections: [{ ...connection, name: "a" }],
    });
    await cnf.inSync("IpsecHost", "peer");
    await cnf.create("IpsecSite", "peer", {
      ...remote,
      remote: "10.0.0.2",
      connections: [{ ...connection, name: "b", local_subnet: "10.9.0.0/24" }],
    });
    await cnf.hasStatus("IpsecSite", "peer", "Trying to apply", `belongs to IpsecHost ${cnf.namespace}/peer`);
    const shown = named(await cnf.simulator(), "ipsec/v1/remotes", "peer");
    expect(shown).toEqual([expect.objectContaining({ gateway: "10.0.0.1" })]);
    await cnf.delete("IpsecHost", "peer");
    await cnf.inSync("IpsecSite", "peer");
    await eventually(async () =>
      expect(named(await cnf.simulator(), "ipsec/v1/remotes", "peer")).toEqual([
        expect.objectContaining({ gateway: "10.0.0.2" }),
      ]),
    );
  });
});
