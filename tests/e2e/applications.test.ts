import { Deployment } from "@kubewright/client/kinds";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Cnf } from "./harness/cnf.ts";
import { named } from "./harness/contents.ts";
import { eventually } from "./harness/eventually.ts";
import { modes } from "./harness/modes.ts";
import { TestBed } from "./harness/test-bed.ts";

let bed: TestBed;
beforeAll(async () => {
  bed = await TestBed.start();
});
afterAll(() => bed?.stop());

describe.each(modes)("a SdewanApplication on $mode", ({ quirks }) => {
  let cnf: Cnf;
  beforeAll(async () => {
    cnf = await bed.createCnf({ quirks });
  });
  const addresses = async (app: string): Promise<string[]> => {
    const { Pod } = await import("@kubewright/client/kinds");
    const pods = await bed.client.list(Pod, { namespace: cnf.namespace, labels: { app } });
    return pods.flatMap(({ metadata, status }) => (metadata.deletionTimestamp ? [] : [status?.podIP ?? "?"]));
  };
  const lastByte = (ip: string): number => ip.split(".").reduce((sum, part) => sum * 256 + Number(part), 0);
  const follows = async (app: string, pods: number): Promise<void> => {
    await eventually(async () => {
      const ips = (await addresses(app)).toSorted((a, b) => lastByte(a) - lastByte(b));
      expect(ips).toHaveLength(pods);
      const simulator = await cnf.simulator();
      const [held] = named(simulator, "application/v1/applications", "myapp");
      expect(held?.iplist ?? "").toBe(ips.join(","));
      const routed = simulator.kernel.rules.filter(({ table }) => table === "40").map(({ from }) => from);
      expect(routed.sort()).toEqual(ips.toSorted());
    });
  };

  it("follows the sorted pods of the application, with their routing rules", async () => {
    const { namespace } = cnf;
    const labels = { app: "myapp" };
    await cnf.create("SdewanApplication", "myapp", { appNamespace: namespace, podSelector: { matchLabels: labels } });
    await cnf.inSync("SdewanApplication", "myapp");
    await follows("myapp", 0);

    await bed.client.create(Deployment, {
      metadata: { name: "myapp", namespace },
      spec: {
        replicas: 2,
        selector: { matchLabels: labels },
        template: {
          metadata: { labels },
          spec: { containers: [{ name: "main", image: "busybox" }], terminationGracePeriodSeconds: 0 },
        },
      },
    });
    await follows("myapp", 2);
    await bed.client.subResource("scale").patch(Deployment, `${namespace}/myapp`, { spec: { replicas: 4 } });
    await follows("myapp", 4);
    await bed.client.subResource("scale").patch(Deployment, `${namespace}/myapp`, { spec: { replicas: 1 } });
    await follows("myapp", 1);
    await cnf.inSync("SdewanApplication", "myapp");
    await bed.client.delete(Deployment, `${namespace}/myapp`);
    await follows("myapp", 0);
    await cnf.delete("SdewanApplication", "myapp");
    await cnf.gone("SdewanApplication", "myapp");
    expect(named(await cnf.simulator(), "application/v1/applications", "myapp")).toEqual([]);
  });

  it("without a selector reports what is wrong", async () => {
    await cnf.create("SdewanApplication", "selectorless", {});
    await cnf.hasStatus("SdewanApplication", "selectorless", "Trying to apply", "spec.podSelector: Required value");
  });
});
