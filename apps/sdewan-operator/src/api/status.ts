import { type Static, Type } from "typebox";
import { conditionFields } from "./conditions.ts";
import { described } from "./values.ts";

/** Values of `status.state`, which other components also read. */
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
      Type.Integer({ format: "int64", description: "The generation that is applied to the CNF." }),
    ),
    appliedTime: Type.Optional(
      Type.String({ format: "date-time", description: "The time at which the object was applied." }),
    ),
    appliedPurpose: Type.Optional(
      Type.String({
        description:
          "The purpose of the CNF that has the object; the former purpose while the former CNF still has it.",
      }),
    ),
    message: Type.Optional(Type.String({ description: "The reason why the object is not in sync." })),
    ...conditionFields,
  },
  { description: "The state of this object on the CNF." },
);

/** The status of rule kinds whose objects are kept in order. */
export const orderedRuleStatus = Type.Object(
  {
    ...ruleStatus.properties,
    appliedOrder: Type.Optional(
      Type.Integer({
        format: "int64",
        description:
          "The value of the annotation sdewan.akraino.org/order that is in force on the CNF; 0 without the annotation.",
      }),
    ),
  },
  { description: "The state of this object on the CNF." },
);

/** The status of every rule kind. */
export type RuleStatus = Static<typeof orderedRuleStatus>;

export const interfaceStatus = Type.Partial(
  Type.Object({
    status: Type.String({ description: "UP, DOWN or Not Available." }),
    mac_address: described(Type.String(), "The MAC address."),
    ip_address: described(Type.Array(Type.String()), "The IP addresses."),
    received_packets: described(Type.String(), "Number of packets received."),
    send_packets: described(Type.String(), "Number of packets sent."),
    message: Type.String({
      description: "The reason why the interface is not shown, or not in the state that the spec requires.",
    }),
    ...conditionFields,
  }),
  { description: "The interface as the CNF last showed it." },
);

export type InterfaceStatus = Static<typeof interfaceStatus>;
