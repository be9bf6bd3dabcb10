import type { ControllerBuilder } from "@kubewright/builder";
import type { Clock } from "@kubewright/clock";
import type { Manager } from "@kubewright/manager";
import type { KindMonitor } from "../discovery/kind-monitor.ts";

/** Certificate and private key of a CA, in PEM. */
export interface SigningAuthority {
  readonly certificate: string;
  readonly key: string;
}

/** Creates the token of a service account's Secret. */
export type ServiceAccountTokenIssuer = (about: {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly secret: { readonly name: string; readonly uid: string };
}) => Promise<string> | string;

/** Dependencies of controllers. */
export interface ControllerParts {
  readonly manager: Manager;
  readonly clock: Clock;
  /** Observes every object of every kind. */
  readonly monitor: KindMonitor;
  /** CA certificate of the server, in PEM; `undefined` if the server's CA is not ours. */
  readonly caData: string | undefined;
  /** Signs client certificates; without it, approved requests stay unsigned. */
  readonly signingAuthority: SigningAuthority | undefined;
  readonly issueToken: ServiceAccountTokenIssuer | undefined;
  /** Creates a controller of this name. @param workers default 5 */
  controller(name: string, workers?: number): ControllerBuilder;
}

/** Adds one of the controllers to the manager. */
export type AddController = (parts: ControllerParts) => void;
