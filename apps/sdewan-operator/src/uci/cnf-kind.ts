import type { DeepReadonly, DefinedKind, KubeObject, StructuralSchema } from "@kubewright/apimachinery";
import type { RuleStatus } from "../api/status.ts";
import { meaningOf, secretTexts } from "../api/values.ts";
import { type Naming, sectionName } from "./cnf-name.ts";
import type { UciObject } from "./uci-object.ts";

/** The fields of rule objects that the reconciler uses. */
export interface RuleObject extends KubeObject {
  spec?: object;
  status?: RuleStatus;
}

/** A rule and its kind. */
export interface RuleOfKind {
  readonly kind: CnfKind;
  readonly object: DeepReadonly<RuleObject>;
}

/** Information about the CNF and the cluster for conversions. */
export interface CnfView {
  /**
   * Returns the interface in the CNF's pod that is attached to a network.
   *
   * @throws {Error} if there is none
   */
  interfaceOf(network: string): string;
  /** Returns the sorted addresses of the pods that a selector matches, except CNF pods. An empty namespace means all namespaces. */
  addressesOf(selector: DeepReadonly<PodSelector>, namespace: string): Promise<readonly string[]>;
}

export interface PodSelector {
  matchLabels?: Record<string, string>;
  matchExpressions?: { key: string; operator: string; values?: string[] }[];
}

/** Selects an application's pods. Without a selector, no pods are selected. An empty namespace means all namespaces. */
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
 * Action on each service after a change. The firewall is reloaded rather than restarted, because a restart would delete
 * the packet filter and address translation rules that the CNF stores outside the UCI configuration `firewall`.
 */
const services: Readonly<Record<string, RuleService>> = {
  mwan3: { name: "mwan3", action: "restart" },
  firewall: { name: "firewall", action: "reload" },
  ipsec: { name: "ipsec", action: "restart" },
};

/** A spec field whose text may be stored in a Secret instead. */
export interface SecretField {
  readonly field: string;
  /** The spec field that contains the reference. */
  readonly ref: string;
  /** Format that the CNF expects: the Secret's text, or a PEM document as base64. */
  readonly form: "text" | "base64";
}

/** Order of objects that determine their position themselves. */
interface Positions {
  /** Divides such objects, which are keyed by name, into groups. The order has an effect only within a group. */
  groupsOf(objects: ReadonlyMap<string, UciObject>): readonly (readonly string[])[];
  /** Determines which of two objects in a group applies if both match the same packet: the object that was written `first` or `last`. */
  readonly precedence: "first" | "last";
  /**
   * True if the CNF inserts objects at their position, between others. To reorder a group, all of its objects must then be deleted before
   * they are created again. False if an object that is written again becomes the last one of its group.
   */
  readonly isInserted: boolean;
}

interface CnfKindOptions<T extends RuleObject> {
  readonly kind: DefinedKind<T>;
  /** The module of the CNF's REST API. For `mwan3`, `firewall` and `ipsec`, a service with that name applies the changes. */
  readonly config: string;
  readonly collection: string;
  /** Part of the finalizer's name before `.finalizers.sdewan.akraino.org`. Default: the kind in lower case. */
  readonly finalizer?: string;
  /** Order of writes. Objects of a lower rank are written earlier and deleted later, because other objects refer to them. */
  readonly rank: number;
  /**
   * Determines which of two objects in the collection applies if both match the same packet: the object that comes `first` or `last` on the
   * CNF. The operator keeps such objects in order. By default, their order has no effect.
   */
  readonly precedence?: "first" | "last";
  /**
   * Reports whether an object determines its own position, and is therefore not kept in order with all other objects.
   * Default: never.
   */
  hasPosition?(object: UciObject): boolean;
  /** Order of objects that determine their own position. Default: the order has no effect. */
  readonly positions?: Positions;
  /**
   * Returns a string for each rule of the kernel that the CNF creates for an object. The CNF deletes such a rule by its content, so if two
   * objects have the same text, it deletes the first of the two rules. Default: none.
   */
  kernelRules?(object: UciObject): readonly string[];
  /**
   * True if the CNF appends rules for the objects to the firewall's chains, after the zones' rules. A reload of the firewall moves them
   * before the zones. Therefore, the operator reloads the firewall after a write, but only on a CNF whose firewall it configures. Default
   * false.
   */
  readonly joinsFirewall?: boolean;
  /**
   * True if the objects are UCI sections that have the objects' names. All kinds of the same UCI file then share one set of names.
   * Default false.
   */
  readonly namedSections?: boolean;
  /** Returns the name on the CNF. Default: the same name; for named sections, a valid section name. */
  nameOnCnf?(name: string): string;
  /** Returns the name that earlier versions used on the CNF. An object with this name is deleted there. Default: none. */
  formerNameOnCnf?(name: string): string;
  /**
   * Returns the object on the CNF, without its name. Called only for specs that the current CRD allows.
   *
   * @throws {InvalidSpecError} if the spec is not valid
   * @throws {Error} for problems that may be temporary
   */
  toUci(object: DeepReadonly<T>, cnf: CnfView): UciObject | Promise<UciObject>;
  /** Fields of a record, or of the records in a list, that the CNF may not return. */
  readonly omitted?: readonly string[];
  /** Fields that the CNF returns obfuscated. Comparisons use a hash of the sent values instead. */
  readonly garbled?: readonly string[];
  /** The field by which records in lists are matched, because the CNF reorders them. */
  readonly listKey?: string;
  /** Returns all names that the object uses on the CNF. Default: its own name. */
  names?(object: DeepReadonly<T>): readonly string[];
  /** Returns the strings of a spec that must not appear in a log, status or error. */
  secrets?(object: DeepReadonly<T>): readonly (string | undefined)[];
  /** Fields that may be in Secrets. Conversions find the values in the spec, regardless of their source. */
  readonly secretFields?: readonly SecretField[];
  /** Returns the application pods whose addresses are part of the object. If given, changes to these pods update the object. */
  podsOf?(object: DeepReadonly<T>): PodSelection;
}

/** The parts of a rule kind that distinguish it from others. */
export interface CnfKind<T extends RuleObject = RuleObject>
  extends Required<
      Omit<CnfKindOptions<T>, "listKey" | "podsOf" | "formerNameOnCnf" | "precedence" | "positions" | "kernelRules">
    >,
    Naming {
  /** The collection's path after `sdewan/`. */
  readonly path: string;
  /** Set of names. Objects with the same name in the same set overwrite each other on a CNF. */
  readonly nameSpace: string;
  readonly service: RuleService | undefined;
  /** Service that moves new objects to their position, if it has its own objects. */
  readonly placingService: RuleService | undefined;
  readonly listKey: string | undefined;
  readonly precedence: "first" | "last" | undefined;
  readonly positions: Positions | undefined;
  kernelRules?(object: UciObject): readonly string[];
  podsOf?(object: DeepReadonly<T>): PodSelection;
  formerNameOnCnf?(name: string): string;
}

export function cnfKind<T extends RuleObject>(options: CnfKindOptions<T>): CnfKind<T> {
  const path = `${options.config}/v1/${options.collection}`;
  const nameOnCnf = options.nameOnCnf ?? (options.namedSections ? sectionName : (name: string) => name);
  return {
    namedSections: false,
    joinsFirewall: false,
    omitted: [],
    garbled: [],
    listKey: undefined,
    precedence: undefined,
    positions: undefined,
    hasPosition: () => false,
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
    placingService: options.joinsFirewall ? services.firewall : undefined,
  };
}

/** Thrown if a spec cannot be converted to an object on the CNF unless someone changes the spec. */
export class InvalidSpecError extends Error {
  override readonly name = "InvalidSpecError";
}

/**
 * Checks the strings of a spec against its CRD again, because objects stored under an older CRD must not reach a CNF
 * unchecked.
 *
 * @throws {InvalidSpecError} for the first invalid string, with its field, its value unless it is secret, and the
 * allowed values
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

const maxShownLength = 64;

/** Returns the error for the first invalid string in a value, or undefined if all are valid. */
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
  const shown = JSON.stringify(text.slice(0, maxShownLength));
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
