/**
 * `$(NAME)` with the variable's value, as it is where there is no such variable; `$$` is a dollar sign.
 *
 * @see kubernetes third_party/forked/golang/expansion
 */
export const expand = (text: string, env: ReadonlyMap<string, string>): string =>
  text.replace(/\$(?:\$|\(([^)]*)\))/g, (found, name: string | undefined) =>
    name === undefined ? "$" : (env.get(name) ?? found),
  );
