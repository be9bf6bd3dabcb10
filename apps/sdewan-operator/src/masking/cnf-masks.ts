import type { DeepReadonly } from "@kubewright/apimachinery";
import type { Reader } from "@kubewright/client";
import type { Pod } from "@kubewright/client/kinds";
import { type Clock, systemClock } from "@kubewright/clock";
import { purposeLabel } from "../api/group.ts";
import { type EndpointDefaults, endpointOf } from "../cnf/endpoint.ts";
import { SecretCache } from "../cnf/secret-cache.ts";
import type { RuleSecrets } from "../secrets/rule-secrets.ts";
import type { CnfKind } from "../uci/cnf-kind.ts";
import { Mask, masked } from "./mask.ts";
import { secretsOfPurpose } from "./secrets-of-pod.ts";

export interface CnfMasksOptions {
  readonly kinds: readonly CnfKind[];
  readonly secrets: RuleSecrets;
  /** Source of the CNFs' passwords. Default: the reader. */
  readonly secretCache?: SecretCache;
  /** Scheme and port of CNFs whose pods have no annotation that sets them. Default: https. */
  readonly endpoint?: EndpointDefaults;
  readonly clock?: Clock;
}

interface Known {
  readonly mask: Promise<Mask>;
  revision: number;
}

/** Removes secrets from a string. */
export type Hide = (text: string) => string;

/** Interval between lookups of the secrets of a CNF's resources. Secrets that this process sent are known immediately. */
const keepMs = 10_000;

/**
 * Removes all of a CNF's secrets from messages about the CNF, because a message about one resource may repeat another
 * resource's keys. Secrets are looked up only when there is a message.
 */
export class CnfMasks {
  readonly #options: CnfMasksOptions;
  readonly #secretCache: SecretCache;
  readonly #clock: Clock;
  /** Known secrets by purpose. */
  readonly #known = new Map<string, Known>();

  constructor(options: CnfMasksOptions) {
    this.#options = options;
    this.#secretCache = options.secretCache ?? new SecretCache();
    this.#clock = options.clock ?? systemClock;
  }

  /** Returns the function for messages from a pod's CNF. */
  async of(reader: Reader, pod: DeepReadonly<Pod>): Promise<Hide> {
    const [mask, password] = await Promise.all([
      this.#maskOf(reader, pod.metadata.labels?.[purposeLabel] ?? ""),
      this.#passwordOf(reader, pod),
    ]);
    return (text) => masked(mask.hide(text), [password], Number.POSITIVE_INFINITY);
  }

  async #maskOf(reader: Reader, purpose: string): Promise<Mask> {
    const { sent } = this.#options.secrets;
    const known = this.#known.get(purpose) ?? this.#look(reader, purpose);
    const mask = await known.mask;
    if (known.revision !== sent.revision) mask.add(sent.to(purpose));
    known.revision = sent.revision;
    return mask;
  }

  #look(reader: Reader, purpose: string): Known {
    const known = { mask: this.#secretsOf(reader, purpose).then((secrets) => new Mask(secrets)), revision: -1 };
    this.#known.set(purpose, known);
    this.#clock.after(keepMs, () => this.#known.delete(purpose), { unref: true });
    return known;
  }

  /** Returns the secrets in all resources with a purpose, whether or not this process has sent them. */
  #secretsOf(reader: Reader, purpose: string): Promise<readonly (string | undefined)[]> {
    const { kinds, secrets } = this.#options;
    return secretsOfPurpose(reader, kinds, purpose, async (kind, rule) => {
      const filled = await secrets.fill(reader, kind, rule).catch(() => ({ rule })); // the secrets in the spec are still hidden
      return secrets.of(kind, filled.rule);
    });
  }

  /**
   * Returns the password of a pod's CNF. A password that cannot be read is not needed here, because it cannot have been sent to the CNF
   * either.
   */
  async #passwordOf(reader: Reader, pod: DeepReadonly<Pod>): Promise<string | undefined> {
    const { endpoint = { scheme: "https" } } = this.#options;
    return endpointOf(reader, pod, endpoint, this.#secretCache).then(
      ({ password }) => password,
      () => undefined,
    );
  }
}
