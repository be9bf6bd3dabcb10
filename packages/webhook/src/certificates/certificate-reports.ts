import type { CaPhase } from "./ca-state.ts";

/** Metrics for the served certificate. A manager supplies them. */
export interface CertificateMetrics {
  /** `kubewright_webhook_certificate_expiry_timestamp_seconds`: expiry time of the served certificate. */
  expiry(seconds: number): void;
  /** `kubewright_webhook_ca_phase`: 1 for the current phase of the CA rotation, 0 for the others. */
  phase(phase: CaPhase): void;
}

/** Emits events for an object. Implemented by `EventRecorder` in `@kubewright/recorder`. */
export interface CertificateEvents {
  event(
    regarding: {
      readonly apiVersion: string;
      readonly kind: string;
      readonly metadata: { readonly name: string; readonly namespace: string; readonly uid?: string };
    },
    event: { readonly type: "Normal" | "Warning"; readonly reason: string; readonly note: string },
  ): void;
}
