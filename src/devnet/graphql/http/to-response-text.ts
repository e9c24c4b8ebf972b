import { GraphQLError } from 'graphql';
import { serviceFault } from '../arguments/parse-failure.ts';
import type { RequestOutcome } from '../execute-request.ts';

/** The answer's JSON: data always, then usage and errors where there are any. */
export function toResponseText({ data, errors, usage }: RequestOutcome): string {
  return JSON.stringify({
    data,
    ...(usage && { extensions: { usage } }),
    ...(errors.length > 0 && { errors: errors.map(toErrorJson) }),
  });
}

/** Members that would be empty are left out. */
function toErrorJson(error: GraphQLError) {
  const shown = isExpected(error) ? error : serviceFault(error.message);
  return {
    message: shown.message,
    ...(error.locations && error.locations.length > 0 && { locations: error.locations }),
    ...(error.path && { path: error.path }),
    ...(Object.keys(shown.extensions).length > 0 && { extensions: shown.extensions }),
  };
}

/** Anything thrown that is not a refusal is a fault of the service. */
function isExpected({ originalError }: GraphQLError): boolean {
  return originalError === undefined || originalError instanceof GraphQLError;
}
