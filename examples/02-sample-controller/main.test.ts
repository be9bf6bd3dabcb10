import { Environment } from "@kubewright/envtest";
import { Client, createLogger } from "kubewright";
import { Event } from "kubewright/kinds";
import { program, type RunningProgram } from "kubewright/testing";
import { afterAll, beforeAll, expect, it } from "vitest";
import { clientset } from "./clientset.ts";
import { main } from "./main.ts";
import { Network } from "./network.ts";
import { role } from "./role.ts";

const lines: string[] = [];
let env: Environment;
let client: Client;
let running: RunningProgram;

beforeAll(async () => {
  env = await Environment.start({ crds: [Network] });
  client = new Client({ connection: env.connection() });
  const logger = createLogger({
    level: "info",
    destination: { write: (line: string) => void lines.push(line) },
  });
  running = await program([{ env, role }], ([connection], signal) =>
    main(connection, signal, logger),
  );
});
afterAll(async () => {
  await running.stop();
  await client.close();
  await env.stop();
});

/** Returns the reasons of a network's Events, in order. */
const eventsOf = (name: string) =>
  lines
    .map(
      (line) =>
        JSON.parse(line) as { msg: string; network?: string; cidr?: string },
    )
    .filter(({ network }) => network === `default/${name}`)
    .map(({ msg, cidr }) => (cidr ? `${msg} ${cidr}` : msg));

it("sets up new and changed networks, takes down deleted ones, and creates Events", async () => {
  const networks = clientset(client).samplecrd.v1.networks("default");
  await networks.create({
    metadata: { name: "north" },
    spec: { cidr: "192.168.0.0/16", gateway: "192.168.0.1" },
  });
  await running.eventually(async () =>
    expect(eventsOf("north")).toEqual(["set up 192.168.0.0/16"]),
  );
  await running.eventually(async () => {
    const events = await client.list(Event, { namespace: "default" });
    const ours = events.filter(({ reason }) => reason === "Synced");
    expect(ours).toMatchObject([
      {
        reportingComponent: "network-controller",
        involvedObject: { kind: "Network", name: "north" },
      },
    ]);
  });

  await networks.patch("north", { spec: { cidr: "10.0.0.0/8" } });
  await running.eventually(async () =>
    expect(eventsOf("north")).toEqual([
      "set up 192.168.0.0/16",
      "set up 10.0.0.0/8",
    ]),
  );
  await networks.delete("north");
  await running.eventually(async () =>
    expect(eventsOf("north")).toHaveLength(3),
  );
  expect(eventsOf("north").at(-1)).toBe("taken down");
});

it("uses a group that belongs to the community, and names the approval", () => {
  expect(Network.crd.metadata).toMatchObject({
    name: "networks.samplecrd.k8s.io",
    annotations: {
      "api-approved.kubernetes.io": "unapproved, a sample for learning",
    },
  });
});
