import type { DeepReadonly } from "@kubewright/apimachinery";
import type { Reader } from "@kubewright/client";
import type { Pod } from "@kubewright/client/kinds";
import { purposeLabel } from "../api/group.ts";
import { type EndpointDefaults, endpointOf } from "../cnf/endpoint.ts";
import { byPurpose } from "../cnf/indexes.ts";
import { SecretCache } from "../cnf/secret-cache.ts";
import type { RuleSecrets } from "../secrets/rule-secrets.ts";
import type { CnfKind, RuleObject } from "../uci/cnf-kind.ts";

type Secrets = readonly (string | undefined)[];

/**
 * Returns the secrets in all resources with the given purpose.
 *
 * @param secretsOf returns the secrets in a resource
 */
export async function secretsOfPurpose(
  reader: Reader,
  kinds: readonly CnfKind[],
  purpose: string,
  secretsOf: (kind: CnfKind, rule: DeepReadonly<RuleObject>) => Secrets | Promise<Secrets>,
): Promise<Secrets> {
  const having = kinds.filter(({ secretFields }) => secretFields.length > 0);
  const ofKinds = having.map(async (kind) => {
    const rules = await reader.list(kind.kind, { fields: { [byPurpose]: purpose } });
    return Promise.all(rules.map((rule) => secretsOf(kind, rule)));
  });
  return (await Promise.all(ofKinds)).flat(2);
}

/**
 * Returns the secrets that must not appear in a status about a CNF pod: its password, and the secrets in its current
 * and former rules.
 */
export async function secretsOfPod(
  reader: Reader,
  kinds: readonly CnfKind[],
  endpoint: EndpointDefaults,
  pod: DeepReadonly<Pod>,
  secrets: RuleSecrets,
  secretCache = new SecretCache(),
): Promise<Secrets> {
  const purpose = pod.metadata.labels?.[purposeLabel] ?? "";
  const { password } = await endpointOf(reader, pod, endpoint, secretCache);
  const ofRules = secretsOfPurpose(reader, kinds, purpose, async (kind, rule) =>
    secrets.of(kind, (await secrets.fill(reader, kind, rule)).rule),
  );
  return [password, ...(await ofRules), ...secrets.sent.to(purpose)];
}
