import type { DeepReadonly } from "@kubewright/apimachinery";
import type { Reader } from "@kubewright/client";
import type { Pod } from "@kubewright/client/kinds";
import { purposeLabel } from "../api/group.ts";
import { type EndpointDefaults, endpointOf } from "../cnf/endpoint.ts";
import { byPurpose } from "../cnf/indexes.ts";
import { SecretCache } from "../cnf/secret-cache.ts";
import type { RuleSecrets } from "../secrets/rule-secrets.ts";
import type { CnfKind } from "../uci/cnf-kind.ts";

/** Returns the secrets of a CNF pod that a status must not show: its password, and the secrets of its current and former rules. */
export async function secretsOfPod(
  reader: Reader,
  kinds: readonly CnfKind[],
  endpoint: EndpointDefaults,
  pod: DeepReadonly<Pod>,
  secrets: RuleSecrets,
  secretCache = new SecretCache(),
): Promise<readonly (string | undefined)[]> {
  const purpose = pod.metadata.labels?.[purposeLabel] ?? "";
  const { password } = await endpointOf(reader, pod, endpoint, secretCache);
  const ofRules = kinds.map(async (kind) => {
    const rules = await reader.list(kind.kind, { fields: { [byPurpose]: purpose } });
    const filled = await Promise.all(rules.map((rule) => secrets.fill(reader, kind, rule)));
    return filled.flatMap(({ rule }) => secrets.of(kind, rule));
  });
  return [password, ...(await Promise.all(ofRules)).flat(), ...secrets.sent.to(purpose)];
}
