/** CommonJS, because a kubeconfig is read synchronously: a `require` inside a function is what Node and bundlers both load late. */
exports.parseDocument = (...args) => require("yaml").parseDocument(...args);
exports.visit = (...args) => require("yaml").visit(...args);
