import type { DeepReadonly } from "@kubewright/apimachinery";
import { State } from "../api/status.ts";
import type { RuleObject } from "../uci/cnf-kind.ts";
import type { Child } from "./composite-kind.ts";

type Rule = DeepReadonly<RuleObject>;

/** What is missing until a child is in sync; nothing if it is. */
export function waitingFor({ kind }: Child["kind"], child: Rule): string | undefined {
  const { metadata, status } = child;
  if (status?.state === State.inSync && status.appliedGeneration === metadata.generation) return undefined;
  return `waiting for ${kind} ${metadata.name}${said(child)}`;
}

/** What is missing until a child that was deleted is gone. */
export const waitingForGone = ({ kind }: Child["kind"], child: Rule): string =>
  `waiting for ${kind} ${child.metadata.name} to be deleted${said(child)}`;

/** What a child says itself, unless it is that all is well. */
const said = ({ status }: Rule): string =>
  status === undefined || status.state === State.inSync
    ? ""
    : [``, status.state, status.message].filter((text) => text !== undefined).join(": ");
