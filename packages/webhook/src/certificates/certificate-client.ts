import type { Reader, Writer } from "@kubewright/client";

/**
 * Client that stores and publishes certificates. It must be able to write on every replica, not only on the leader; use
 * `Manager.unfenced`.
 *
 * Reads must go to the API server, not to a cache.
 */
export interface CertificateClient extends Pick<Reader, "get">, Pick<Writer, "create" | "update" | "apply" | "patch"> {}
