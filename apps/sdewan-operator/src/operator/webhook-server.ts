import type { KubeObject } from "@kubewright/apimachinery";
import { Client, Connection, type ConnectionSettings } from "@kubewright/client";
import type { Clock } from "@kubewright/clock";
import type { Logger } from "@kubewright/log";
import type { Manager, ManagerOptions } from "@kubewright/manager";
import { type CertificateSource, directoryCertificates, secretCertificates } from "@kubewright/webhook";
import { ownUser } from "../webhooks/operator-user.ts";
import { indexRoles, roleKinds } from "../webhooks/role-grants.ts";
import { operatorWebhooks, webhookConfiguration, webhookService } from "../webhooks/webhooks.ts";

/** How the operator's webhooks are served. */
export interface WebhookSettings {
  /** Default 9443; 0: any free one. */
  readonly port?: number;
  /** Default: all addresses. */
  readonly host?: string;
  /**
   * The certificate: one that the operator issues and renews itself, in a Secret (`namespace/name`) that is there, of the namespace of its
   * Service; `tls.crt` and `tls.key` in a folder that somebody else keeps fresh; or a source.
   */
  readonly certificates: { readonly secret: string } | { readonly dir: string } | CertificateSource;
  /** Called once they are served: now the API server may be told to ask. What it throws ends the operator. */
  readonly listening?: (webhooks: Manager["webhooks"]) => Promise<void>;
}

interface Surroundings {
  readonly connection?: Connection | ConnectionSettings;
  readonly logger: Logger;
  readonly clock: Clock;
}

/** The operator's webhooks in the terms of a manager, and what ends with them. */
export interface PreparedWebhooks {
  readonly options: Pick<ManagerOptions, "webhooks" | "client">;
  /** Adds them to the manager that has the options. */
  addTo(manager: Manager): void;
  close(): Promise<void>;
}

/** @throws {Error} if the certificate cannot be had */
export function prepareWebhooks(settings: WebhookSettings | undefined, around: Surroundings): PreparedWebhooks {
  if (!settings) return { options: {}, addTo: () => {}, close: async () => {} };
  const { port, host, certificates, listening } = settings;
  const { connection = Connection.fromDefault(around), ...observers } = around;
  // The manager's own, made before it: the certificate does not wait for who leads.
  const client = new Client({ connection, ...observers, fieldOwner: "sdewan-operator" });
  const source = "run" in certificates ? certificates : sourceOf(certificates, client, around);
  return {
    options: {
      client,
      webhooks: { certificates: source, ...(port === undefined ? {} : { port }), ...(host ? { host } : {}) },
    },
    addTo: (manager) => {
      indexRoles(manager.cache);
      for (const kind of roleKinds)
        manager.addReadyCheck(`cache-${kind.plural}.${kind.group}`, syncedCheck(manager, kind));
      manager.webhooks.add(...operatorWebhooks(ownUser(client)));
      if (listening) manager.add({ group: "others", run: () => listening(manager.webhooks) });
    },
    close: async () => {
      await client.close();
      if (!around.connection && connection instanceof Connection) await connection.close();
    },
  };
}

function sourceOf(
  certificates: { readonly secret: string } | { readonly dir: string },
  client: Client,
  { logger, clock }: Surroundings,
): CertificateSource {
  if ("dir" in certificates) return directoryCertificates({ dir: certificates.dir, logger, clock });
  const { secret } = certificates;
  const [namespace = ""] = secret.split("/");
  return secretCertificates({
    secret,
    service: { namespace, name: webhookService },
    targets: [{ kind: "ValidatingWebhookConfiguration", name: webhookConfiguration }],
    client,
    logger,
    clock,
  });
}

/** Watched from the start, so that no request waits for a first list. */
function syncedCheck(manager: Manager, kind: (typeof roleKinds)[number]): () => void {
  const informer = manager.cache.getInformer<KubeObject>(kind);
  return () => {
    if (!informer.hasSynced) throw new Error(`the cache of ${kind.plural}.${kind.group} has not synced`);
  };
}
