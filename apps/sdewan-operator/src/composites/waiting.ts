import type { DeepReadonly } from "@kubewright/apimachinery";
import { State } from "../api/status.ts";
import type { RuleObject } from "../uci/cnf-kind.ts";
import type { Child } from "./composite-kind.ts";

type Rule = DeepReadonly<RuleObject>;

/** Returns the reason why a child is not in sync; undefined if it is. */
export function waitingFor({ kind }: Child["kind"], child: Rule): string | undefined {
  const { metadata, status } = child;
  if (status?.state === State.inSync && status.appliedGeneration === metadata.generation) return undefined;
  return `waiting for ${kind} ${metadata.name}${said(child)}`;
}

/** Returns the message for a deleted child that still exists. */
export const waitingForGone = ({ kind }: Child["kind"], child: Rule): string =>
  `waiting for ${kind} ${child.metadata.name} to be deleted${said(child)}`;

/** Returns the child's own state and message, unless it is in sync. */
const said = ({ status }: Rule): string =>
  status === undefined || status.state === State.inSync
    ? ""
    : [``, status.state, status.message].filter((text) => text !== undefined).join(": ");
