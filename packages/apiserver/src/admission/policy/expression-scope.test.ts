import { celType } from "@kubewright/cel";
import { expect, it } from "vitest";
import { ExpressionScope } from "./expression-scope.ts";

const errorOf = (scope: ExpressionScope, expression: string) => scope.compile(expression, [celType.bool]).error;

it.each([
  ["params == null", { params: true }],
  ["authorizer.path('/x').check('get').allowed()", { authorizer: true }],
  ["JSONPatch{op: 'remove', path: '/a'}.op == 'remove'", { mutation: true }],
])("%s is known only to expressions with %j", (expression, options) => {
  expect(errorOf(new ExpressionScope(options), expression)).toBeUndefined();
  expect(errorOf(new ExpressionScope({}), expression)).toMatch(/undeclared reference|undefined/);
});
