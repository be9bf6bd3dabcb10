import { isIP } from "node:net";
import { type DeepReadonly, keyOf, readGoDuration } from "@kubewright/apimachinery";
import type { Deployment } from "@kubewright/client/kinds";
import { confirmAnnotation, probeAnnotation } from "../api/group.ts";
import { isUnusable } from "../cnf/endpoint.ts";

/** A check that must pass after a change. */
export type Probe =
  | { readonly type: "tunnel"; readonly text: string /** Name of an IpsecHost or IpsecSite. */; readonly name: string }
  | { readonly type: "tcp"; readonly text: string; readonly address: string; readonly port: number };

/** Settings for confirming changes to a CNF. */
export interface ConfirmSettings {
  /** Time within which the probes must pass after a change, in milliseconds. */
  readonly waitMs: number;
  readonly probes: readonly Probe[];
}

const minWaitMs = 1_000;
const maxWaitMs = 600_000;
const maxProbes = 8;
const maxTextLength = 1_024;
const maxShownLength = 64;

const shown = (text: string): string => JSON.stringify(text.slice(0, maxShownLength));

/**
 * Parses a time limit for confirmations, such as `30s`.
 *
 * @returns the time in milliseconds, or 0 for `off`
 * @throws {Error} if the text is neither `off` nor a duration from 1 s to 10 m
 */
export function confirmWait(text: string): number {
  const trimmed = text.trim();
  if (trimmed === "off" || trimmed === "0") return 0;
  const read = trimmed.length > maxShownLength ? undefined : readGoDuration(trimmed);
  const ms = read && "ns" in read ? Number(read.ns / 1_000_000n) : Number.NaN;
  if (ms >= minWaitMs && ms <= maxWaitMs) return ms;
  throw new Error(`${shown(text)} is not a duration from 1s to 10m; set it to a duration such as 30s, or to off`);
}

/**
 * Returns the settings for confirming changes to a CNF, or undefined if changes are applied without confirmation.
 *
 * @param defaultWaitMs time for Deployments without the annotation, in milliseconds; 0 disables confirmation
 * @throws {Error} if an annotation is malformed; the message contains its name, its value and the remedy
 */
export function confirmSettings(
  deployment: DeepReadonly<Deployment>,
  defaultWaitMs: number,
): ConfirmSettings | undefined {
  const { annotations = {} } = deployment.metadata;
  const wait = annotations[confirmAnnotation];
  const probes = annotations[probeAnnotation] ?? "";
  const waitMs = wait === undefined ? defaultWaitMs : annotated(deployment, confirmAnnotation, () => confirmWait(wait));
  if (waitMs === 0) return undefined;
  return { waitMs, probes: annotated(deployment, probeAnnotation, () => probesIn(probes)) };
}

function annotated<T>(deployment: DeepReadonly<Deployment>, annotation: string, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    throw new Error(`Annotation ${annotation} of the Deployment ${keyOf(deployment)}: ${problem}`);
  }
}

/**
 * Parses a list of probes.
 *
 * @throws {Error} if the list is too long, or an element is not a probe
 */
function probesIn(text: string): readonly Probe[] {
  if (text.length > maxTextLength)
    throw new Error(`the text is longer than ${maxTextLength} characters; remove probes`);
  const texts = text.split(",").flatMap((each) => each.trim() || []);
  if (texts.length > maxProbes) throw new Error(`there are more than ${maxProbes} probes; remove some`);
  return texts.map(probeIn);
}

function probeIn(text: string): Probe {
  const [, name] = /^tunnel\/([a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?)$/.exec(text) ?? [];
  if (name !== undefined) return { type: "tunnel", text, name };
  const [, v4, v6, digits] = /^tcp\/(?:([0-9.]{7,15})|\[([0-9a-fA-F:]{2,39})\]):([0-9]{1,5})$/.exec(text) ?? [];
  const address = v4 ?? v6 ?? "";
  const port = Number(digits);
  if (isIP(address) === 0 || !(port >= 1 && port <= 65_535))
    throw new Error(`${shown(text)} is not a probe; use tunnel/NAME or tcp/ADDRESS:PORT, such as tcp/10.0.0.1:443`);
  if (isUnusable(address) || isOwn(address))
    throw new Error(`${shown(text)}: the operator does not connect to this address; use a host address`);
  return { type: "tcp", text, address, port };
}

/**
 * Reports whether an address may belong to the operator's own machine, to which an annotation must not make the operator connect: an IPv4
 * loopback address, the IPv6 loopback address, or an IPv4 address in IPv6 form.
 */
const isOwn = (address: string): boolean => /^(127\.|::|0+:)/.test(address);
