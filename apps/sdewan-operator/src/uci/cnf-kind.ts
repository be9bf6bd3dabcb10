import type { DeepReadonly, DefinedKind, KubeObject, StructuralSchema } from "@kubewright/apimachinery";
import type { RuleStatus } from "../api/status.ts";
import { meaningOf, secretTexts } from "../api/values.ts";
import { type Naming, sectionName } from "./cnf-name.ts";
import type { UciObject } from "./uci-object.ts";

/** An object of a rule kind, as far as the reconciler looks into it. */
export interface RuleObject extends KubeObject {
  spec?: object;
  status?: RuleStatus;
}

/** What a conversion may ask about the CNF and the cluster. */
export interface CnfView {
  /** The interface in the CNF's pod that is attached to a network. @throws if none is */
  interfaceOf(network: string): string;
  /** Addresses of the pods that a selector means, without CNF pods; sorted. An empty namespace means every namespace. */
  addressesOf(selector: DeepReadonly<PodSelector>, namespace: string): Promise<readonly string[]>;
}

export interface PodSelector {
  matchLabels?: Record<string, string>;
  matchExpressions?: { key: string; operator: string; values?: string[] }[];
}

/** Which pods are an application's. No selector selects none; an empty namespace means every namespace. */
export interface PodSelection {
  readonly selector: DeepReadonly<PodSelector> | undefined;
  readonly namespace: string;
}

export type ServiceName = "mwan3" | "firewall" | "ipsec";

export interface RuleService {
  readonly name: ServiceName;
  readonly action: "restart" | "reload";
}

/**
 * What must be told to a service after a change. The firewall is reloaded: a restart would flush the packet filter and address
 * translation rules that the CNF holds outside UCI `firewall`.
 */
const services: Readonly<Record<string, RuleService>> = {
  mwan3: { name: "mwan3", action: "restart" },
  firewall: { name: "firewall", action: "reload" },
  ipsec: { name: "ipsec", action: "restart" },
};

/** A field of a spec whose text may be in a Secret instead. */
export interface SecretField {
  readonly field: string;
  /** The field of the spec that says where it is. */
  readonly ref: string;
  /** How the CNF wants it: as it is in the Secret, or a PEM document as base64. */
  readonly form: "text" | "base64";
}

interface CnfKindOptions<T extends RuleObject> {
  readonly kind: DefinedKind<T>;
  /** The module of the CNF's REST API. For `mwan3`, `firewall` and `ipsec` a service of that name applies the changes. */
  readonly config: string;
  readonly collection: string;
  /** What comes before `.finalizers.sdewan.akraino.org`. Default: the kind in lower case. */
  readonly finalizer?: string;
  /** Objects of a lower rank are written earlier and deleted later: the others refer to them. */
  readonly rank: number;
  /** Its objects are UCI sections of their name, so all kinds of the config share one set of names. Default false. */
  readonly namedSections?: boolean;
  /** Default: as it is, or where sections are named, what a section's name can hold of it. */
  nameOnCnf?(name: string): string;
  /** The name that earlier versions gave it: what a CNF has under that is taken away. Default: none. */
  formerNameOnCnf?(name: string): string;
  /**
   * The object on the CNF, without its name. What its definition refuses now, and is stored already, does not get here.
   *
   * @throws InvalidSpecError, or Error for what may still come
   */
  toUci(object: DeepReadonly<T>, cnf: CnfView): UciObject | Promise<UciObject>;
  /** Fields of a record, or of the records in a list, that the CNF may keep to itself. */
  readonly unanswered?: readonly string[];
  /** Fields that the CNF answers garbled; a hash of what was sent takes their place in comparisons. */
  readonly garbled?: readonly string[];
  /** The field that lists of records are compared by, since the CNF reorders them. */
  readonly listKey?: string;
  /** All names that it takes on the CNF. Default: that of the object itself. */
  names?(object: DeepReadonly<T>): readonly string[];
  /** Texts of a spec that nobody may read in a log, status or error. */
  secrets?(object: DeepReadonly<T>): readonly (string | undefined)[];
  /** Its fields that may be in Secrets. Conversions find them in the spec, wherever they come from. */
  readonly secretFields?: readonly SecretField[];
  /** The application's pods whose addresses are in the object. Given, pods that change have it written anew. */
  podsOf?(object: DeepReadonly<T>): PodSelection;
}

/** A rule kind: only what makes it different from the others. */
export interface CnfKind<T extends RuleObject = RuleObject>
  extends Required<Omit<CnfKindOptions<T>, "listKey" | "podsOf" | "formerNameOnCnf">>,
    Naming {
  /** The collection's path after `sdewan/`. */
  readonly path: string;
  /** Objects with equal names and name spaces would overwrite each other on a CNF. */
  readonly nameSpace: string;
  readonly service: RuleService | undefined;
  readonly listKey: string | undefined;
  podsOf?(object: DeepReadonly<T>): PodSelection;
  formerNameOnCnf?(name: string): string;
}

export function cnfKind<T extends RuleObject>(options: CnfKindOptions<T>): CnfKind<T> {
  const path = `${options.config}/v1/${options.collection}`;
  const nameOnCnf = options.nameOnCnf ?? (options.namedSections ? sectionName : (name: string) => name);
  return {
    namedSections: false,
    unanswered: [],
    garbled: [],
    listKey: undefined,
    secrets: () => [],
    secretFields: [],
    names: ({ metadata }) => [nameOnCnf(metadata.name)],
    ...options,
    toUci: (object, cnf) => {
      refuseWrongTexts(options, object);
      return options.toUci(object, cnf);
    },
    nameOnCnf,
    finalizer: `${options.finalizer ?? options.kind.kind.toLowerCase()}.finalizers.sdewan.akraino.org`,
    path,
    nameSpace: options.namedSections ? options.config : path,
    service: services[options.config],
  };
}

/** The spec cannot become an object of the CNF until somebody changes it. */
export class InvalidSpecError extends Error {
  override readonly name = "InvalidSpecError";
}

/**
 * Checks the texts of a spec against its definition once more: what was stored under an older definition must not reach a CNF.
 *
 * @throws {InvalidSpecError} for the first wrong one: with its field, its value unless that is a secret, and what it may be
 */
function refuseWrongTexts<T extends RuleObject>(
  { kind, secretFields = [] }: Pick<CnfKindOptions<T>, "kind" | "secretFields">,
  { spec }: DeepReadonly<T>,
): void {
  const values: Readonly<Record<string, unknown>> = { ...spec };
  for (const { field, form } of secretFields) {
    const { [field]: secret } = values;
    const { pattern, maxLength, meaning } = secretTexts[form];
    if (typeof secret !== "string") continue;
    const text = secret.trim();
    if (text.length > maxLength || !new RegExp(pattern, "u").test(text))
      throw new InvalidSpecError(`spec.${field}: the value is not ${meaning}, of at most ${maxLength} characters`);
  }
  const open = Object.fromEntries(
    Object.entries(values).filter(([name]) => !secretFields.some(({ field }) => field === name)),
  );
  const schema = kind.crd.spec.versions[0]?.schema.openAPIV3Schema.properties?.spec;
  const wrong = schema && wrongText(open, schema, "spec");
  if (wrong !== undefined) throw new InvalidSpecError(wrong);
}

const longestShown = 64;

/** What is wrong with the first wrong text in a value; nothing if all are right. */
function wrongText(value: unknown, schema: StructuralSchema, path: string): string | undefined {
  if (typeof value === "string") return objectionTo(value, schema, path);
  if (Array.isArray(value))
    return firstOf(value, (each, index) => wrongText(each, schema.items ?? {}, `${path}[${index}]`));
  if (typeof value !== "object" || value === null) return undefined;
  return firstOf(Object.entries(value), ([name, each]) =>
    wrongText(each, schema.properties?.[name] ?? {}, `${path}.${name}`),
  );
}

function objectionTo(text: string, schema: StructuralSchema, path: string): string | undefined {
  const { pattern, maxLength = Number.POSITIVE_INFINITY, enum: words } = schema;
  if (text.length > maxLength) return `${path}: the text has more than ${maxLength} characters; shorten it`;
  const shown = JSON.stringify(text.slice(0, longestShown));
  if (words && !words.includes(text))
    return `${path}: ${shown} is not one of ${words.filter(Boolean).join(", ")}; change it`;
  if (pattern === undefined || new RegExp(pattern, "u").test(text)) return undefined;
  return `${path}: ${shown} is not ${meaningOf(pattern) ?? `a text of the pattern ${pattern}`}; change it`;
}

function firstOf<T>(values: readonly T[], find: (value: T, index: number) => string | undefined): string | undefined {
  for (const [index, value] of values.entries()) {
    const found = find(value, index);
    if (found !== undefined) return found;
  }
  return undefined;
}
