FROM node:24-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY tsconfig.json rolldown.config.mjs ./
COPY .ci/build.mjs ./.ci/
COPY src ./src
RUN npm run build

FROM node:24-bookworm-slim
# Process 1 must reap orphans and pass signals on.
RUN apt-get update && apt-get install -y --no-install-recommends tini && rm -rf /var/lib/apt/lists/*
ARG VERSION=unknown REVISION=unknown SOURCE=unknown
LABEL org.opencontainers.image.title="ledger-gateway" \
      org.opencontainers.image.description="One GraphQL endpoint over a ledger, its gas sponsor and its events." \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version=$VERSION \
      org.opencontainers.image.revision=$REVISION \
      org.opencontainers.image.source=$SOURCE
ENV NODE_ENV=production HOST=0.0.0.0 PORT=4000 STATE_DIRECTORY=/var/lib/ledger-gateway
# A new volume gets the owner of the folder.
RUN install -d -o node -g node -m 700 /var/lib/ledger-gateway
WORKDIR /app
COPY package.json LICENSE ./
COPY schema ./schema
# The bundle contains all packages that it uses.
COPY --from=build /app/dist ./dist
USER node
EXPOSE 4000
# Liveness instead of readiness: restarting the container cannot repair an unavailable ledger.
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT || 4000}/health/live`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["tini", "--", "node", "dist/cli.js"]
CMD ["serve"]
