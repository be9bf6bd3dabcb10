import { isObjectNotFound, OpenWrtClient } from "@kubewright/openwrt";
import { CnfSimulator } from "@kubewright/openwrt/testing";
import { expect, it } from "vitest";

it("does what the README shows", async () => {
  await using simulator = await CnfSimulator.start({
    password: "s3cret",
    interfaces: [
      { name: "eth0", ip: "10.233.84.5" },
      { name: "net1", ip: "172.20.5.1" },
    ],
  });
  await using cnf = new OpenWrtClient({ url: simulator.url, password: "s3cret" });

  await cnf.firewall.zones.put("wan", { network: ["net1"], masq: "1", input: "REJECT" });
  await cnf.service("firewall").restart();

  await cnf.firewall.zones.delete("lan").catch((error: unknown) => {
    if (!isObjectNotFound(error)) throw error; // already deleted
  });

  expect(simulator.config()["firewall/v1/zones"]).toEqual({
    zones: [{ name: "wan", network: ["net1"], masq: "1", input: "REJECT" }],
  });
  expect(simulator.commands).toEqual([["/etc/init.d/firewall", "restart"]]);
});
