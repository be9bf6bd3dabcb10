import { defaultBase, installBase } from "../project/default-base.ts";

/** Dockerfile without a build step, because Node.js runs TypeScript directly. Flags are set in the Deployment. */
export const dockerfileText = `# docker buildx imagetools inspect node:24-slim prints the digest of a newer image.
FROM ${installBase} AS install
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

/**
 * Content of `.dockerignore`. Only the necessary files are sent to the image build, so that changes to other files do
 * not invalidate its cache.
 */
export const dockerignoreText = `# Only these files are sent to the build.
*
!package.json
!package-lock.json
!src
**/*.test.ts
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
      - uses: actions/checkout@11bd71901bbe5b1630ceea73d27597364c9af683 # v4.2.2
      - uses: actions/setup-node@49933ea5288caeca8642d1e84afbd3f7d6820020 # v4.4.0
        with:
          node-version: 24
          cache: npm
      - run: npm ci
      - run: npm run lint
      - run: npm run typecheck
      - run: npm test
      - run: npm run check
      - run: npm run test:e2e
      - run: npm run image
`;
