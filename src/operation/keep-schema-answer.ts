import type { DocumentNode, ExecutionResult, OperationDefinitionNode } from 'graphql';
import { isSchemaOnly, toExecutableDocument } from '../limits/executable-document.ts';
import type { ExecuteHere } from './execute-here.ts';

/** Answers kept of one schema, the last ones made: a large one is a few megabytes, and tools have a handful of documents. */
const maxKept = 4;

/**
 * Of a document that asks for the schema and nothing else the answer is made once, where no variable has a say in it: it
 * takes some twenty milliseconds in which nobody else is served. Made for one schema.
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
