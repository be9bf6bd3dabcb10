import { setOwnMember } from "@kubewright/apimachinery";
import {
  CelCompileError,
  CelEnvironment,
  type CelProgram,
  type CelType,
  celType,
  type DeclType,
  formatType,
  isSameType,
  jsonPatch,
  kubernetesTypes,
  mutationTypes,
  objectType,
  plainType,
  typeName,
} from "@kubewright/cel";
import { namespaceType, requestType } from "./expression-types.ts";

/** Names that a webhook's or policy's expressions may use in addition to the objects and the request. */
export interface ScopeOptions {
  readonly params?: boolean | undefined;
  readonly authorizer?: boolean | undefined;
  /** Enables `Object{…}` and `JSONPatch{…}`. */
  readonly mutation?: boolean | undefined;
  /** Type of the objects. Default: any. */
  readonly object?: DeclType | undefined;
  readonly paramsType?: DeclType | undefined;
}

/** A compiled expression, or the reason why it does not compile. */
export type Compiled =
  | { readonly program: CelProgram; readonly error?: undefined }
  | { readonly program?: undefined; readonly error: string };

const shared = new Map<string, CelEnvironment>();

/**
 * Compiles the expressions of one policy. Its variables are added one at a time.
 *
 * @see apiserver pkg/admission/plugin/cel CompositedCompiler
 */
export class ExpressionScope {
  readonly #base: CelEnvironment;
  readonly #variables: Record<string, DeclType> = {};
  #environment: CelEnvironment;

  constructor(options: ScopeOptions = {}) {
    this.#base = environmentFor(options);
    this.#environment = this.#base;
  }

  /** Makes `variables.<name>` available to all expressions compiled afterwards. */
  addVariable(name: string, type: CelType): void {
    setOwnMember(this.#variables, name, plainType(type));
    this.#declare();
  }

  /** Declares `variables` without members. */
  declareVariables(): void {
    this.#declare();
  }

  /** @param wanted permitted result types. Default: any */
  compile(expression: string, wanted?: readonly CelType[]): Compiled {
    try {
      const program = this.#environment.compile(expression);
      if (program.instantiationError !== undefined)
        return { error: `program instantiation failed: ${program.instantiationError}` };
      if (!wanted || wanted.some((type) => isSameType(program.outputType, type))) return { program };
      const [only] = wanted;
      const shown = wanted.length === 1 && only ? formatType(only) : `one of [${wanted.map(typeName).join(" ")}]`;
      return { error: `must evaluate to ${shown} but got ${formatType(program.outputType)}` };
    } catch (error) {
      if (!(error instanceof CelCompileError)) throw error;
      return { error: `compilation failed: ${error.message}` };
    }
  }

  #declare(): void {
    const type = objectType("kubernetes.variables", { ...this.#variables });
    this.#environment = this.#base.extend({ variables: { variables: type.type }, types: [type] });
  }
}

/** Result types of patches in mutating policies. */
export const patchTypes = {
  applyConfiguration: celType.struct("Object"),
  jsonPatch: celType.list(celType.struct("JSONPatch")),
} as const;

function environmentFor(options: ScopeOptions): CelEnvironment {
  const { params = false, authorizer = false, mutation = false, object, paramsType } = options;
  const isShared = !object && !paramsType;
  const key = `${params}/${authorizer}/${mutation}`;
  const known = isShared ? shared.get(key) : undefined;
  if (known) return known;
  const environment = CelEnvironment.base.extend({
    variables: {
      object: object?.type ?? celType.dyn,
      oldObject: object?.type ?? celType.dyn,
      request: requestType.type,
      namespaceObject: namespaceType.type,
      ...(params ? { params: paramsType?.type ?? celType.dyn } : {}),
      ...(authorizer
        ? { authorizer: kubernetesTypes.authorizer, "authorizer.requestResource": kubernetesTypes.resourceCheck }
        : {}),
    },
    types: [requestType, namespaceType, ...(object ? [object] : []), ...(paramsType ? [paramsType] : [])],
    ...(mutation ? { structs: mutationTypes, functions: jsonPatch } : {}),
  });
  if (isShared) shared.set(key, environment);
  return environment;
}
