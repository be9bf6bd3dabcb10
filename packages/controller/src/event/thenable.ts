/** Whether a value is a promise of any make. Handlers may return anything, whatever their type says. */
export const isThenable = <T>(value: T | PromiseLike<T>): value is PromiseLike<T> =>
  typeof value === "object" && value !== null && "then" in value && typeof value.then === "function";
