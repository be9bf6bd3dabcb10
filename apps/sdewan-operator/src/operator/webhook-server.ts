import type { KubeObject } from "@kubewright/apimachinery";
import type { Manager, ManagerOptions } from "@kubewright/manager";
import type { CertificatesOption } from "@kubewright/webhook";
import { ownUser } from "../webhooks/operator-user.ts";
import { indexRoles, roleKinds } from "../webhooks/role-grants.ts";
import { operatorWebhooks, webhookName, webhookService } from "../webhooks/webhooks.ts";

/** How the operator's webhooks are served. */
export interface WebhookSettings {
  /** Default 9443; 0: any free one. */
  readonly port?: number;
  /** Default: all addresses. */
  readonly host?: string;
  /**
   * The certificate, as the manager has it: one that the operator issues and renews itself, in a Secret (`namespace/name`) that is there, of
   * the namespace of its Service; `tls.crt` and `tls.key` in a folder that somebody else keeps fresh; or a source.
   */
  readonly certificates: CertificatesOption;
  /** File of the authorities that sign the certificates of API servers; other callers are refused. Default: nobody needs a certificate. */
  readonly clientCaFile?: string;
  /** Called once they are served: now the API server may be told to ask. What it throws ends the operator. */
  readonly listening?: (webhooks: Manager["webhooks"]) => Promise<void>;
}

/** How often it is looked whether they listen. */
const listenMs = 20;

/** What a manager has to know of the operator's webhooks from the start. */
export function webhookOptions(settings: WebhookSettings | undefined): Pick<ManagerOptions, "webhooks"> {
  if (!settings) return {};
  const { port, host, certificates, clientCaFile } = settings;
  const isInSecret = "secret" in certificates || "csr" in certificates;
  // What names the certificate is for, and which configuration is to trust it.
  const named = isInSecret ? { service: webhookService, name: webhookName, ...certificates } : certificates;
  // In a pod, until what routes to it has heard that it ends.
  const lingerMs = process.env.KUBERNETES_SERVICE_HOST ? 10_000 : 0;
  return {
    webhooks: {
      certificates: named,
      lingerMs,
      ...(port === undefined ? {} : { port }),
      ...(host ? { host } : {}),
      ...(clientCaFile === undefined ? {} : { clientCAName: clientCaFile }),
    },
  };
}

/** Adds the operator's webhooks to the manager that has {@link webhookOptions}. Every replica serves them. */
export function addWebhooks(manager: Manager, settings: WebhookSettings | undefined): void {
  if (!settings) return;
  const { listening } = settings;
  indexRoles(manager.cache);
  for (const kind of roleKinds) manager.addReadyCheck(`cache-${kind.plural}.${kind.group}`, syncedCheck(manager, kind));
  manager.webhooks.add(...operatorWebhooks(ownUser(manager.unfenced.apiReader)));
  if (!listening) return;
  const run = async (signal: AbortSignal): Promise<void> => {
    // They listen once there is a certificate, which may have to be issued first.
    while (manager.webhooks.port === undefined && !signal.aborted) await manager.clock.sleep(listenMs, signal);
    if (!signal.aborted) await listening(manager.webhooks);
  };
  manager.add({ group: "others", run });
}

/** Watched from the start, so that no request waits for a first list. */
function syncedCheck(manager: Manager, kind: (typeof roleKinds)[number]): () => void {
  const informer = manager.cache.getInformer<KubeObject>(kind);
  return () => {
    if (!informer.hasSynced) throw new Error(`the cache of ${kind.plural}.${kind.group} has not synced`);
  };
}
