import { type DeepReadonly, keyOf } from "@kubewright/apimachinery";
import type { Reader } from "@kubewright/client";
import { appliedPurposeAnnotation, appliedSecretsAnnotation, purposeLabel } from "../api/group.ts";
import type { SecretCache } from "../cnf/secret-cache.ts";
import { type CnfKind, InvalidSpecError, type RuleObject, type SecretField } from "../uci/cnf-kind.ts";
import { BadSecretError } from "./bad-secret-error.ts";
import { clearTextFields, referencesOf } from "./references.ts";
import { SecretStore } from "./secret-store.ts";
import { SentSecrets } from "./sent-secrets.ts";

/** A rule with the referenced values inserted into its spec. */
export interface Filled {
  readonly rule: DeepReadonly<RuleObject>;
  /** Reason why values are missing; undefined if none are missing. */
  readonly problem?: BadSecretError | InvalidSpecError;
  /** The versions of the Secrets used; undefined without Secrets. */
  readonly versions?: string;
}

export interface RuleSecretsOptions {
  /** Source of the values. Default: the reader that is passed to `fill`. */
  readonly secretCache?: SecretCache;
  /** Called once for each generation of an object that contains secrets in clear text. */
  readonly onClearText?: (rule: DeepReadonly<RuleObject>, fields: readonly SecretField[]) => void;
}

/** Maximum number of an object's former values that remain masked, because a CNF may still repeat them. */
const maxFormer = 8;

/** Inserts the referenced values from Secrets into specs, and returns the secret values for masking. */
export class RuleSecrets {
  readonly #store: SecretStore;
  readonly #onClearText: RuleSecretsOptions["onClearText"];
  readonly #values = new Map<string, readonly string[]>();
  readonly #warned = new Map<string, number | undefined>();
  /** All secrets sent to each CNF for current and former resources. */
  readonly sent = new SentSecrets();

  constructor({ secretCache, onClearText }: RuleSecretsOptions = {}) {
    this.#store = new SecretStore(secretCache);
    this.#onClearText = onClearText;
  }

  /** Returns the object with its available secrets filled in. */
  async fill(reader: Reader, kind: CnfKind, rule: DeepReadonly<RuleObject>): Promise<Filled> {
    if (kind.secretFields.length === 0) return { rule };
    this.#warn(kind, rule);
    this.#noteSent(rule, kind.secrets(rule));
    const references = referencesOf(kind, rule);
    if (references.length === 0) return { rule };
    const clear = clearTextFields(kind, rule).map(({ field }) => field);
    const texts: Record<string, string> = {};
    const versions: string[] = [];
    let problem: Filled["problem"];
    for (const reference of references) {
      if (clear.includes(reference.field))
        problem ??= new InvalidSpecError(
          `spec.${reference.field}: spec.${reference.ref} is set as well: remove one of them`,
        );
      else
        try {
          const { text, version } = await this.#store.value(reader, rule.metadata.namespace, reference);
          texts[reference.field] = text;
          versions.push(`${reference.name}/${reference.key}@${version}`);
        } catch (error) {
          if (!(error instanceof BadSecretError)) throw error;
          problem ??= error;
        }
    }
    this.#remember(rule, Object.values(texts));
    const filled = { ...rule, spec: { ...rule.spec, ...texts } };
    return { rule: filled, versions: versions.join(" "), ...(problem ? { problem } : {}) };
  }

  /** Returns the secrets of an object: the clear-text secrets in its spec, and the values that came from Secrets. */
  of(kind: CnfKind, rule: DeepReadonly<RuleObject>): readonly (string | undefined)[] {
    return [...kind.secrets(rule), ...(this.#values.get(identityOf(rule)) ?? [])];
  }

  /** Called when the object has been deleted. */
  forget(rule: DeepReadonly<RuleObject>): void {
    this.#values.delete(identityOf(rule));
    this.#warned.delete(identityOf(rule));
  }

  #remember(rule: DeepReadonly<RuleObject>, texts: readonly string[]): void {
    const id = identityOf(rule);
    const former = (this.#values.get(id) ?? []).filter((text) => !texts.includes(text));
    if (texts.length > 0) this.#values.set(id, [...former, ...texts].slice(-maxFormer));
    this.#noteSent(rule, texts);
  }

  /** Records the strings for the current CNF, and for the former CNF if it may still have the object. */
  #noteSent({ metadata }: DeepReadonly<RuleObject>, texts: readonly (string | undefined)[]): void {
    const purposes = [metadata.labels?.[purposeLabel], metadata.annotations?.[appliedPurposeAnnotation]];
    const present = texts.flatMap((text) => text || []);
    for (const purpose of new Set(purposes)) if (purpose !== undefined) this.sent.note(purpose, present);
  }

  #warn(kind: CnfKind, rule: DeepReadonly<RuleObject>): void {
    const { generation, deletionTimestamp } = rule.metadata;
    const id = identityOf(rule);
    if (!this.#onClearText || deletionTimestamp || (this.#warned.has(id) && this.#warned.get(id) === generation))
      return;
    const fields = clearTextFields(kind, rule);
    if (fields.length === 0) return;
    this.#warned.set(id, generation);
    this.#onClearText(rule, fields);
  }
}

/**
 * Reports whether, according to the annotation, the CNF's object has values from the current versions of its Secrets.
 */
export const hasAppliedSecrets = (rule: DeepReadonly<RuleObject>, versions: string | undefined): boolean =>
  rule.metadata.annotations?.[appliedSecretsAnnotation] === versions;

const identityOf = (rule: DeepReadonly<RuleObject>): string => `${keyOf(rule)} ${rule.metadata.uid ?? ""}`;
