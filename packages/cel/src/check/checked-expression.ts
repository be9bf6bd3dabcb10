import type { Expression } from "../syntax/ast.ts";
import type { FunctionDeclaration, Overload } from "../values/declarations.ts";
import type { StructProvider } from "../values/struct-provider.ts";
import type { CelType } from "../values/type.ts";

/** Meanings of names. */
export interface Names {
  readonly variables: ReadonlyMap<string, CelType>;
  readonly functions: ReadonlyMap<string, FunctionDeclaration>;
  readonly structs: StructProvider;
}

/** Reference of a node in the expression. */
export type Reference =
  | { readonly kind: "name"; readonly name: string }
  | {
      readonly kind: "function";
      readonly declaration: FunctionDeclaration;
      readonly overloads: readonly Overload[];
      /** True if the target is part of the name (`ip.isCanonical`). */
      readonly isQualified: boolean;
    };

/** An expression whose parts all have types. */
export interface CheckedExpression {
  readonly root: Expression;
  readonly types: ReadonlyMap<number, CelType>;
  readonly references: ReadonlyMap<number, Reference>;
}
