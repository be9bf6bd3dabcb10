import type { Reader, Writer } from "@kubewright/client";

/**
 * Client that stores and publishes certificates. It must write on every replica, even on those that do not lead; use `Manager.unfenced`.
 *
 * Reads must go to the API server, not to a cache.
 */
export interface CertificateClient extends Pick<Reader, "get">, Pick<Writer, "create" | "update" | "apply" | "patch"> {}
