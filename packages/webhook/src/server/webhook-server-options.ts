import type { SecureServerOptions } from "node:http2";
import type { CachedReadWriter, Client } from "@kubewright/client";
import type { Clock } from "@kubewright/clock";
import type { Logger } from "@kubewright/log";
import type { CertificateParts, CertificatesOption } from "../certificates/certificates-option.ts";
import type { WebhookMetrics } from "../endpoint/webhook-metrics.ts";

/** A server's address and TLS options. @see controller-runtime pkg/webhook Options */
export interface WebhookListenOptions {
  /** Port to listen on; 0 chooses a free port. Default 9443. */
  readonly port?: number | undefined;
  /** Address to listen on. Default: all addresses. */
  readonly host?: string | undefined;
  /**
   * Source of the certificate: `{ secret: "namespace/name" }`, issued, renewed and published by the program itself; `{ csr }`, issued by a
   * signer of the cluster; `{ dir }`, files that another program renews; `{ cert, key, ca }`; or a custom source. Default, unless `tls` has
   * a certificate: files where upstream looks for them, or, in a pod, the Secret `webhook-server-cert` of its namespace.
   */
  readonly certificates?: CertificatesOption | undefined;
  /**
   * File with the CA certificates of API servers' client certificates, in PEM: a name in `certificates.dir` (by default upstream's
   * directory), or an absolute path. Callers without such a certificate are refused. The server reads the file again when it changes.
   * Default: callers need no certificate.
   *
   * @see controller-runtime pkg/webhook Options.ClientCAName
   */
  readonly clientCAName?: string | undefined;
  /** Options for Node's TLS, applied last, such as `minVersion` or a custom certificate. */
  readonly tls?: SecureServerOptions | undefined;
  /** Maximum number of bytes that all requests in progress hold together; others get 429. Default 64 MiB. */
  readonly maxBodyBytesInFlight?: number | undefined;
}

/** Options of a webhook server, including dependencies for handlers. @see controller-runtime pkg/webhook Options */
export interface WebhookServerOptions extends WebhookListenOptions {
  /** Client for handlers. */
  readonly client?: CachedReadWriter | undefined;
  /** The logger to use. Default: warnings and errors go to standard error. */
  readonly logger?: Logger | undefined;
  readonly clock?: Clock | undefined;
  /** Default: none. */
  readonly metrics?: WebhookMetrics | undefined;
  /** Client that stores certificates in a Secret; it writes on every replica. */
  readonly certificateClient?: CertificateParts["client"] | undefined;
  /** Client that removes webhooks of earlier revisions; it writes only while this process leads. Default: they stay. */
  readonly leaderClient?: Client | undefined;
  /** The program's name: the label `app.kubernetes.io/name` of its webhook configurations. */
  readonly program?: string | undefined;
  /** Default: none. */
  readonly certificateMetrics?: CertificateParts["metrics"] | undefined;
  /** Records events. Default: no events. */
  readonly certificateEvents?: CertificateParts["events"] | undefined;
}
