import type { ControllerInspection } from "@kubewright/controller";
import type { Manager, Shards } from "@kubewright/manager";
import { redactedText } from "./redacted.ts";

/** State of the shards as seen by this replica. */
export type ShardsState = ReturnType<Shards["inspect"]>;
export type ShardState = ShardsState["shards"][number];

/** Maximum length of an identity. Every client that may write Leases can choose identities. */
const longestIdentity = 253;
/** Maximum number of replicas in a response. */
const maxReplicas = 1_000;

/** Returns the state of the shards, or undefined if sharding is not used. */
export function shardsState({ shards: own }: Pick<Manager, "shards">): ShardsState | undefined {
  if (!own) return undefined;
  const { replicas, shards, error, ...state } = own.inspect();
  return {
    ...state,
    replicas: replicas.slice(0, maxReplicas).map(cut),
    shards: shards.map(shown),
    ...(error === undefined ? {} : { error: redactedText(error) }),
  };
}

/** Returns the state of the shard to which a key belongs, or undefined if the controller is not sharded. */
export function shardOf(
  { shards }: Pick<Manager, "shards">,
  { isSharded }: Pick<ControllerInspection, "isSharded">,
  key: string,
): ShardState | undefined {
  const found = isSharded && shards ? shards.inspect().shards[shards.shardOf(key)] : undefined;
  return found && shown(found);
}

const shown = ({ next, ...shard }: ShardState): ShardState => ({
  ...shard,
  holder: cut(shard.holder),
  ...(next === undefined ? {} : { next: cut(next) }),
});

const cut = (identity: string): string => identity.slice(0, longestIdentity);
