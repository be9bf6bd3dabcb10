import type { Kind } from "@kubewright/apimachinery";
import type { ControllerBuilder } from "@kubewright/builder";
import type { Clock } from "@kubewright/clock";
import type { Manager } from "@kubewright/manager";
import type { KindMonitor } from "../discovery/kind-monitor.ts";

/** A CA's certificate and private key, in PEM format. */
export interface SigningAuthority {
  readonly certificate: string;
  readonly key: string;
}

/** Creates the token for a service account's Secret. */
export type ServiceAccountTokenIssuer = (about: {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly secret: { readonly name: string; readonly uid: string };
}) => Promise<string> | string;

/** Dependencies that the controllers share. */
export interface ControllerParts {
  readonly manager: Manager;
  readonly clock: Clock;
  /** Monitor that observes the objects of all kinds. */
  readonly monitor: KindMonitor;
  /** The CA certificate of the API server, in PEM format; `undefined` if it is not known. */
  readonly caData: string | undefined;
  /** CA that signs approved CertificateSigningRequests. Without it, they are not signed. */
  readonly signingAuthority: SigningAuthority | undefined;
  readonly issueToken: ServiceAccountTokenIssuer | undefined;
  /** Reports whether the server has a kind. Older servers lack some kinds; controllers for these kinds must not be added. */
  readonly serves: (kind: Kind) => boolean;
  /** Starts building a controller with this name. @param workers maximum number of concurrent reconciles. Default 5 */
  controller(name: string, workers?: number): ControllerBuilder;
}

/** Adds a controller to the manager. */
export type AddController = (parts: ControllerParts) => void;
