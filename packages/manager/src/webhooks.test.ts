import { silentLogger } from "@kubewright/log";
import { admissionHandler, allowed, type Webhook } from "@kubewright/webhook";
import { expect, it } from "vitest";
import { Manager } from "./manager.ts";
import type { ManagedWebhookServer, WebhookOptions } from "./webhooks.ts";

const start = (webhooks: WebhookOptions = {}) =>
  new Manager({
    connection: { server: "http://127.0.0.1:1" },
    ...{ metrics: { bindAddress: "0" }, logger: silentLogger },
    webhooks: { port: 0, host: "127.0.0.1", ...webhooks },
  });
const webhook = (path: string): Webhook =>
  admissionHandler(path, { type: "validating", name: "a.example.com", rules: [] }, async () => allowed());

/** A server that was made elsewhere, and what it was told to serve. */
function givenServer() {
  const added: Webhook[] = [];
  const server: ManagedWebhookServer = {
    group: "webhooks",
    name: "given",
    port: 4_711,
    add: (...webhooks) => void added.push(...webhooks),
    configurations: () => [],
    check: () => {},
    run: async () => {},
    inspect: () => ({ callsInFlight: 0 }),
  };
  return { server, added };
}

const runningIn = (manager: Manager) => manager.inspect().filter(({ state }) => "callsInFlight" in state);

it("brings one server for all webhooks, and none where there are none", () => {
  const manager = start();
  expect([manager.webhooks.server, manager.webhooks.port, runningIn(manager)]).toEqual([undefined, undefined, []]);
  expect(manager.webhooks.configurations({ url: "https://127.0.0.1" })).toEqual([]);
  manager.webhooks.add(webhook("/a"));
  const { server } = manager.webhooks;
  manager.webhooks.add(webhook("/b"));
  expect(manager.webhooks.server).toBe(server);
  expect(runningIn(manager)).toHaveLength(1);
  expect(() => manager.webhooks.add(webhook("/a"))).toThrow("/a");
});

it("serves by the server that it is given, once there is something to serve", () => {
  const { server, added } = givenServer();
  const manager = start({ server });
  expect([manager.webhooks.server, manager.webhooks.port, runningIn(manager)]).toEqual([server, 4_711, []]);
  const [a, b, c] = [webhook("/a"), webhook("/b"), webhook("/c")];
  manager.webhooks.add(a, b);
  manager.webhooks.add(c);
  expect([added, runningIn(manager).map(({ name }) => name)]).toEqual([[a, b, c], ["given"]]);
});

it("serves nothing where that is switched off", () => {
  const { server, added } = givenServer();
  const manager = start({ server, disabled: true });
  const only = webhook("/a");
  manager.webhooks.add(only);
  expect([added, runningIn(manager)]).toEqual([[only], []]);
});
