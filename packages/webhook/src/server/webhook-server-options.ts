import type { SecureServerOptions } from "node:http2";
import type { CachedReadWriter, Client } from "@kubewright/client";
import type { Clock } from "@kubewright/clock";
import type { Logger } from "@kubewright/log";
import type { CertificateParts, CertificatesOption } from "../certificates/certificates-option.ts";
import type { WebhookMetrics } from "../endpoint/webhook-metrics.ts";

/** How a server is reached and what it shows. @see controller-runtime pkg/webhook Options */
export interface WebhookListenOptions {
  /** Default 9443; 0 is any that is free. */
  readonly port?: number | undefined;
  /** Default: all addresses. */
  readonly host?: string | undefined;
  /**
   * `{ secret: "namespace/name" }`, issued, renewed and made known by the program itself; `{ csr }`, by a signer of the cluster; `{ dir }`, files that
   * somebody else keeps fresh; `{ cert, key, ca }`; or a source. Default, unless `tls` has one: files where upstream looks for them, else, in a pod, the
   * Secret `webhook-server-cert` of its namespace.
   */
  readonly certificates?: CertificatesOption | undefined;
  /**
   * File of the authorities that sign the certificates of API servers, in PEM: a name in `certificates.dir`, by default upstream's folder, or an
   * absolute path. Callers without such a certificate are refused. The file is read again when it changes. Default: callers need none.
   *
   * @see controller-runtime pkg/webhook Options.ClientCAName
   */
  readonly clientCAName?: string | undefined;
  /** Settings of Node's TLS, applied last: `minVersion`, say, or a certificate of one's own. */
  readonly tls?: SecureServerOptions | undefined;
  /** Maximum number of bytes that all requests being served hold together; others are answered with 429. Default 64 MiB. */
  readonly maxBodyBytesInFlight?: number | undefined;
}

/** How a webhook server listens, and what it lends to handlers. @see controller-runtime pkg/webhook Options */
export interface WebhookServerOptions extends WebhookListenOptions {
  /** What handlers find as `client`. */
  readonly client?: CachedReadWriter | undefined;
  /** Default: warnings and errors go to standard error. */
  readonly logger?: Logger | undefined;
  readonly clock?: Clock | undefined;
  /** Default: nowhere. */
  readonly metrics?: WebhookMetrics | undefined;
  /** What certificates in a Secret are kept with; it writes on every replica. */
  readonly certificateClient?: CertificateParts["client"];
  /** What removes webhooks of earlier revisions; it writes only while this process leads. Default: they stay. */
  readonly leaderClient?: Client | undefined;
  /** The program's name: the label `app.kubernetes.io/name` of its webhook configurations. */
  readonly program?: string | undefined;
  /** Default: nowhere. */
  readonly certificateMetrics?: CertificateParts["metrics"];
  /** Default: nobody is told. */
  readonly certificateEvents?: CertificateParts["events"];
}
