/** Why a WebSocket is closed: codes of RFC 6455 below 4000, those of graphql-transport-ws above. */
export const closeCodes = {
  goingAway: 1001,
  tooMuchSaid: 1008,
  tooBig: 1009,
  tryAgainLater: 1013,
  badRequest: 4400,
  nothingSaid: 4408,
  internalError: 4500,
} as const;
