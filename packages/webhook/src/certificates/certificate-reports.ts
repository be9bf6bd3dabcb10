import type { CaPhase } from "./ca-state.ts";

/** Numbers about the certificate that is served. A manager supplies them. */
export interface CertificateMetrics {
  /** `kubewright_webhook_certificate_expiry_timestamp_seconds`: when the certificate that is served ends. */
  expiry(seconds: number): void;
  /** `kubewright_webhook_ca_phase`: 1 for the phase that the authority is in, 0 for the others. */
  phase(phase: CaPhase): void;
}

/** Tells onlookers of an object what became of it. An `EventRecorder` of `@kubewright/recorder` is one. */
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
