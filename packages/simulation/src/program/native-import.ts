/**
 * Loads a module natively. This file itself must be loaded with `require`, because test runners replace `import` in the
 * modules that they load.
 */
export const importNatively = (url: string): Promise<object> => import(url);
