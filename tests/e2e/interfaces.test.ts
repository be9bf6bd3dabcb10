import { Pod } from "@kubewright/client/kinds";
import type { CnfSimulator } from "@kubewright/openwrt/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Cnf } from "./harness/cnf.ts";
import { eventually } from "./harness/eventually.ts";
import { fieldsOf } from "./harness/fields-of.ts";
import { modes } from "./harness/modes.ts";
import { CniInterface } from "./harness/rules.ts";
import { TestBed } from "./harness/test-bed.ts";

let bed: TestBed;
beforeAll(async () => {
  bed = await TestBed.start({ checkIntervalMs: 500 });
});
afterAll(() => bed?.stop());

describe.each(modes)("a CniInterface on $mode", ({ quirks }) => {
  let cnf: Cnf;
  let simulator: CnfSimulator;
  beforeAll(async () => {
    cnf = await bed.createCnf({ quirks });
    simulator = await cnf.simulator();
  });
  const create = (name: string, spec: object) =>
    bed.client.create(CniInterface, {
      metadata: { name, namespace: cnf.namespace },
      spec: { cnfSelector: { matchLabels: { sdewanPurpose: cnf.purpose } }, ...spec },
    });
  const shows = (name: string, status: unknown) =>
    eventually(async () => {
      expect(fieldsOf((await bed.client.get(CniInterface, `${cnf.namespace}/${name}`)).status)).toEqual(status);
    });
  const isUp = (name: string) => simulator.kernel.interfaces.find((each) => each.name === name)?.up;

  it("shows the interface, and updates its counters", async () => {
    await create("net1", { name: "net1" });
    const seen = {
      status: "UP",
      ip_address: ["172.16.30.10"],
      mac_address: expect.stringMatching(/^0A:58:/),
      received_packets: expect.stringMatching(/^\d+$/),
      send_packets: expect.stringMatching(/^\d+$/),
    };
    await shows("net1", seen);
    simulator.kernel.addInterface({ name: "net1", ip: "172.16.30.10", receivedPackets: 123_456 });
    await shows("net1", { ...seen, received_packets: "123456" });
  });

  it("reports that the interface or the CNF does not exist", async () => {
    await create("missing", { name: "net9" });
    await create("nowhere", { name: "net1", cnfSelector: { matchLabels: { sdewanPurpose: "nobodys" } } });
    await shows("missing", { status: "Not Available" });
    await shows("nowhere", { status: "Not Available" });
  });

  it("switches the interface down and up again as its spec requires", async () => {
    const { metadata } = await create("switched", { name: "net2", status: "DOWN" });
    await eventually(() => expect(isUp("net2")).toBe(false));
    await eventually(async () => {
      const { status } = await bed.client.get(CniInterface, `${cnf.namespace}/${metadata.name}`);
      expect(status?.status).toBe(quirks ? "Not Available" : "DOWN"); // the reference does not list interfaces that are down
    });
    await bed.client.patch(CniInterface, `${cnf.namespace}/switched`, { spec: { status: "up" } });
    await eventually(() => expect(isUp("net2")).toBe(true));
    await shows("switched", expect.objectContaining({ status: "UP" }));
  });

  it("can be deleted at any time", async () => {
    for (const name of ["net1", "missing", "nowhere", "switched"])
      await bed.client.delete(CniInterface, `${cnf.namespace}/${name}`);
    await eventually(async () =>
      expect(await bed.client.list(CniInterface, { namespace: cnf.namespace })).toHaveLength(0),
    );
  });

  it("follows the CNF to its next pod", async () => {
    await create("follower", { name: "eth0" });
    await shows("follower", expect.objectContaining({ status: "UP" }));
    const [pod] = await cnf.pods();
    await bed.client.delete(Pod, `${cnf.namespace}/${pod?.metadata.name}`);
    await eventually(async () => {
      const [next] = await cnf.pods();
      expect(next?.metadata.uid).not.toBe(pod?.metadata.uid);
      const { status } = await bed.client.get(CniInterface, `${cnf.namespace}/follower`);
      expect(status?.ip_address).toEqual([next?.status?.podIP]);
    });
  });
});
