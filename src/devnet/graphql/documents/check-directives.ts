import { BREAK, type DirectiveNode, type DocumentNode, type GraphQLError, visit } from 'graphql';
import { limitRefusal } from './limit-refusal.ts';

const supported = new Set(['include', 'skip']);

/** Refuses directives other than these anywhere, on definitions too. */
export function checkDirectives(document: DocumentNode): GraphQLError | undefined {
  let offending: DirectiveNode | undefined;
  visit(document, {
    Directive(node) {
      if (supported.has(node.name.value)) return undefined;
      offending = node;
      return BREAK;
    },
  });
  if (!offending) return undefined;
  return limitRefusal(
    `Directive \`@${offending.name.value}\` is not supported. Supported directives are \`@include\`, \`@skip\``,
    offending,
  );
}
