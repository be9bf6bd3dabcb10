import type { SecureServerOptions } from "node:http2";
import type { CachedReadWriter, Client } from "@kubewright/client";
import type { Clock } from "@kubewright/clock";
import type { Logger } from "@kubewright/log";
import type { CertificateParts, CertificatesOption } from "../certificates/certificates-option.ts";
import type { WebhookMetrics } from "../endpoint/webhook-metrics.ts";

/** A server's address and TLS options. @see controller-runtime pkg/webhook Options */
export interface WebhookListenOptions {
  /**
   * False to open no port and use no certificates. The server is then called only through {@link WebhookServer.handle}, for tests. Default
   * true.
   */
  readonly listen?: boolean | undefined;
  /** Port to listen on. 0 selects any free port. Default 9443. */
  readonly port?: number | undefined;
  /** Address to listen on. Default: all addresses. */
  readonly host?: string | undefined;
  /**
   * Source of the certificate. Default: files where upstream looks for them or, in a pod, the Secret `webhook-server-cert` in the pod's
   * namespace. There is no default if `tls` contains a certificate.
   * - `{ secret: "namespace/name" }`: the program itself issues, renews and publishes the certificate.
   * - `{ csr }`: one of the cluster's signers issues the certificate.
   * - `{ dir }`: another program renews the files.
   * - `{ cert, key, ca }`: a fixed certificate.
   * - A custom source.
   */
  readonly certificates?: CertificatesOption | undefined;
  /**
   * File with the CA certificates of API servers' client certificates, in PEM: a name in `certificates.dir` (by default upstream's
   * directory), or an absolute path. Callers without such a certificate are rejected. The server reads the file again when it changes.
   * Default: callers need no certificate.
   *
   * @see controller-runtime pkg/webhook Options.ClientCAName
   */
  readonly clientCAName?: string | undefined;
  /** TLS options for Node.js, such as `minVersion` or a custom certificate. They override all other options. */
  readonly tls?: SecureServerOptions | undefined;
  /** Maximum number of bytes that all requests in progress hold together. Further requests get status 429. Default 64 MiB. */
  readonly maxBodyBytesInFlight?: number | undefined;
}

/** Options for a webhook server, including dependencies for handlers. @see controller-runtime pkg/webhook Options */
export interface WebhookServerOptions extends WebhookListenOptions {
  /** Client for handlers. */
  readonly client?: CachedReadWriter | undefined;
  /** Logger. Default: warnings and errors go to standard error. */
  readonly logger?: Logger | undefined;
  readonly clock?: Clock | undefined;
  /** Metrics. Default: none. */
  readonly metrics?: WebhookMetrics | undefined;
  /** Client that stores certificates in a Secret; it writes on every replica. */
  readonly certificateClient?: CertificateParts["client"] | undefined;
  /**
   * Client that removes webhooks of earlier revisions. It must write only while this process is the leader. Default: these webhooks are
   * kept.
   */
  readonly leaderClient?: Client | undefined;
  /** The program's name: the label `app.kubernetes.io/name` of its webhook configurations. */
  readonly program?: string | undefined;
  /** Metrics for the certificate. Default: none. */
  readonly certificateMetrics?: CertificateParts["metrics"] | undefined;
  /** Records events of the certificate. Default: no events. */
  readonly certificateEvents?: CertificateParts["events"] | undefined;
}
