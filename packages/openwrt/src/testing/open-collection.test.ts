import { afterEach, describe, expect, it } from "vitest";
import { OpenWrtClient } from "../client.ts";
import { CnfSimulator } from "./simulator.ts";

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

async function start(quirks: boolean) {
  const collections = [
    { path: "qos/v1/queues" },
    { path: "qos/v1/classes", namedSections: true },
    { path: "ipsec/v1/proposals" }, // one of the specification, which is stricter
  ];
  const cnf = await CnfSimulator.start({ quirks, collections });
  const client = new OpenWrtClient({ url: cnf.url, password: "" });
  closers.push(
    () => client.close(),
    () => cnf.stop(),
  );
  interface Queue {
    readonly name: string;
    readonly dev?: string;
    readonly rate?: string;
    readonly match?: readonly string[];
  }
  return { cnf, client, queues: client.collection<Queue>("qos/v1/queues") };
}

describe.each([
  ["", false],
  [", with the reference's quirks", true],
])("an additional collection of the simulator%s", (_name, quirks) => {
  it("keeps objects with any fields, replaces and deletes them", async () => {
    const { cnf, queues } = await start(quirks);
    await queues.create({ name: "voice", dev: " net1 ", rate: "", match: ["10.0.0.0/8", "udp"] });
    expect(await queues.list()).toEqual([{ name: "voice", dev: "net1", match: ["10.0.0.0/8", "udp"] }]);
    await queues.put("voice", { rate: "100" });
    expect(cnf.config()["qos/v1/queues"]).toEqual({ queues: [{ name: "voice", rate: "100" }] });
    await queues.delete("voice");
    expect(await queues.list()).toEqual([]);
  });

  it("has named sections on request", async () => {
    const { cnf, client } = await start(quirks);
    await client.collection("qos/v1/classes").create({ name: "gold" });
    expect(cnf.uci.sections("qos-classes", "classe").map(({ id }) => id)).toEqual(["gold"]);
    await expect(client.collection("qos/v1/classes").create({ name: "gold" })).rejects.toThrow(/409/);
  });

  it("has no effect if the specification already contains it", async () => {
    const { client } = await start(quirks);
    const wrong = { name: "a", encryption_algorithm: "rot13" };
    await expect(client.ipsec.proposals.create(wrong)).rejects.toThrow(/encryption_algorithm/);
  });
});
