import type { DeepReadonly } from "kubewright";
import { Pod } from "kubewright/kinds";
import { admission, invalid } from "kubewright/webhooks";
import { App } from "./app.ts";

function check({ spec }: DeepReadonly<App>): void {
  if (spec.enable_ingress && !spec.enable_service)
    throw invalid(
      "spec.enable_service",
      spec.enable_service,
      "must be true where enable_ingress is: an Ingress needs a Service",
    );
}

/** Turns `enable_ingress` round when an App is made, and wants a Service behind every Ingress. */
export const appWebhooks = admission(App)
  .default(({ spec }, { request }) => {
    // Not on updates too: each of them would turn it round once more.
    if (request.operation === "CREATE") spec.enable_ingress = !spec.enable_ingress;
  })
  .validate({ create: check, update: check });

export const zoneLabel = "ingress.example.com/zone";

/** Labels the pods of Apps, whoever makes them. Nobody's pods wait for it while this program is away. */
export const podWebhook = admission(Pod)
  .default(({ metadata }) => {
    metadata.labels = { [zoneLabel]: "web", ...metadata.labels };
  })
  .configure({ failurePolicy: "Ignore", objectSelector: { matchExpressions: [{ key: "app", operator: "Exists" }] } });
