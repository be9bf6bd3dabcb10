import type { Reader, Writer } from "@kubewright/client";

/**
 * Client that stores and publishes certificates: a `Client` that writes on every replica, whether it leads or not (`Manager.unfenced`).
 *
 * Reads must be live, not from a cache.
 */
export interface CertificateClient extends Pick<Reader, "get">, Pick<Writer, "create" | "update" | "apply" | "patch"> {}
