import process from "node:process";
import { Manager } from "@kubewright/manager";
import { admissionHandler, allowed, type Webhook } from "@kubewright/webhook";
import type { ReplicaOrder, ReplicaReport } from "./order.ts";

const order: ReplicaOrder = JSON.parse(process.argv[2] ?? "{}");
const send = (report: ReplicaReport): void => void process.stdout.write(`${JSON.stringify(report)}\n`);

const manager = new Manager({
  connection: order.connection,
  metrics: { bindAddress: "0" },
  webhooks: {
    port: 0,
    host: "127.0.0.1",
    tls: { ALPNProtocols: ["http/1.1"] },
    certificates: {
      secret: order.secret,
      dnsNames: ["127.0.0.1"],
      targets: [{ kind: "ValidatingWebhookConfiguration", name: order.configuration }],
      times: order.times,
    },
  },
});
const { certificateMetrics } = manager;
const counted = certificateMetrics.phase;
certificateMetrics.phase = (phase) => {
  counted(phase);
  send({ phase });
};

/** Each call needs a separate handshake, because handshakes are tested. */
function closing(webhook: Webhook): Webhook {
  const endpoints = webhook.endpoints.map((endpoint): (typeof webhook.endpoints)[number] => ({
    path: endpoint.path,
    purpose: endpoint.purpose,
    answer: async (call, parts) => ({ ...(await endpoint.answer(call, parts)), closes: true }),
  }));
  return { ...webhook, endpoints };
}
manager.webhooks.add(closing(admissionHandler("/call", {}, () => allowed())));

let wasReady: boolean | undefined;
let wasPort: number | undefined;
async function look(): Promise<void> {
  const { server, port } = manager.webhooks;
  const ready = await Promise.resolve(server?.check()).then(
    () => true,
    () => false,
  );
  if (port !== undefined && port !== wasPort) send({ port });
  if (ready !== wasReady) send({ ready });
  wasPort = port;
  wasReady = ready;
  setTimeout(() => void look(), 100);
}
void look();

await manager.run(new AbortController().signal);
