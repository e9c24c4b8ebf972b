import type { DocumentNode, ExecutionResult, OperationDefinitionNode } from 'graphql';
import { isSchemaOnly, toExecutableDocument } from '../documents/cost/executable-document.ts';
import type { ExecuteHere } from './execute-here.ts';

/** Answers kept per schema, the newest ones. A large one takes a few megabytes; tools send a handful of documents. */
const maxKept = 4;

/**
 * Makes the answer to a document that asks for the schema alone, and has no variables, only once: making it takes some
 * twenty milliseconds in which nobody else is served. Create one for each schema.
 */
export function createKeepSchemaAnswer() {
  const answers = new Map<DocumentNode, ExecutionResult>();
  return (document: DocumentNode, operation: OperationDefinitionNode, execute: ExecuteHere): ExecuteHere => {
    if (!isSchemaOnly(toExecutableDocument(document)) || operation.variableDefinitions?.length) return execute;
    return (variables, context) => {
      const kept = answers.get(document);
      if (kept) return kept;
      const answer = execute(variables, context);
      if (answer instanceof Promise || answer.errors) return answer;
      answers.set(document, answer);
      const [oldest] = answers.keys();
      if (answers.size > maxKept && oldest) answers.delete(oldest);
      return answer;
    };
  };
}
