import { integer, list, object, text, type ValueOf } from "./schema.ts";

/** The values of `status.state`, as other components read them. */
export const State = {
  inSync: "In Sync",
  applying: "Trying to apply",
  deleting: "Being delete",
  unknown: "Unknown status",
  idle: "Idle",
} as const;
export type State = (typeof State)[keyof typeof State];

export const ruleStatus = object(
  { state: text({ description: "In Sync, Trying to apply, Being delete, Unknown status or Idle." }) },
  {
    appliedGeneration: integer({ format: "int64", description: "The generation that the CNF has." }),
    appliedTime: text({ format: "date-time", description: "When it came there." }),
    message: text({ description: "Why it is not in sync." }),
  },
  "What the CNF has of it.",
);

/** The status of every rule kind. */
export type RuleStatus = ValueOf<typeof ruleStatus>;

export const interfaceStatus = object(
  {},
  {
    status: text({ description: "UP, DOWN or Not Available." }),
    mac_address: text(),
    ip_address: list(text()),
    received_packets: text(),
    send_packets: text(),
    message: text({ description: "Why it is not switched as the spec wants." }),
  },
  "The interface as the CNF last showed it.",
);

export type InterfaceStatus = ValueOf<typeof interfaceStatus>;
