import { operators } from "./ast.ts";
import type { TokenType } from "./lexer.ts";

/**
 * The names of the functions for relational operators. The constants below are for operators with higher precedence.
 */
export const relations: Partial<Record<TokenType, string>> = {
  "'<'": operators.less,
  "'<='": operators.lessEquals,
  "'>='": operators.greaterEquals,
  "'>'": operators.greater,
  "'=='": operators.equals,
  "'!='": operators.notEquals,
  "'in'": operators.in,
};
export const products: Partial<Record<TokenType, string>> = {
  "'*'": operators.multiply,
  "'/'": operators.divide,
  "'%'": operators.modulo,
};
export const sums: Partial<Record<TokenType, string>> = { "'+'": operators.add, "'-'": operators.subtract };
