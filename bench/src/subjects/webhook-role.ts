import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as later } from "node:timers/promises";
import type { DeepReadonly } from "@kubewright/apimachinery";
import { createLogger } from "@kubewright/log";
import { Manager } from "@kubewright/manager";
import { admission, conversion } from "@kubewright/webhook";
import { Site, Sites } from "../webhooks/site.ts";
import type { SubjectCommand, SubjectSpec, Usage } from "./spec.ts";
import { UsageMeter } from "./usage-meter.ts";

type WebhookSpec = SubjectSpec & { readonly role: "webhooks" };

/** Starts a manager that serves a validator that allows everything, a defaulter that sets one field, and a conversion. */
export function startWebhooks(spec: WebhookSpec): { carryOut(command: SubjectCommand): Promise<Usage> } {
  const read = (file: string): string => readFileSync(join(spec.certDir, file), "utf8");
  const manager = new Manager({
    connection: { server: "http://127.0.0.1:1" }, // never used
    logger: createLogger({ destination: { write: () => {} } }),
    metrics: { bindAddress: "0" },
    webhooks: { host: "127.0.0.1", port: spec.port, certificates: { cert: read("tls.crt"), key: read("tls.key") } },
  });
  const check = (site: DeepReadonly<Site>): void => {
    for (const { name, port } of site.spec.ports) if (port < 1) throw new Error(`port ${name}: must be at least 1`);
  };
  manager.webhooks.add(
    admission(Site)
      .default((site) => {
        site.spec.replicas ??= 1;
      })
      .validate({ create: check, update: check, delete: () => {} }),
    conversion(Sites),
  );
  void manager.run(new AbortController().signal);
  const meter = new UsageMeter();
  return {
    async carryOut(command) {
      while (command.do === "sync" && manager.webhooks.port === undefined) await later(5);
      if (command.do === "count") meter.start();
      return meter.read();
    },
  };
}
