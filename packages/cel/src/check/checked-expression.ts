import type { Expression } from "../syntax/ast.ts";
import type { FunctionDeclaration, Overload } from "../values/declarations.ts";
import type { StructProvider } from "../values/struct-provider.ts";
import type { CelType } from "../values/type.ts";

/** The variables, functions and object types to which names in an expression can refer. */
export interface Names {
  readonly variables: ReadonlyMap<string, CelType>;
  readonly functions: ReadonlyMap<string, FunctionDeclaration>;
  readonly structs: StructProvider;
}

/** A name or function to which a part of an expression refers. */
export type Reference =
  | { readonly kind: "name"; readonly name: string }
  | {
      readonly kind: "function";
      readonly declaration: FunctionDeclaration;
      readonly overloads: readonly Overload[];
      /** True if the call's target is not a value but part of the function's name, as in `ip.isCanonical`. */
      readonly isQualified: boolean;
    };

/** An expression and the type of each of its parts. */
export interface CheckedExpression {
  readonly root: Expression;
  readonly types: ReadonlyMap<number, CelType>;
  readonly references: ReadonlyMap<number, Reference>;
}
