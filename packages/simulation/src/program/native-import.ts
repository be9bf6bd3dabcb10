/**
 * Loads a module with Node's own module loader. This file itself must be loaded with `require`, because test runners
 * replace `import` in modules that they load.
 */
export const importNatively = (url: string): Promise<object> => import(url);
