import type { Manager } from "@kubewright/manager";
import type { EndpointDefaults } from "../cnf/endpoint.ts";
import type { SecretCache } from "../cnf/secret-cache.ts";
import { ruleKinds } from "../kinds/rule-kinds.ts";
import { secretsOfPod } from "../masking/secrets-of-pod.ts";
import type { RuleSecrets } from "../secrets/rule-secrets.ts";
import { StatusPoll, type StatusPollOptions } from "../status/status-poll.ts";

type Options = Omit<StatusPollOptions, "client" | "secretsOf" | "clock"> & {
  readonly endpoint: EndpointDefaults;
  readonly secrets: RuleSecrets;
  readonly secretCache: SecretCache;
};

/** Adds a runnable that maintains the CNFStatus object. */
export function addStatusPoll(manager: Manager, { endpoint, secrets, secretCache, ...options }: Options): void {
  const client = manager.clientFor("leaderElection");
  manager.add(
    new StatusPoll({
      ...options,
      client,
      secretsOf: (pod) => secretsOfPod(client, ruleKinds, endpoint, pod, secrets, secretCache),
      clock: manager.clock,
    }),
  );
}
