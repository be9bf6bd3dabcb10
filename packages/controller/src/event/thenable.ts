/** Reports whether a value is a promise of any implementation. Handlers may return any value, regardless of their type. */
export const isThenable = <T>(value: T | PromiseLike<T>): value is PromiseLike<T> =>
  typeof value === "object" && value !== null && "then" in value && typeof value.then === "function";
