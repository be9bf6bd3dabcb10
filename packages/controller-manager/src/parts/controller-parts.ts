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

/** Dependencies of the controllers. */
export interface ControllerParts {
  readonly manager: Manager;
  readonly clock: Clock;
  /** Observes every object of every kind. */
  readonly monitor: KindMonitor;
  /** The server's CA certificate, in PEM format; `undefined` if the server's CA is not ours. */
  readonly caData: string | undefined;
  /** Signs client certificates. Without it, approved requests remain unsigned. */
  readonly signingAuthority: SigningAuthority | undefined;
  readonly issueToken: ServiceAccountTokenIssuer | undefined;
  /** Creates a controller with this name. @param workers default 5 */
  controller(name: string, workers?: number): ControllerBuilder;
}

/** Adds a controller to the manager. */
export type AddController = (parts: ControllerParts) => void;
