import type { ControllerBuilder } from "@kubewright/builder";
import type { Clock } from "@kubewright/clock";
import type { Manager } from "@kubewright/manager";
import type { KindMonitor } from "../discovery/kind-monitor.ts";

/** Certificate and private key of an authority, PEM. */
export interface SigningAuthority {
  readonly certificate: string;
  readonly key: string;
}

/** Makes the token of a service account's Secret. */
export type ServiceAccountTokenIssuer = (about: {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly secret: { readonly name: string; readonly uid: string };
}) => Promise<string> | string;

/** What controllers are made of. */
export interface ControllerParts {
  readonly manager: Manager;
  readonly clock: Clock;
  /** Every object of every kind. */
  readonly monitor: KindMonitor;
  /** The certificate that clients trust the server by, PEM; `undefined` where it is none of ours. */
  readonly caData: string | undefined;
  /** Signs client certificates; without it requests stay approved and unsigned. */
  readonly signingAuthority: SigningAuthority | undefined;
  readonly issueToken: ServiceAccountTokenIssuer | undefined;
  /** A controller of this name. @param workers default 5 */
  controller(name: string, workers?: number): ControllerBuilder;
}

/** Adds one of the controllers to the manager. */
export type AddController = (parts: ControllerParts) => void;
