import { type Static, Type } from "typebox";
import { conditionFields } from "./conditions.ts";
import { described } from "./values.ts";

/** Values of `status.state`. Other components also read them. */
export const State = {
  inSync: "In Sync",
  applying: "Trying to apply",
  deleting: "Being delete",
  unknown: "Unknown status",
  idle: "Idle",
} as const;
export type State = (typeof State)[keyof typeof State];

const generation = (description: string) => Type.Integer({ format: "int64", description });
const time = (description: string) => Type.String({ format: "date-time", description });

const stageStatus = Type.Object(
  {
    stage: Type.Integer({ minimum: 0, maximum: 9, description: "The stage, from 0 to 9." }),
    generation: generation("The generation that the CNFs of this stage have or get; 0 after a deletion."),
    order: Type.Optional(
      generation("The value of the annotation sdewan.akraino.org/order that belongs to the generation."),
    ),
    appliedTime: Type.Optional(time("The time at which all CNFs of this stage had the generation.")),
    soakingSince: Type.Optional(
      time("The time since which the object is in sync and effective on the CNFs of this stage."),
    ),
    spec: Type.Optional(
      Type.Object(
        {},
        {
          "x-kubernetes-preserve-unknown-fields": true,
          description:
            "The spec of the generation, without keys. If absent, it is that of the closest lower stage with the same generation.",
        },
      ),
    ),
  },
  { description: "The object on the CNFs of one stage." },
);

const stageFields = {
  stages: Type.Optional(
    Type.Array(stageStatus, {
      maxItems: 10,
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["stage"],
      description:
        "The generation that the CNFs of each stage have, for CNFs with the annotation sdewan.akraino.org/stage.",
    }),
  ),
  stageWait: Type.Optional(
    Type.Object(
      {
        stage: Type.Integer({
          minimum: 0,
          maximum: 9,
          description: "The stage whose CNFs do not have the change yet.",
        }),
        forStage: Type.Integer({ minimum: 0, maximum: 9, description: "The stage that must be in sync first." }),
        generation: generation("The generation that waits."),
        order: Type.Optional(generation("The order that waits.")),
        since: Type.Optional(time("The time from which the wait counts.")),
      },
      { description: "A change or deletion that waits for another stage." },
    ),
  ),
};

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
    ...stageFields,
    ...conditionFields,
  },
  { description: "The state of this object on the CNF." },
);

/** Status of rules whose objects are kept in order. */
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

/** Status of a rule of any kind. */
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
