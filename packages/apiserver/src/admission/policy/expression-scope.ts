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

/** The names that a webhook's or policy's expressions may use in addition to the objects and the request. */
export interface ScopeOptions {
  readonly params?: boolean | undefined;
  readonly authorizer?: boolean | undefined;
  /** True to permit the types `Object` and `JSONPatch` in expressions. */
  readonly mutation?: boolean | undefined;
  /** Type of `object` and `oldObject`. Default: any type. */
  readonly object?: DeclType | undefined;
  readonly paramsType?: DeclType | undefined;
}

/** A compiled expression, or the reason why it does not compile. */
export type Compiled =
  | { readonly program: CelProgram; readonly error?: undefined }
  | { readonly program?: undefined; readonly error: string };

const shared = new Map<string, CelEnvironment>();

/**
 * Compiles the expressions in a policy or webhook. Variables are added one by one.
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

  /** Makes `variables.<name>` available to all expressions that are compiled afterwards. */
  addVariable(name: string, type: CelType): void {
    setOwnMember(this.#variables, name, plainType(type));
    this.#declare();
  }

  /** Declares `variables` even if no variable has been added. */
  declareVariables(): void {
    this.#declare();
  }

  /** Compiles an expression. Returns an error message if it is not valid. @param wanted permitted result types. Default: any type */
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

/** The types that a mutating policy's expressions must return. */
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
