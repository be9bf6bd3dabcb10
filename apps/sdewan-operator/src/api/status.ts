import { type Static, Type } from "typebox";
import { conditionFields } from "./conditions.ts";
import { described } from "./values.ts";

/** The values of `status.state`, as other components read them. */
export const State = {
  inSync: "In Sync",
  applying: "Trying to apply",
  deleting: "Being delete",
  unknown: "Unknown status",
  idle: "Idle",
} as const;
export type State = (typeof State)[keyof typeof State];

export const ruleStatus = Type.Object(
  {
    state: Type.String({ description: "In Sync, Trying to apply, Being delete, Unknown status or Idle." }),
    appliedGeneration: Type.Optional(
      Type.Integer({ format: "int64", description: "The generation that the CNF has." }),
    ),
    appliedTime: Type.Optional(Type.String({ format: "date-time", description: "When it came there." })),
    appliedPurpose: Type.Optional(
      Type.String({ description: "The purpose of the CNF that has it, the former one while that has it still." }),
    ),
    message: Type.Optional(Type.String({ description: "Why it is not in sync." })),
    ...conditionFields,
  },
  { description: "What the CNF has of it." },
);

/** The status of every rule kind. */
export type RuleStatus = Static<typeof ruleStatus>;

export const interfaceStatus = Type.Partial(
  Type.Object({
    status: Type.String({ description: "UP, DOWN or Not Available." }),
    mac_address: described(Type.String(), "Its MAC address."),
    ip_address: described(Type.Array(Type.String()), "Its addresses."),
    received_packets: described(Type.String(), "How many packets came in."),
    send_packets: described(Type.String(), "How many packets went out."),
    message: Type.String({ description: "Why it is not shown, or not switched as the spec wants." }),
    ...conditionFields,
  }),
  { description: "The interface as the CNF last showed it." },
);

export type InterfaceStatus = Static<typeof interfaceStatus>;
