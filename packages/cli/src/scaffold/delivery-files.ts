import { defaultBase } from "../project/default-base.ts";

/** Node runs TypeScript as it is, so nothing is built. Flags are the Deployment's to say. */
export const dockerfileText = `FROM node:24-slim AS install
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --ignore-scripts

FROM ${defaultBase}
WORKDIR /app
ENV NODE_ENV=production
COPY --from=install /app/node_modules node_modules
COPY package.json ./
COPY src src
USER 65532:65532
ENTRYPOINT ["/nodejs/bin/node", "src/main.ts"]
`;

export const ciText = `name: ci
on:
  push:
    branches: [main]
  pull_request:
permissions:
  contents: read
jobs:
  test:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-node@v4
        with:
          node-version: 24
          cache: npm
      - run: npm ci
      - run: npm run typecheck
      - run: npm test
      - run: npx kubewright generate --check
`;
